"""A disk that is full: whoever writes says so, leaves what was there, and leaves nothing of its own."""

import resource
from contextlib import contextmanager

import numpy as np
import pytest

from evenhand.errors import EvenhandError
from evenhand.formats.atomic import write_whole
from evenhand.formats.raw_bytes import write_bytes
from evenhand.formats.results.folder import renew_page, write_new, write_results
from evenhand.formats.results.report_file import write_text
from evenhand.llm.batch.files import write_rows
from evenhand.store.blobs import Blobs

DICE = np.random.default_rng(3)
LARGE = DICE.bytes(300_000)  # which no packing makes small
TEXT = LARGE.hex()


@contextmanager
def full(size=20_000):
    """No file may become larger, as on a disk that has no more room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _cache(folder):
    Blobs(folder).put("runs", "key", {"x": DICE.random(100_000)})


WRITERS = {
    "results": lambda folder: write_results(folder, {"a.json": b"{}", "runs/b.parquet": LARGE}),
    "page": lambda folder: renew_page(folder / "report.json", LARGE),
    "new folder": lambda folder: write_new(folder / "new", {"a": b"x", "b": LARGE}),
    "bytes": lambda folder: write_bytes(folder / "a.bin", LARGE),
    "packed": lambda folder: write_bytes(folder / "a.bin.gz", LARGE),
    "text": lambda folder: write_text(folder / "a.txt", TEXT),
    "rows": lambda folder: write_rows(folder / "a.jsonl", ({"x": TEXT[:1000]} for _ in range(100))),
    "cache": _cache,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_leaves_no_temporary_file(tmp_path, writer):
    (tmp_path / "a.txt").write_text("before")
    there = {".gitignore", "a.txt"}
    with full(), pytest.raises(EvenhandError, match=r"cannot be (written|made)"):
        WRITERS[writer](tmp_path)
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left <= there, left
    assert (tmp_path / "a.txt").read_text() == "before"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_stops_a_write_leaves_nothing(tmp_path, monkeypatch, error):
    def stopped(*_):
        raise error

    monkeypatch.setattr("pathlib.Path.chmod", stopped)
    with pytest.raises(type(error)):
        write_whole(tmp_path / "a", b"x")
    assert list(tmp_path.iterdir()) == []
