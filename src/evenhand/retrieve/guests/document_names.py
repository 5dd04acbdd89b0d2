"""Which document a guest means: by our id, or by the path of a file that ends like one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["Names"]


class Names:
    """The documents of *corpus* by what others call them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[str, int | None] = {}

    def find(self, name: Any) -> int | None:
        """The position of the document called *name*, or by the first known of a list of names; else None.

        An id of ours counts first, then the longest end of a path that is one (``/srv/docs/leave.md``),
        then a file name that only one id ends with.
        """
        if isinstance(name, (list, tuple)):
            return next((found for one in name if (found := self.find(one)) is not None), None)
        if not isinstance(name, str) or not name:
            return None
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> int | None:
        position = self.corpus.position
        if name in position:
            return position[name]  # type: ignore[index]
        parts = name.replace("\\", "/").split("/")
        for first in range(1, len(parts)):
            if (end := "/".join(parts[first:])) in position:
                return position[end]  # type: ignore[index]
        same = self._files.get(parts[-1], []) if len(parts) == 1 else []
        return same[0] if len(same) == 1 else None

    @cached_property
    def _files(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, document in enumerate(self.corpus.documents):
            found.setdefault(document.id.rpartition("/")[2], []).append(i)
        return found
