import multiprocessing

import pytest

from evenhand.errors import InputError
from evenhand.store.blobs import Blobs
from evenhand.store.retrieval_journal import Journal

ANSWER = {"hits": [[{"doc": "a.md", "start": 0, "end": 9}, 0.1 + 0.2], [{"text": "\u2028 ü \ud800"}, None]]}


def test_what_was_put_is_there_for_the_next_reader_bit_by_bit(tmp_path):
    path = tmp_path / "a" / "j.jsonl"
    Journal(path).put("k", ANSWER)
    again = Journal(path)
    assert again.get("k") == ANSWER
    assert again.get("other") is None
    assert len(again) == 1


def test_the_first_answer_of_a_key_holds(tmp_path):
    path = tmp_path / "j.jsonl"
    for answer in ({"hits": []}, ANSWER):
        Journal(path).put("k", answer)
    assert Journal(path).get("k") == {"hits": []}


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_torn_by_a_kill_is_passed_over_and_swallows_nothing(tmp_path, cut):
    path = tmp_path / "j.jsonl"
    for key in "ab":
        Journal(path).put(key, ANSWER)
    path.write_bytes(path.read_bytes()[:-cut])
    torn = Journal(path)
    # a line that lost only its end is whole
    assert [key for key in "ab" if torn.get(key) is not None] == (["a", "b"] if cut == 1 else ["a"])
    torn.put("c", ANSWER)
    assert Journal(path).get("c") == ANSWER
    assert Journal(path).get("a") == ANSWER


def test_a_line_that_was_changed_is_not_believed(tmp_path):
    path = tmp_path / "j.jsonl"
    Journal(path).put("k", {"hits": [1]})
    path.write_bytes(path.read_bytes().replace(b"[1]", b"[2]"))
    assert Journal(path).get("k") is None


def _write(path, name):
    journal = Journal(path)
    for n in range(200):
        journal.put(f"{name}{n}", [name * 500, n])


def test_two_processes_write_one_file_and_lose_nothing(tmp_path):
    path = tmp_path / "j.jsonl"
    ways = multiprocessing.get_context("spawn")
    both = [ways.Process(target=_write, args=(path, name)) for name in "xy"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    held = Journal(path)
    assert all(held.get(f"{name}{n}") == [name * 500, n] for name in "xy" for n in range(200))


def test_answers_that_are_not_to_be_kept_go_when_the_run_is_finished(tmp_path):
    blobs = Blobs(tmp_path / "cache")
    blobs.journal("answers", "passing").put("k", [])
    blobs.journal("answers", "kept", keep=True).put("k", [])
    blobs.finish()
    blobs.finish()
    assert [path.stem for path in (tmp_path / "cache" / "answers").iterdir()] == ["kept"]


def test_a_cache_that_cannot_be_written_is_said_with_its_mend(tmp_path):
    (tmp_path / "answers").write_text("a file")
    with pytest.raises(InputError, match="cannot be used") as caught:
        Journal(tmp_path / "answers" / "j.jsonl").put("k", [])
    assert "may be deleted" in caught.value.mend
