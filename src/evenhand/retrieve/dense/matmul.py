"""Where the matrix products of exact search run: here, or on another device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOST", "Products"]


class Products(Protocol):
    """Products of directions in float32; what they propose is decided elsewhere, in float64.

    What `hold` and `times` return stays on the device and is only handed back to the same object.
    """

    name: str

    def hold(self, directions: NDArray[np.float32]) -> Any:
        """Take rows of length 1, float32[n, d]."""

    def times(self, asked: Any, held: Any) -> Any:
        """Every row of *asked* with every row of *held*: q × n, each sum in float32 or better."""

    def kth(self, near: Any, k: int) -> NDArray[np.float32]:
        """The *k*-th largest of each row, float32[q]; there are more than *k* in a row."""

    def above(
        self, near: Any, floor: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Row, column and value of all that is at least the *floor* of its row."""


class Host:
    """numpy, and the BLAS it was built with."""

    name = "the CPU"

    def hold(self, directions: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same."""
        return directions

    def times(self, asked: Any, held: Any) -> NDArray[np.float32]:
        """float32[q, n]."""
        return np.asarray(asked @ held.T)

    def kth(self, near: Any, k: int) -> NDArray[np.float32]:
        """By a partition of each row."""
        place = near.shape[1] - k
        return np.asarray(np.partition(near, place, axis=1)[:, place])

    def above(
        self, near: Any, floor: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Row, column and value."""
        flat = np.flatnonzero(near >= floor[:, None])
        return flat // near.shape[1], flat % near.shape[1], near.reshape(-1)[flat]


HOST = Host()
