"""The pilot: scores on dev before registration, without a label."""

import json

import pytest
from tests.study.registering import study

from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.threshold.similarity_pilot import pilot


def test_quantiles_and_shares_are_those_of_the_runs(tmp_path):
    import polars as pl

    file = study(tmp_path / "w")
    made = pilot(read_study(file), file.parent, systems=["tfidf"], k=3, grid=[0.5, 0.4])
    conduct(read_study(file), file.parent)
    run = pl.read_parquet(file.parent / "results" / "runs" / "tfidf.parquet").filter(pl.col("rank") <= 3)
    (row,) = made["systems"]
    assert row["pairs"] == run.height == 54
    assert row["topk"][-1] == run["score"].max()
    assert row["top1"][3] == pytest.approx(run.filter(pl.col("rank") == 1)["score"].median())
    assert [at["threshold"] for at in row["grid"]] == [0.4, 0.5]
    over = run.filter(pl.col("score") >= 0.4)
    assert row["grid"][0]["pairs"] == over.height
    assert row["grid"][0]["questions"] == over["question"].n_unique()
    assert row["grid"][0]["share"] == over["question"].n_unique() / 18


def test_without_a_grid_the_deciles_are_shown_and_each_lets_something_through(tmp_path):
    file = study(tmp_path / "w")
    for row in pilot(read_study(file), file.parent)["systems"]:
        assert row["grid_from"] == "deciles of the scores"
        assert all(at["pairs"] for at in row["grid"])


def test_a_threshold_is_a_finite_number_and_systems_are_known(tmp_path):
    file = study(tmp_path / "w")
    with pytest.raises(InputError, match="not a finite number"):
        pilot(read_study(file), file.parent, grid=[float("nan")])
    with pytest.raises(InputError, match="no system 'tfidv'"):
        pilot(read_study(file), file.parent, systems=["tfidv"])


def test_the_command_prints_tables_or_json_and_writes_nothing(tmp_path, capsys):
    file = study(tmp_path / "w")
    assert main(["study", "pilot", str(file), "--system", "tfidf", "--grid", "0.4"]) == 0
    said = capsys.readouterr().out
    assert "median" in said
    assert "No label was used" in said
    assert main(["study", "pilot", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "evenhand.pilot/1"
    assert not (file.parent / "results").exists()
    assert not (file.parent / "ledger.jsonl").exists()
