"""Five thousand questions, ten systems: all pages come from one reading of the report and of what lies beside it.

How quickly, `python -m benchmarks workbench` shows.
"""

import copy
import hashlib

import numpy as np
import polars as pl
import pytest
from tests.report.example import example
from tests.web.house import client
from tests.web.workbench.test_studies import address, shelve

from evenhand.formats.results import baseline_sides, folder, ranks
from evenhand.report.output import html
from evenhand.report.sections.comparison.per_question import DRILLED, LISTED
from evenhand.store.open import create_store

QUESTIONS, SYSTEMS = 5_000, 10


@pytest.fixture
def large(tmp_path):
    """A results folder as large as a report gets at this size."""
    report, dice = example(), np.random.default_rng(1)
    asked = report["questions"]
    names = [f"system {i}" for i in range(SYSTEMS)]
    base = next(row for row in asked["rows"] if row["found"])
    rows = []
    for i in range(LISTED):
        row = {**copy.deepcopy(base), "id": f"q{i:05d}", "undefined": []}
        row["values"] = dice.random((SYSTEMS, len(asked["metrics"]))).round(6).tolist()
        row["found"] = [base["found"][0]] * SYSTEMS if i < DRILLED else None
        rows.append(row)
    asked |= {"rows": rows, "systems": names, "of": QUESTIONS, "listed": LISTED, "drilled": DRILLED}
    one = report["estimates"][0]
    report["estimates"] = [{**one, "system": s, "metric": m} for s in names for m in asked["metrics"]]
    report["systems"] = [{**report["systems"][0], "name": s} for s in names]
    pair = report["contrasts"][0]
    report["contrasts"] = [{**pair, "a": a, "b": b} for i, a in enumerate(names) for b in names[:i]]
    report["standing"] |= {"leader": names[0], "in_play": names[:3], "best": dict.fromkeys(names, 0.1)}
    report["slices"] = []
    place = shelve(tmp_path / "results", report)
    ids = [f"q{i:05d}" for i in range(QUESTIONS)]
    frames = [
        pl.DataFrame({"question": ids, "value": (dice.random(QUESTIONS) > 0.3).astype(float)}).with_columns(
            system=pl.lit(s), metric=pl.lit(m), undefined=pl.lit(None, dtype=pl.String)
        )
        for s in names
        for m in asked["metrics"]
    ]
    pl.concat(frames).write_parquet(place / "measurements.parquet")
    listing = (
        f"{hashlib.sha256((place / name).read_bytes()).hexdigest()}  {name}\n"
        for name in ("report.json", "measurements.parquet")
    )
    (place / "MANIFEST.sha256").write_text("".join(listing))
    store = create_store(tmp_path / "s.sqlite")
    yield client(store, "me", "owner", results=[place])
    store.close()


def test_what_is_read_for_the_first_page_serves_all_of_them(large, monkeypatch):
    read = []

    def telling(name, ours):
        def told(*given):
            read.append(name)
            return ours(*given)

        return told

    for module, name in (
        (folder, "read_report"),
        (baseline_sides, "read_results"),
        (ranks, "read_ranks"),
        (html, "view"),
    ):
        monkeypatch.setattr(module, name, telling(name, getattr(module, name)))
    base = address(large)
    large.app.warm()
    for path in ("/studies", base, f"{base}/questions", f"{base}/questions/q00003", f"{base}/failures"):
        for _ in range(2):
            assert large.get(path).status_code == 200
    assert sorted(read) == ["read_ranks", "read_report", "read_results", "view"]
    page = large.get(f"{base}/failures.json?kind=alone").json()
    assert page["whole"]
    assert page["of"] == QUESTIONS
    unlisted = large.get(f"{base}/questions/q04999.json").json()
    assert not unlisted["listed"]
    assert len(unlisted["values"]) == SYSTEMS
    assert large.get(f"{base}/questions/q04999").status_code == 200
