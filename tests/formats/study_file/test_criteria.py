"""The section ``[criteria]``: every mistake is told at its line."""

import pytest
from tests.miniature import CRITERIA, STUDY, make

from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study


def read(tmp_path, criteria):
    return read_study(make(tmp_path / "w", study=STUDY + criteria))


def test_criteria_are_read_with_one_spelling_of_each_metric(tmp_path):
    plan = read(tmp_path, CRITERIA + 'old = { on = "bm25.ndcg_cut_10", at_most = 1 }\n')
    assert [one.name for one in plan.criteria] == ["good", "sure", "near", "old"]
    assert plan.criteria[3].on == "bm25.nDCG@10"
    assert plan.criteria[2].on == "both-minus-bm25.nDCG@10"
    assert plan.criteria[1].by == "lower"
    assert plan.as_json()["criteria"][0]["at_least"] == 0.2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = 3", "expected a table for each criterion"),
        ("x = { at_least = 1 }", "does not say which number"),
        ('x = { on = "bm25.nDCG@10" }', "needs one of at_least and at_most, and has neither"),
        ('x = { on = "bm25.nDCG@10", at_least = 1, at_most = 1 }', "and has both"),
        ('x = { on = "bm25.nDCG@10", at_least = "1" }', "found '1', expected a number"),
        ('x = { on = "bm25.nDCG@10", at_least = true }', "found True, expected a number"),
        ('x = { on = "bm25.nDCG@10", at_least = nan }', "expected a finite number"),
        ('x = { on = "bm25.nDCG@10", at_least = 0.5, by = "uper" }', "did you mean 'upper'"),
        ('x = { on = "bm25.nDCG@10", at_least = 0.5, by = "upper" }', "fulfils every at_least"),
        ('x = { on = "bm25.nDCG@10", at_most = 0.5, by = "lower" }', "fulfils every at_most"),
        ('x = { on = "bm25.nDCG@10", at_least = 0.5, level = 95 }', "at least 0.5 and below 1"),
        (
            'x = { on = "bm25.nDCG@10", at_least = 0.5, role = "hope" }',
            "use one of: descriptive, success, trust",
        ),
        ('x = { on = "bm25.nDCG@10", at_leest = 0.5 }', "did you mean 'at_least'"),
        ('x = { on = "bm26.nDCG@10", at_least = 0.5 }', "did you mean 'bm25'"),
        ('x = { on = "bm25.nDCC@10", at_least = 0.5 }', "did you mean 'nDCG'"),
    ],
)
def test_a_mistake_names_the_line_and_the_mend(tmp_path, line, said):
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"[criteria]\n{line}\n")
    every = getattr(caught.value, "problems", (caught.value,))
    assert any(said in str(one) for one in every), [str(one) for one in every]
    assert all("study.toml:" in one.what for one in every)


def test_a_number_that_will_not_be_measured_is_refused_before_any_work(tmp_path):
    from evenhand.study.comparison.run import conduct

    plan = read(tmp_path, '[criteria]\nx = { on = "bm25.P@5", at_least = 0.5 }\n')
    with pytest.raises(InputError, match=r"'P@5' is not measured"):
        conduct(plan, tmp_path / "w")
    assert not (tmp_path / "w" / "results").exists()
