import os
import threading

import pytest

from evenhand.errors import InputError
from evenhand.store.appended import Appended, checked, marked


@pytest.fixture
def file(tmp_path):
    made = Appended(tmp_path / "calls" / "calls.jsonl")
    yield made
    made.close()


def lines_of(file):
    return [line for _, line in file.lines() if line != b"\n"]


def test_every_line_is_told_where_it_stands_in_the_order_of_the_file(file):
    told = []
    lines = [marked(b"line %d " % n + b"x" * (n % 700)) for n in range(2000)]

    def work(first):
        for line in lines[first::8]:
            file.add(line, lambda start, end, line=line: told.append((start, end, line)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with file.still():
        assert len(told) == 2000
    assert sorted(lines_of(file)) == sorted(lines)
    assert told == sorted(told)
    assert all(file.at(start) == line and end - start == len(line) for start, end, line in told)


def test_a_thread_that_finds_another_one_writing_does_not_wait_for_it(file, monkeypatch):
    write, held, go = os.write, threading.Event(), threading.Event()

    def slow(where, data):
        held.set()
        assert go.wait(5)
        return write(where, data)

    monkeypatch.setattr(os, "write", slow)
    order = []
    first = threading.Thread(target=lambda: file.add(marked(b"1"), lambda *_: order.append(1)))
    first.start()
    assert held.wait(5)
    for n in (2, 3):
        file.add(marked(b"%d" % n), lambda *_, n=n: order.append(n))
    assert order == []
    go.set()
    first.join()  # it took the others' lines along
    assert order == [1, 2, 3]
    assert [checked(line) for line in lines_of(file)] == [b"1", b"2", b"3"]


def test_what_could_not_be_written_is_kept_and_written_when_there_is_room(file, monkeypatch):
    def full(_file, _data):
        raise OSError(28, "No space left on device")

    told = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        for n in (1, 2):
            with pytest.raises(InputError, match="No space left on device"):
                file.add(marked(b"%d" % n), lambda start, _end: told.append(start))
        with pytest.raises(InputError, match="No space left on device"):
            file.sync()
    assert told == []
    file.sync()
    assert [checked(line) for line in lines_of(file)] == [b"1", b"2"]
    assert len(told) == 2
    assert file.flushes == 1


def test_half_a_write_is_an_error_and_the_lines_come_again_whole(file, monkeypatch):
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda where, data: write(where, data[: len(data) // 2]))
        with pytest.raises(InputError, match="no room is left"):
            file.add(marked(b"a line of some length"), lambda *_: None)
    file.add(marked(b"another"), lambda *_: None)
    assert [checked(line) for line in lines_of(file)] == [None, b"a line of some length", b"another"]


def test_a_flush_covers_what_was_added_before_it_and_serves_all(file):
    for n in range(5):
        file.add(marked(b"%d" % n), lambda *_: None)
    file.sync()
    file.sync()
    assert file.flushes == 1
    file.add(marked(b"5"), lambda *_: None)
    file.sync()
    assert file.flushes == 2
