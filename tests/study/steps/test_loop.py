"""The loop over steps: what is made from the same things is not made again."""

import json

import numpy as np
import pytest

from evenhand.store.blobs import Blobs
from evenhand.study.steps.loop import Artifacts, Step, perform
from evenhand.study.steps.serialize import arrays_form, bytes_form, json_form


@pytest.fixture
def blobs(tmp_path):
    return Blobs(tmp_path / "cache")


def chain(calls, *, first=1, code="a"):
    """Two steps, the second made from the first."""

    def one(larder):
        calls.append("one")
        return {"value": larder["given"] % 10}

    def two(larder):
        calls.append("two")
        return {"value": larder["one"]["value"] * 2}

    return [
        Step(makes="one", needs=("given",), work=one, settings={"first": first}, code=code, form=json_form()),
        Step(makes="two", needs=("one",), work=two, code="b", form=json_form()),
    ]


def run(blobs, calls, given=3, **more):
    larder = Artifacts({"given": (str(given), given)})
    return perform(chain(calls, **more), blobs, larder)


def test_what_was_made_from_the_same_is_taken_from_the_cache(blobs):
    calls = []
    assert run(blobs, calls)["two"] == {"value": 6}
    larder = run(blobs, calls)
    assert larder["two"] == {"value": 6}
    assert calls == ["one", "two"]
    assert larder.fresh == []


@pytest.mark.parametrize("change", [{"given": 4}, {"first": 2, "given": 4}, {"code": "c", "given": 4}])
def test_a_changed_input_setting_or_code_makes_a_step_run_again(blobs, change):
    calls = []
    run(blobs, calls)
    run(blobs, calls, **change)
    assert calls == ["one", "two", "one", "two"]


def test_a_step_that_comes_out_the_same_does_not_make_later_ones_run(blobs):
    calls = []
    run(blobs, calls, given=3)
    run(blobs, calls, given=13)
    assert calls == ["one", "two", "one"]


def test_nothing_is_loaded_that_nobody_asks_for(blobs):
    calls = []
    run(blobs, calls)
    reads = blobs.reads
    larder = run(blobs, calls)
    assert blobs.reads == reads
    assert larder["two"] == {"value": 6}
    assert blobs.reads == reads + 1


def test_a_step_that_fails_keeps_what_was_finished_before(blobs):
    calls = []
    steps = chain(calls)
    failing = Step(makes="two", needs=("one",), work=lambda _: 1 / 0, form=json_form())
    with pytest.raises(ZeroDivisionError):
        perform([steps[0], failing], blobs, Artifacts({"given": ("3", 3)}))
    run(blobs, calls)
    assert calls == ["one", "two"]


def test_a_damaged_artefact_is_made_again(blobs, tmp_path):
    calls = []
    run(blobs, calls)
    (file,) = (tmp_path / "cache" / "two").glob("*.npz")
    file.write_bytes(file.read_bytes()[:40])
    assert run(blobs, calls)["two"] == {"value": 6}
    assert calls == ["one", "two", "two"]


def test_a_first_run_sees_what_a_later_one_sees(blobs):
    step = Step(makes="x", needs=(), work=lambda _: {"b": 1, "a": (2,)}, form=json_form())
    first, later = (perform([step], blobs, Artifacts({}))["x"] for _ in range(2))
    assert list(first) == list(later) == ["a", "b"]
    assert first == later


def test_what_is_made_again_after_damage_is_as_it_comes_out_of_the_cache_and_heals_it(blobs, tmp_path):
    step = Step(makes="x", needs=(), work=lambda _: {"b": 1, "a": (2,)}, form=json_form())
    whole = perform([step], blobs, Artifacts({}))["x"]
    (file,) = (tmp_path / "cache" / "x").glob("*.npz")
    kept = file.read_bytes()
    file.write_bytes(kept[:40])
    again = perform([step], blobs, Artifacts({}))["x"]
    assert list(again) == list(whole) == ["a", "b"]
    assert again == whole
    assert file.read_bytes() == kept


def test_a_step_without_a_form_is_done_when_it_is_asked_for(blobs):
    calls = []
    step = Step(makes="late", needs=(), work=lambda _: calls.append("late") or 5)
    larder = perform([step], blobs, Artifacts({}))
    assert calls == []
    assert (larder["late"], larder["late"]) == (5, 5)
    assert calls == ["late"]


@pytest.mark.parametrize(
    ("form", "thing"),
    [
        (json_form(), {"a": [1, None, "ü", 0.1]}),
        (bytes_form(), b"\x00\xffabc"),
        (bytes_form(), b""),
        (arrays_form(), None),
    ],
)
def test_forms_give_back_what_they_were_given(form, thing):
    assert form.unpack(form.pack(thing), Artifacts({})) == thing


def test_arrays_come_back_with_their_types():
    form = arrays_form()
    back = form.unpack(form.pack({"n": np.arange(3, dtype=np.int16)}), Artifacts({}))
    assert back["n"].dtype == np.int16
    assert back["n"].tolist() == [0, 1, 2]


def test_equal_content_has_one_seal_and_other_content_another():
    form = json_form()
    seals = [form.seal(thing, form.pack(thing)) for thing in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1})]
    assert seals[0] == seals[1] != seals[2]
    assert json.dumps(seals)


def test_what_is_not_whole_is_used_and_made_again(blobs):
    made = []

    def work(larder):
        made.append(len(made))
        return {"n": len(made)}

    step = Step(makes="thing", needs=(), work=work, form=json_form(), whole=lambda thing: thing["n"] > 1)
    later = Step(makes="later", needs=("thing",), work=lambda larder: larder["thing"]["n"], form=json_form())
    assert perform([step, later], blobs, Artifacts({}))["later"] == 1
    assert perform([step, later], blobs, Artifacts({}))["later"] == 2
    assert perform([step, later], blobs, Artifacts({}))["later"] == 2
    assert made == [0, 1]


def test_what_is_to_be_made_anew_is_made_on_every_run_and_alone(blobs):
    made = []
    step = Step(makes="thing", needs=(), work=lambda _: made.append("thing"), form=json_form(), anew=True)
    later = Step(makes="later", needs=("thing",), work=lambda _: made.append("later"), form=json_form())
    for _ in range(2):
        perform([step, later], blobs, Artifacts({}))
    assert made == ["thing", "later", "thing"]
