"""Matrix products on a GPU through torch: it proposes as numpy does, and float64 decides here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.plugins import need
from evenhand.retrieve.dense.matmul import HOST, Products

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Torch", "device_of"]


def device_of(name: str) -> Products:
    """Where products run: ``cpu`` is numpy; ``cuda`` or ``cuda:N`` torch; ``auto`` a GPU when torch sees one.

    torch is imported only for the last two, and for ``auto`` only when it is installed. Raises InputError for
    a name that is none of these and for a GPU that is not there, `MissingExtra` where torch is not installed.
    """
    if name == "cpu":
        return HOST
    kind, _, number = name.partition(":")
    if name != "auto" and (kind != "cuda" or (":" in name and not number.isdecimal())):
        raise InputError(
            f"device is {name!r}",
            mend='write device = "cpu", "cuda", "cuda:1" or "auto" (a GPU when there is one)',
        )
    if name == "auto":
        from importlib.util import find_spec

        if find_spec("torch") is None:
            return HOST
    torch = need("torch", extra="torch")
    there = int(torch.cuda.device_count()) if torch.cuda.is_available() else 0
    if name == "auto":
        return Torch(torch, "cuda") if there else HOST
    if int(number or 0) >= there:
        raise InputError(
            f"device is {name!r}, and torch sees {there or 'no'} GPU{'s' if there > 1 else ''}",
            mend='write device = "cpu", or "auto"',
        )
    return Torch(torch, name)


class Torch:
    """Products of torch tensors in float32; only what reaches the floor comes back from the device.

    TF32 would round the factors to 10 bits: it is switched off while a product runs.
    """

    def __init__(self, torch: Any, device: str) -> None:
        self.torch, self.name = torch, device

    def hold(self, directions: NDArray[np.float32]) -> Any:
        """The rows on the device."""
        return self.torch.from_numpy(np.ascontiguousarray(directions)).to(self.name)

    def times(self, asked: Any, held: Any) -> Any:
        """Every row with every row, on the device."""
        before = self.torch.get_float32_matmul_precision()
        self.torch.set_float32_matmul_precision("highest")
        try:
            return asked @ held.T
        finally:
            self.torch.set_float32_matmul_precision(before)

    def kth(self, near: Any, k: int) -> NDArray[np.float32]:
        """By the device's own selection."""
        return np.asarray(self.torch.topk(near, k, dim=1, sorted=True).values[:, -1].cpu().numpy())

    def above(
        self, near: Any, floor: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Row, column and value."""
        place = self.torch.nonzero(near >= self.hold(floor)[:, None])
        row, column = place[:, 0], place[:, 1]
        value = near[row, column].cpu().numpy()
        return row.cpu().numpy(), column.cpu().numpy(), np.asarray(value)
