"""What lies beside a report explains each of its values, down to the deepest rank."""

import hashlib
import io
import json

import numpy as np
import polars as pl
import pytest
from tests.miniature import make

import evenhand as eh
from evenhand.errors import SealBroken
from evenhand.formats.results.parquet import qrels_parquet
from evenhand.formats.results.ranks import read_ranks
from evenhand.formats.results.folder import MANIFEST
from evenhand.model.run import Qrels


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    study = make(tmp_path_factory.mktemp("ranks") / "s")
    return eh.conduct(eh.read_study(study), study.parent)


def test_grades_are_a_row_each_with_what_they_cover():
    qrels = Qrels(
        ("q", "p", "r"), np.array([0, 2, 2, 3]), np.array([1, 0, 1], dtype=np.int32), np.array([2.0, 0.0, 1.0]),
        ("a", "b"), covers=np.array([[2, 1], [0, 1], [0, 0]], dtype=np.int32), label=np.array([1, 0, 2], dtype=np.int8),
    )  # fmt: skip
    frame = pl.read_parquet(io.BytesIO(qrels_parquet({"c": qrels, "none": Qrels.of({"q": {}})})))
    assert frame.to_dict(as_series=False) == {
        "chunking": ["c"] * 3, "question": ["q", "q", "r"], "unit": ["b", "a", "b"], "grade": [2.0, 0.0, 1.0],
        "label": ["evidence", "people", "panel"], "facts": [[0, 1], [], [1]], "excluded": [False] * 3,
    }  # fmt: skip


def test_each_graded_hit_stands_at_its_rank_and_the_ideal_is_all_that_is_graded(results):
    ranks = read_ranks(results.folder / "report.json", results.report)
    told = results.report["questions"]
    grades = pl.read_parquet(results.folder / "qrels.parquet")
    assert set(ranks.cut) == set(told["systems"])
    seen = 0
    firsts = {(question, system): rank for question, system, rank in ranks.firsts()}
    for row in told["rows"]:
        if row["found"] is None:
            continue
        beside = ranks.of(row["id"])
        for name, found in zip(told["systems"], row["found"], strict=True):
            if found is None:
                continue
            one = beside[name]
            assert one.depth == found["depth"]
            assert firsts.get((row["id"], name)) == found["first"]
            top = [(i, hit["grade"]) for i, hit in enumerate(found["top"], 1) if hit["grade"] is not None]
            assert [(rank, grade) for rank, grade, _ in one.graded if rank <= len(found["top"])] == top
            asked = grades.filter((pl.col("question") == row["id"]) & (pl.col("chunking") == ranks.cut[name]))
            assert list(one.known) == sorted(asked["grade"].to_list(), reverse=True)
            seen += len(one.graded)
    assert seen > 0
    assert all(one.depth == 0 and one.graded == () for one in ranks.of("nowhere").values())


def test_a_file_that_was_changed_is_refused_and_one_that_is_not_there_tells_nothing(results, tmp_path):
    for path in results.folder.rglob("*"):
        if path.is_file():
            place = tmp_path / path.relative_to(results.folder)
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(path.read_bytes())
    report, told = tmp_path / "report.json", json.loads((tmp_path / "report.json").read_bytes())
    assert read_ranks(report, told) is not None
    listing = (tmp_path / MANIFEST).read_text(encoding="utf-8")
    assert hashlib.sha256((tmp_path / "qrels.parquet").read_bytes()).hexdigest() in listing
    whole = (tmp_path / "qrels.parquet").read_bytes()
    (tmp_path / "qrels.parquet").write_bytes(whole + b" ")
    with pytest.raises(SealBroken, match=r"qrels\.parquet is not the file"):
        read_ranks(report, told)
    (tmp_path / "qrels.parquet").unlink()
    assert read_ranks(report, told) is None


def test_what_is_taken_out_of_a_ranking_lets_the_others_move_up():
    from evenhand.formats.results.ranks import _without

    run = pl.DataFrame(
        {"question": ["q"] * 3, "unit": ["a", "b", "c"], "rank": pl.Series([1, 2, 3], dtype=pl.Int32)}
    )
    units = pl.DataFrame({"question": ["q"], "unit": ["a"], "excluded": [True]})
    assert _without(run, units).to_dict(as_series=False) == {
        "question": ["q"] * 2,
        "unit": ["b", "c"],
        "rank": [1, 2],
    }
