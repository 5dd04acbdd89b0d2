import pytest

from evenhand.errors import InputError
from evenhand.formats.study_file.check import read_check, read_margins


def test_margins_of_a_line_end_with_their_last_equals_sign():
    assert read_margins(["R(rel=2)@5=0.05", "0.02", "ndcg_cut_10=0.1"]) == {
        "R(rel=2)@5": 0.05,
        "": 0.02,
        "nDCG@10": 0.1,
    }


@pytest.mark.parametrize("text", ["nDCG@10=", "nDCG@10=nan", "nDCG@10=inf", "=", "nDGC@10=0.1", "lots"])
def test_what_is_no_margin_is_refused(text):
    with pytest.raises(InputError):
        read_margins([text])


def test_a_margin_given_twice_is_refused():
    with pytest.raises(InputError, match="given twice for nDCG@10"):
        read_margins(["nDCG@10=0.1", "ndcg@10=0.2"])


def test_a_file_declares_everything(tmp_path):
    file = tmp_path / "evenhand-check.toml"
    file.write_text(
        '[check]\nbaseline = "b.json"\nsystems = "hybrid"\nagainst = "bm25"\nalpha = 0.025\nadjust = "holm"\n'
        'test = "clusters"\ninconclusive = "pass"\ncommon = true\ncriteria = true\n'
        '[check.margins]\nprimary = 0.02\n"R(rel=2)@5" = 0.05\n'
    )
    fields, lines = read_check(file)
    assert fields == {
        "baseline": tmp_path / "b.json",
        "systems": ("hybrid",),
        "against": "bm25",
        "alpha": 0.025,
        "adjust": "holm",
        "test": "clusters",
        "inconclusive": "pass",
        "common": True,
        "criteria": True,
        "margins": {"": 0.02, "R(rel=2)@5": 0.05},
    }
    assert lines == {"": 12, "R(rel=2)@5": 13}


def test_every_problem_of_a_file_is_told_with_its_line(tmp_path):
    file = tmp_path / "evenhand-check.toml"
    file.write_text('[check]\nadjsut = "holm"\ninconclusive = "skip"\n[check.margins]\n"nDGC@10" = 0.1\n')
    with pytest.raises(InputError) as caught:
        read_check(file)
    told = [one.what for one in caught.value.problems]
    assert len(told) == 3
    assert any(":2 [check] adjsut: unknown key" in one for one in told)
    assert any(":3 [check] inconclusive" in one for one in told)
    assert any(":5 [check.margins] nDGC@10" in one for one in told)
