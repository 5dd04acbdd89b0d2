import json
import os

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.retrieve.dense.exact import cosine_top
from evenhand.retrieve.vectors.memmap import opened


def safetensors(path, **tensors):
    head, data = {"__metadata__": {"made": "by hand"}}, b""
    for name, array in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64"}[array.dtype.name]
        ends = [len(data), len(data) + array.nbytes]
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": ends}
        data += array.tobytes()
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", ">f4"])
def test_rows_are_what_was_saved_and_nobody_can_write_them(tmp_path, kind):
    rows = np.random.default_rng(1).integers(-99, 99, (50, 7)).astype(kind)
    np.save(tmp_path / "v.npy", rows)
    held = opened(tmp_path / "v.npy")
    assert (len(held), held.shape) == (50, (50, 7))
    assert held.block(48, 9).tolist() == rows[48:].astype(float).tolist()
    assert held.take(np.array([3, 3, 49])).tolist() == rows[[3, 3, 49]].astype(float).tolist()
    with pytest.raises(ValueError, match="read-only"):
        held.array[0, 0] = 1
    held.unchanged()
    os.utime(tmp_path / "v.npy", (1, 1))
    with pytest.raises(InputError, match="changed while it was read"):
        held.unchanged()


def test_one_tensor_of_several(tmp_path):
    one = np.arange(6, dtype=np.float16).reshape(3, 2)
    path = safetensors(tmp_path / "v.safetensors", units=one, other=one[:1] + 1)
    assert opened(path, tensor="units").block(0, 9).tolist() == one.tolist()
    assert opened(path, tensor="other").block(0, 9).tolist() == [[1, 2]]
    with pytest.raises(InputError, match="holds 2 tensors") as told:
        opened(path)
    assert "other, units" in told.value.mend
    with pytest.raises(InputError, match="no tensor 'unit'") as told:
        opened(path, tensor="unit")
    assert "units" in told.value.mend


def test_the_packages_own_file_reads_the_same(tmp_path):
    save = pytest.importorskip("safetensors.numpy").save_file
    rows = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    save({"v": rows}, str(tmp_path / "v.safetensors"))
    assert opened(tmp_path / "v.safetensors").block(0, 9).tolist() == rows.astype(float).tolist()


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda p: (p / "v.npy").write_bytes(b"nothing"), "no .npy file"),
        (lambda p: np.save(p / "v.npy", np.zeros(4)), "shape"),
        (lambda p: np.save(p / "v.npy", np.zeros((4, 2), dtype=int)), "i8 of shape"),
        (lambda p: np.save(p / "v.npy", np.asfortranarray(np.ones((4, 2)))), "column after column"),
        (lambda p: None, "cannot be read"),
    ],
)
def test_what_is_no_matrix_is_refused(tmp_path, made, says):
    made(tmp_path)
    with pytest.raises(InputError, match=says):
        opened(tmp_path / "v.npy", where="units")


def test_a_file_that_ends_early_or_is_of_another_kind_is_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((4, 2), dtype=np.float32))
    whole = (tmp_path / "v.npy").read_bytes()
    (tmp_path / "v.npy").write_bytes(whole[:-3])
    with pytest.raises(InputError, match="lacks 3 bytes"):
        opened(tmp_path / "v.npy")
    with pytest.raises(InputError, match=r"is no \.npy or \.safetensors"):
        opened(tmp_path / "v.bin")
    for data in (b"", b"\xff" * 40, (5).to_bytes(8, "little") + b"[1,2]"):
        (tmp_path / "v.safetensors").write_bytes(data)
        with pytest.raises(InputError, match=r"no .safetensors file|tensors"):
            opened(tmp_path / "v.safetensors")


def test_search_over_a_file_is_search_over_the_array_whatever_the_block_and_the_memory(tmp_path):
    rng = np.random.default_rng(5)
    held = rng.normal(size=(700, 12)).astype(np.float16)
    held[rng.integers(0, 700, 60)] = held[0]  # ties
    held[::97] = 0
    asked = rng.normal(size=(1100, 12)).astype(np.float32)
    np.save(tmp_path / "units.npy", held)
    plain, *counts = cosine_top(asked, held, 20)
    for block, memory in ((64, 1), (701, 1024)):
        told = []
        rows, *same = cosine_top(
            asked,
            opened(tmp_path / "units.npy"),
            20,
            block=block,
            memory=memory,
            progress=lambda *one, told=told: told.append(one),
        )
        assert same == counts
        assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(rows, plain, strict=True))
        assert (
            told[-1][1] == told[-1][2] == 700 * (3 if memory == 1 else 1)
        )  # 1,100 questions in rounds of 512
