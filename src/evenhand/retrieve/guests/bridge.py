"""What stands between `Guest` and a search that speaks otherwise: an object of a framework, a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs

__all__ = ["Bridge"]


class Bridge:
    """A foreign search in the shape that `Guest` asks: one question at a time, hits in the known forms.

    ``cache``: its answers are kept for good; else a guest whose source is known is asked anew when that
    changed, and a database on every run.
    """

    cache: bool = False

    @property
    def over_ours(self) -> bool:
        """Whether it searches our units, which `begin` hands to it; else it is its own chunking."""
        return False

    @property
    def deep(self) -> bool:
        """Whether a ranking should be as deep as was asked for: those that are not are counted."""
        return True

    def settings(self) -> dict[str, Any]:
        """What its rankings depend on, as far as it is known before anything is asked; no secrets."""
        return {}

    def begin(
        self, units: Units, questions: Sequence[str], *, cache: Blobs | None, progress: Progress
    ) -> None:
        """Make ready for the first question; called again when it could not be reached."""

    def facts(self) -> dict[str, Any]:
        """What `begin` found out, for the report: plain JSON. ``told`` are sentences to warn with."""
        return {}

    def search(self, question: str, k: int) -> Sequence[Any]:
        """At most *k* hits, best first; Unreachable puts this question aside."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections; `begin` may open them anew."""
