import multiprocessing
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.store.blobs import Blobs, safe_name

NAMES = [
    *(
        "org/embed:v1",
        "Lauf 2024-05-01T10:00:00",
        "CON",
        "a?b*c",
        "trailing. ",
        "../../up",
        "x" * 300,
        "Ärger",
    ),
    *("org_embed_v1", "con", "con.npz", "", ".", "..", "ärger", "A\u0308rger", "nul.txt", "a", "A", "x\x00y"),
]
DEVICES = {"con", "prn", "aux", "nul", *(f"{d}{i}" for d in ("com", "lpt") for i in range(10))}


def _valid(name):
    assert re.fullmatch(r"[a-z0-9._~-]{1,64}", name)
    assert not name.endswith((".", " "))
    assert name not in (".", "..")
    assert name.split(".")[0] not in DEVICES


def test_names_are_valid_everywhere_and_none_is_shared_b079(tmp_path):
    made = [safe_name(name) for name in NAMES]
    for name in made:
        _valid(name)
        assert (tmp_path / name).resolve().parent == tmp_path.resolve()
    assert len({unicodedata.normalize("NFD", name).casefold() for name in made}) == len(NAMES)
    assert safe_name("fixed-200") == "fixed-200"


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=150)
def test_two_names_never_share_a_file(one, two):
    _valid(safe_name(one))
    assert (safe_name(one).casefold() == safe_name(two).casefold()) == (one == two)


def test_a_made_name_given_again_is_not_mistaken_for_the_first():
    assert safe_name(safe_name("a?b")) != safe_name("a?b")


def test_columns_come_back_with_type_and_shape(tmp_path):
    blobs = Blobs(tmp_path / "cache")
    assert blobs.get("embeddings", "k") is None
    columns = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.zeros(0, dtype=np.int64)}
    blobs.put("embeddings", "k", columns, {"name": "org/embed:v1"})
    found = blobs.get("embeddings", "k")
    assert found.keys() == columns.keys()
    for name, column in columns.items():
        assert found[name].dtype == column.dtype
        assert np.array_equal(found[name], column)
    assert blobs.meta("embeddings", "k")["meta"]["name"] == "org/embed:v1"
    assert (blobs.misses, blobs.writes, blobs.reads) == (1, 1, 1)


def test_equal_columns_make_equal_bytes(tmp_path):
    for name in "ab":
        Blobs(tmp_path / name).put("kind", "k", {"y": np.ones(3), "x": np.zeros(2)})
    one, two = (next((tmp_path / name).rglob("*.npz")).read_bytes() for name in "ab")
    assert one == two


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "text", "moved", "other column"])
def test_a_damaged_blob_is_never_read_and_is_said(tmp_path, harm, caplog):
    blobs = Blobs(tmp_path)
    blobs.put("kind", "k", {"a": np.arange(1000)})
    path = blobs.path("kind", "k")
    data = bytearray(path.read_bytes())
    if harm == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif harm == "flip":
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    elif harm == "empty":
        path.write_bytes(b"")
    elif harm == "text":
        path.write_text("not an archive")
    elif harm == "moved":
        blobs.put("kind", "other", {"a": np.arange(1000) + 1})
        blobs.path("kind", "other").replace(path)
    else:
        with np.load(path) as held:
            columns = {name: held[name] for name in held.files}
        columns["a"] = columns["a"] + 1
        with path.open("wb") as file:
            np.savez(file, **columns)
    assert blobs.get("kind", "k") is None
    assert blobs.damaged == ["kind k"]
    assert "damaged" in caplog.text
    blobs.put("kind", "k", {"a": np.arange(3)})
    assert blobs.get("kind", "k")["a"].tolist() == [0, 1, 2]


def test_objects_are_not_stored_and_a_file_is_no_folder(tmp_path):
    with pytest.raises(InputError, match="objects"):
        Blobs(tmp_path).put("kind", "k", {"a": np.array([{}], dtype=object)})
    assert list(tmp_path.rglob("*.*")) == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a folder"):
        Blobs(tmp_path / "file")


def _write(root, seed):
    blobs = Blobs(root)
    for i in range(20):
        blobs.put("kind", f"k{i}", {"a": np.full(2000, i)}, {"by": seed})
        found = blobs.get("kind", f"k{i}")
        assert found is not None
        assert (found["a"] == i).all()
    assert blobs.damaged == []


def test_two_processes_may_share_a_folder(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(tmp_path, seed)) for seed in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_folder_that_cannot_be_written_is_told_in_two_lines(tmp_path):
    blobs = Blobs(tmp_path)
    (tmp_path / "kind").write_text("a file where the folder should be")
    with pytest.raises(InputError, match="cannot be written"):
        blobs.put("kind", "k", {"a": np.ones(2)})


def test_a_new_cache_keeps_itself_out_of_git_and_an_old_folder_is_left_as_it_is(tmp_path):
    Blobs(tmp_path / "new").put("k", "a", {})
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"
    (tmp_path / "old").mkdir()
    Blobs(tmp_path / "old").put("k", "a", {})
    assert [path.name for path in (tmp_path / "old").iterdir()] == ["k"]
