"""A GPU is not here: torch's shape is stood in for by numpy, with and without what makes it less exact."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from evenhand.errors import InputError, MissingExtra
from evenhand.retrieve.dense.exact import cosine_top
from evenhand.retrieve.dense.gpu import Torch, device_of
from evenhand.retrieve.dense.matmul import HOST


class Tensor:
    """The few verbs of a tensor that are used, on numpy; a product is rounded as the stand-in was told."""

    def __init__(self, array, torch):
        self.array, self.torch = array, torch

    def to(self, device):
        assert device == self.torch.device
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array

    @property
    def T(self):  # noqa: N802
        return Tensor(self.array.T, self.torch)

    def __getitem__(self, key):
        key = tuple(k.array if isinstance(k, Tensor) else k for k in key)
        return Tensor(self.array[key], self.torch)

    def __ge__(self, other):
        return Tensor(self.array >= other.array, self.torch)

    def __matmul__(self, other):
        assert self.torch.precision == "highest"
        return Tensor(self.torch.product(self.array, other.array), self.torch)


class Stand:
    """torch, as far as it is used."""

    def __init__(self, gpus=1, product=np.matmul):
        self.device, self.precision, self.product = "cuda", "high", product
        self.cuda = SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus)

    def from_numpy(self, array):
        assert array.flags.c_contiguous
        return Tensor(array, self)

    def topk(self, near, k, *, dim, sorted):  # noqa: A002
        assert (dim, sorted) == (1, True)
        return SimpleNamespace(values=Tensor(-np.sort(-near.array, axis=1)[:, :k], self))

    def nonzero(self, mask):
        return Tensor(np.argwhere(mask.array), self)

    def get_float32_matmul_precision(self):
        return self.precision

    def set_float32_matmul_precision(self, value):
        self.precision = value


def backwards(a, b):
    """The same product, summed in another order."""
    return np.ascontiguousarray(a[:, ::-1]) @ np.ascontiguousarray(b[::-1])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    held = rng.normal(size=(900, 48)).astype("f4")
    held[::50] = 0
    held[1::7] = held[1]
    return rng.normal(size=(40, 48)).astype("f4"), held


@pytest.mark.parametrize("product", [np.matmul, backwards])
def test_the_same_ranking_whatever_device_proposes(rows, product):
    torch = Stand(product=product)
    plain = cosine_top(*rows, 25, block=128)
    other = cosine_top(*rows, 25, block=200, products=Torch(torch, "cuda"))
    assert other[1:] == plain[1:]
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(plain[0], other[0], strict=True))
    assert torch.precision == "high"  # as it was found


def test_products_that_are_rounded_away_are_found_out(rows):
    def tf32(a, b):
        return a.astype(np.float16).astype("f4") @ b.astype(np.float16).astype("f4")

    with pytest.raises(InputError, match="less exact than float32") as told:
        cosine_top(*rows, 25, products=Torch(Stand(product=tf32), "cuda"))
    assert "cpu" in told.value.mend


def test_which_device_is_taken(monkeypatch):
    import importlib.util

    assert device_of("cpu") is HOST
    monkeypatch.setitem(sys.modules, "torch", Stand(gpus=2))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert device_of("cuda:1").name == "cuda:1"
    assert device_of("auto").name == "cuda"
    with pytest.raises(InputError, match="torch sees 2 GPUs"):
        device_of("cuda:2")
    monkeypatch.setitem(sys.modules, "torch", Stand(gpus=0))
    assert device_of("auto") is HOST
    with pytest.raises(InputError, match="torch sees no GPU"):
        device_of("cuda")
    for name in ("gpu", "cuda:", "cuda:x", ""):
        with pytest.raises(InputError, match="device is"):
            device_of(name)


def test_without_torch_the_extra_is_named(monkeypatch):
    import importlib.util

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert device_of("auto") is HOST
    with pytest.raises(MissingExtra) as told:
        device_of("cuda")
    assert "evenhand[torch]" in told.value.mend
