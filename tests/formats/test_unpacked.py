"""A small file that unpacks to gigabytes ends in an error with the figure, and never in the memory."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile
import zlib
from importlib import import_module

import pytest

from evenhand.errors import InputError
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.raw_bytes import open_bytes, read_bytes
from evenhand.formats.runs.trec import read_run
from evenhand.formats.unpacked import VARIABLE, allowed

MIB = 1 << 20
BOMB = bytes(64 * MIB)
PACK = {
    "gz": lambda data: gzip.compress(data, 1),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": lambda data: import_module("zstandard").compress(data),
    "lz4": lambda data: import_module("lz4.frame").compress(data),
}


@pytest.fixture(scope="module")
def bombs():
    return {ending: pack(BOMB) for ending, pack in PACK.items()}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setenv(VARIABLE, "4M")


def peak(work):
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as raised:
            work()
        return raised.value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def zipped(*members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bundle:
        for name, data in members:
            bundle.writestr(name, data)
    return made.getvalue()


def test_what_is_allowed(monkeypatch):
    assert allowed(0) == 256 * MIB
    assert allowed(10 * MIB) == 1000 * MIB  # a large run that is packed well is read
    monkeypatch.setenv(VARIABLE, "8 GiB")
    assert allowed(1) == 8 << 30
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(InputError, match="is 'much'"):
        allowed(1)


@pytest.mark.parametrize("ending", PACK)
def test_packed_files_are_read_block_by_block_up_to_the_limit(tmp_path, bombs, small, ending):
    path = tmp_path / f"run.jsonl.{ending}"
    path.write_bytes(bombs[ending])
    for work in (read_bytes, read_run, lambda path: open_bytes(path, lambda file: file.read())):
        error, most = peak(lambda work=work: work(path))
        assert "unpacks to more than 4 MiB" in error.what
        assert VARIABLE in error.mend
        assert most < 40 * MIB


@pytest.mark.parametrize("ending", PACK)
def test_within_the_limit_all_comes(tmp_path, bombs, ending):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(bombs[ending])
    assert read_bytes(path) == BOMB


def test_a_corpus_of_bombs_is_refused(tmp_path, bombs, small):
    for name in ("corpus.jsonl.gz", "a.txt.gz"):
        (tmp_path / name).write_bytes(bombs["gz"])
        error, most = peak(lambda name=name: read_corpus(tmp_path / name))
        assert "unpacks to more than 4 MiB" in error.what
        assert most < 30 * MIB
    (tmp_path / "in.zip").write_bytes(zipped(("a.txt.gz", bombs["gz"])))
    (tmp_path / "out.zip").write_bytes(zipped(*((f"{i}.txt", bytes(MIB)) for i in range(9))))
    with tarfile.open(tmp_path / "t.tar.xz", "w:xz", preset=0) as tar:
        info = tarfile.TarInfo("a.txt")
        info.size = len(BOMB)
        tar.addfile(info, io.BytesIO(BOMB))
    long_name = tarfile.TarInfo("././@LongLink")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, len(BOMB)
    (tmp_path / "n.tar.gz").write_bytes(gzip.compress(long_name.tobuf() + BOMB, 1))
    for name in ("in.zip", "out.zip", "t.tar.xz", "n.tar.gz"):
        error, most = peak(lambda name=name: read_corpus(tmp_path / name))
        assert "unpacks to more than 4 MiB" in error.what
        assert most < 30 * MIB


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx", "epub"])
def test_an_office_file_is_weighed_before_it_is_parsed(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(zipped(("word/document.xml", b"<a>" + bytes(80 * MIB))))
    assert path.stat().st_size < MIB
    error, most = peak(lambda: read_corpus(path))
    assert "unpacks to more than 64 MiB" in error.what
    assert most < 5 * MIB


def test_a_file_within_a_file_without_end_is_not_followed(tmp_path):
    inner = zipped(("a.txt", b"the innermost text"))
    for _ in range(30):
        inner = zipped(("a.docx", inner), ("a.zip", inner))[:MIB]
    (tmp_path / "a.docx").write_bytes(zipped(("a.docx", inner), ("b.zip", zipped(("c.txt", b"inside")))))
    with pytest.raises(InputError, match=r"cannot be read as \.docx"):
        read_corpus(tmp_path)


def test_a_pdf_is_weighed_before_it_is_drawn(tmp_path, small):
    stream = zlib.compress(BOMB, 9)
    head = b"%PDF-1.4\n1 0 obj<</Length " + str(len(stream)).encode() + b"/Filter/FlateDecode>>stream\n"
    (tmp_path / "a.pdf").write_bytes(head + stream + b"\nendstream endobj\n")
    error, most = peak(lambda: read_corpus(tmp_path))
    assert "unpacks to more than 4 MiB" in error.what
    assert most < 10 * MIB
