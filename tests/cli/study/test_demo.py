"""The built-in study."""

import pytest

from evenhand.cli.main import main
from evenhand.cli.study import demo
from evenhand.formats.study_file.read import read_study


@pytest.mark.parametrize("name", ["study.toml", "lexical.toml"])
def test_both_studies_of_the_handbook_can_be_read(name):
    plan = read_study(demo.handbook() / name)
    assert plan.measure.primary == "nDCG@10"
    assert plan.compare.null == ("random",)


def test_the_lexical_study_needs_no_model():
    assert "dense" not in {system.what for system in read_study(demo.handbook() / "lexical.toml").systems}


def test_without_the_dense_extra_the_words_are_compared_and_that_is_said(monkeypatch, tmp_path, capsys):
    asked = []
    monkeypatch.setattr(demo, "wanting", lambda: ["onnxruntime"])
    monkeypatch.setattr(demo, "show_study", lambda study, **_: asked.append(study.name))
    assert main(["demo", "--out", str(tmp_path)]) == 0
    assert asked == ["lexical.toml"]
    assert "onnxruntime" in capsys.readouterr().err


def test_an_installation_without_the_study_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "a" / "b" / "c" / "d" / "demo.py"))
    with pytest.raises(Exception, match="not installed"):
        demo.handbook()
