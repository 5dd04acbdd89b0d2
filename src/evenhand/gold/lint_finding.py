"""What a check of a gold set found, with its mend."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["SEVERITIES", "Finding", "warned"]

SEVERITIES = ("error", "warning", "info")
MOST = 5  # warnings of one kind that are said singly where a gold set is used; a check says them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to mend or to know.

    ``message`` holds ids, names of fields and counts only, so that it may be shown of a holdout as well;
    the words of questions and documents are in ``detail``. ``correction`` is the whole corrected object
    of the line, to be pasted over it. ``line`` is 1-based, 0 where no single line is meant.
    """

    kind: str
    severity: str
    message: str
    question: str = ""
    file: str = ""
    line: int = 0
    field: str = ""
    detail: str = ""
    mend: str = ""
    correction: Mapping[str, Any] | None = None

    @property
    def where(self) -> str:
        """``file:line``, as far as known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def softened(self) -> Finding:
        """The same as a warning."""
        return replace(self, severity="warning") if self.severity == "error" else self

    def __str__(self) -> str:
        place = " ".join(part for part in (self.where, self.question, self.field) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.detail})" if self.detail else text

    def advice(self, default: str) -> str:
        """What to do, with the corrected line where there is one."""
        line = "" if self.correction is None else json.dumps(self.correction, ensure_ascii=False)
        return ": ".join(part for part in (self.mend or default, line) if part)


def warned(findings: Iterable[Finding]) -> tuple[str, ...]:
    """What who uses a gold set is warned of: of each kind a few, and how many more there are."""
    held = [one for one in findings if one.severity == "warning"]
    return tuple(_warned(held))


def _warned(warnings: list[Finding]) -> Iterator[str]:
    said: Counter[str] = Counter()
    all_of = Counter(one.kind for one in warnings)
    for one in warnings:
        said[one.kind] += 1
        if said[one.kind] <= MOST:
            yield str(one)
        elif said[one.kind] == all_of[one.kind]:
            more = all_of[one.kind] - MOST
            told = f"{more} more of the kind {one.kind!r}: evenhand gold check lists them, with mends"
            yield f"{one.file or 'gold'}: {told}"
