"""[threshold]: what is read, and what is refused by name."""

import pytest
from tests.study.threshold_study import STUDY, make

from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study


def read(tmp_path, before, after):
    assert before in STUDY
    return read_study(make(tmp_path / "s", study=STUDY.replace(before, after))).threshold


def refused(tmp_path, before, after):
    with pytest.raises(InputError) as caught:
        read(tmp_path, before, after)
    told = [f"{one.what} {one.mend}" for one in getattr(caught.value, "problems", (caught.value,))]
    return " ".join(told)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nan", "finite number"),
        ("inf", "finite number"),
        ("-1.5", "outside the scale"),
        ("1.2", "outside the scale"),
        ('"0,7"', "is not a number"),
        ('"0.7"', "is not a number"),
        ("true", "is not a number"),
    ],
)
@pytest.mark.parametrize("key", ["grid", "primary", "relaxation"])
def test_b070_only_finite_numbers_of_the_signals_scale_are_thresholds(tmp_path, key, value, said):
    """B070: NaN, infinities, texts and what lies off the scale are refused by name."""
    before, after = {
        "grid": ("grid = [0.6, 0.7]", f"grid = [0.6, {value}]"),
        "primary": ("primary = 0.6", f"primary = {value}"),
        "relaxation": ("grid = [0.3, 0.4]", f"grid = [0.4, {value}]"),
    }[key]
    told = refused(tmp_path, before, after)
    assert said in told
    assert "study.toml:" in told


def test_07_is_accepted_and_negative_cosines_are(tmp_path):
    assert read(tmp_path, "grid = [0.6, 0.7]", "grid = [-0.5, 0.6, 0.7]").grid == (-0.5, 0.6, 0.7)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("k = 5", "k = 5\nthresholds = [0.5]", "unknown key"),
        ("k = 5", "k = 0", "at least 1"),
        ("k = 5", 'k = 5\nscope = "sources"', "not known"),
        ("k = 5", 'k = 5\nsufficiency = "spans"', "not known"),
        ("k = 5", "k = 5\nwords = 500", "[threshold.corpus]"),
        ("words = 500", "words = 500\nword = 1", "unknown key"),
        ("words = 500", "words = 500\nroles = { guide = 1.5 }", "a number of documents"),
        ('system = "dense"\nk', 'system = "dens"\nk', "no system 'dens'"),
        ("primary = 0.6", "primary = 0.65", "is not in the grid"),
        ("primary = 0.4", "primary = 0.45", "is in neither grid"),
        ("grid = [0.6, 0.7]", "grid = [0.6, 0.6]", "twice"),
        ("grid = [0.6, 0.7]", "grid = []", "a list of numbers"),
        ('reason = "top-1', 'why = "top-1', "has no reason"),
        ("[threshold.corpus]", "[threshold.arms.other]\n[threshold.corpus]", "no chunking 'other'"),
        ("[threshold.corpus]", "[threshold.typing]\n[threshold.corpus]", "has no model"),
        (
            "[threshold.corpus]",
            '[threshold.typing]\nmodel = "recorded:x"\nfile = "x"\n[threshold.corpus]',
            ".json",
        ),
        ("grid = [0.3, 0.4]\nprimary = 0.4\n", "", "changes nothing"),
    ],
)
def test_what_is_wrong_is_said_with_its_mend(tmp_path, before, after, said):
    assert said in refused(tmp_path, before, after)


def test_a_missing_key_is_named(tmp_path):
    assert "has no grid" in refused(tmp_path, "grid = [0.6, 0.7]\n", "")


def test_all_of_it_is_read(tmp_path):
    more = """
[threshold.typing]
model = "openai:gpt"
family = "gpt"
file = "kinds.json"
[threshold.corpus]
roles = { guide = 6 }
seal = "abc"
"""
    plan = read(tmp_path, "[threshold.corpus]", more)
    assert (plan.words, plan.documents, plan.roles, plan.seal) == (500, 27, {"guide": 6}, "abc")
    assert (plan.typist.model, plan.typist.family, plan.typed) == ("openai:gpt", "gpt", "kinds.json")
    assert (plan.added, plan.moved, plan.main) == ((0.3, 0.4), 0.4, 0.4)


def test_question_types_in_a_file_come_back_as_they_went(tmp_path):
    from evenhand.formats.gold.question_types import read_types, write_types
    from evenhand.model.question_types import QuestionTypes

    made = QuestionTypes(types={"q2": "factual", "q1": "\u202e"}, by="model", untyped={"q3": "refused"})
    write_types(tmp_path / "types.json", made)
    assert read_types(tmp_path / "types.json") == made
    assert read_types(tmp_path / "types.json").seal == made.seal
    for text in ("{", "[]", '{"schema": "evenhand.question-types/1", "types": {"q": 1}}'):
        (tmp_path / "types.json").write_text(text)
        with pytest.raises(InputError):
            read_types(tmp_path / "types.json")
