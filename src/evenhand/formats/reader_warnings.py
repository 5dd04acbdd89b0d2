"""What a reader noticed on the way: counted by kind, told once."""

from __future__ import annotations

__all__ = ["Notes"]

SHOWN = 10


class Notes:
    """Collects remarks of the same kind, so that a thousand files make one warning with a count."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[str]] = {}

    def add(self, kind: str, item: str) -> None:
        """One more *item* (a file or document, as the corpus names it) of this *kind* of remark."""
        self._kinds.setdefault(kind, []).append(item)

    def warnings(self) -> tuple[str, ...]:
        """One sentence a kind: the count, what it is, and the first few items."""
        return tuple(
            f"{len(items)} × {kind}: {', '.join(items[:SHOWN])}"
            + (f" and {len(items) - SHOWN} more" if len(items) > SHOWN else "")
            for kind, items in sorted(self._kinds.items())
        )
