"""Nouns in a notebook: shown as HTML, and given out as frames. How is a matter of packages above them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Framed", "Shown"]


class Shown:
    """A noun that a notebook shows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(_above("report.notebook.cards").html(self))


class Framed(Shown):
    """A noun that is given out as rows; see `evenhand.formats.results.frames` for the columns of each."""

    __slots__ = ()

    def to_polars(self) -> pl.DataFrame:
        """A polars frame."""
        frame: pl.DataFrame = _above("formats.results.frames").frame(self)
        return frame

    def to_pandas(self) -> Any:
        """A pandas frame; raises `MissingExtra` where pandas is not installed."""
        return _above("formats.results.frames").pandas(self)

    def to_arrow(self) -> Any:
        """An Arrow table; raises `MissingExtra` where pyarrow is not installed."""
        return _above("formats.results.frames").arrow(self)


def _above(module: str) -> Any:
    # looked up by name, so that the nouns import nothing above them
    return import_module(f"evenhand.{module}")
