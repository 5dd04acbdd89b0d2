"""Generated answers on their way out to other tools, with what checks found and how people rated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.formats.answers.jsonl import generation_json
from evenhand.formats.exported import Exported
from evenhand.model.answer import Finding, Generation, Item, Rating
from evenhand.text.plural import counted

__all__ = ["Outgoing", "Row", "judged", "reference_of", "shown"]

Row = tuple[Generation, "Item | None", dict[str, Any], list[Finding], list[Rating]]


@dataclass
class Outgoing:
    """An export under way; what a form has no place for is counted."""

    generations: list[Generation]
    findings: Iterable[Finding] = ()
    ratings: Iterable[Rating] = ()
    losses: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)  # topics, items, findings, ratings in the file

    def __post_init__(self) -> None:
        self.found = defaultdict[str, list[Finding]](list)
        self.rated = defaultdict[str, list[Rating]](list)
        self._topics = set[int]()
        for finding in self.findings:
            self.found[finding.item].append(finding)
        for rating in self.ratings:
            self.rated[rating.item].append(rating)

    def lose(self, what: str, n: int = 1) -> None:
        """Count something that is not carried over."""
        if n:
            self.losses[what] += n

    def wrote(self, row: Row, *, findings: Iterable[Finding] | None = None, ratings: bool = True) -> None:
        """Count a row that is written, with its *findings* (all of them) and *ratings*."""
        generation, item, _, found, rated = row
        self.written["topics"] += id(generation) not in self._topics
        self._topics.add(id(generation))
        self.written["items"] += item is not None
        self.written["findings"] += len(found if findings is None else list(findings))
        self.written["ratings"] += len(rated) if ratings else 0

    def all_of_it(self, *, undecided: bool = True) -> None:
        """Count every row as written; without the *undecided* findings, of which there is no score."""
        for row in self:
            decided = [one for one in row[3] if undecided or one.passed is not None]
            self.lose("findings are undecided, and have no score there", len(row[3]) - len(decided))
            self.wrote(row, findings=decided)

    def done(self) -> Exported:
        """What was written and what was lost."""
        kinds = ("topics", "items", "findings", "ratings")
        return Exported({kind: self.written[kind] for kind in kinds}, self.told())

    def __iter__(self) -> Iterator[Row]:
        """A row an item, and one for a topic that gave none; with the generation as our line has it."""
        for one in self.generations:
            for item in one.items or (None,):
                ours = generation_json(replace(one, items=() if item is None else (item,)))
                own = ([], []) if item is None else (self.found[item.id], self.rated[item.id])
                yield (one, item, ours, *own)

    def without_metadata(self, tool: str, *, findings: bool = True, expectation: bool = True) -> None:
        """Count what every form loses that has no place for metadata."""
        for one, item, _, found, rated in self:
            if item is None:
                self.lose(f"topics were {one.state}: {tool} has no place for why there is no response")
            elif item.kind != "answer":
                self.lose("study items: their options and key are in the text of the response")
            if item is not None and item.citations:
                self.lose(f"items have citations given apart: {tool} has no place for them")
            if expectation and one.expect:
                self.lose(f"rows have an expectation (answer, abstain, clarify): {tool} has no place for it")
            if findings:
                self.lose(f"findings of checks: {tool} has no place for them", len(found))
                self.lose(f"ratings: {tool} has no place for them", len(rated))

    def told(self) -> tuple[str, ...]:
        """All losses in words, each with its count."""
        return tuple(counted(n, what) for what, n in sorted(self.losses.items()))


def shown(item: Item) -> str:
    """An item as one text: options with letters, the key or answer behind it."""
    options = [f"{chr(65 + i)}) {option}" for i, option in enumerate(item.options[:26])]
    key = chr(65 + item.key) if item.key is not None and 0 <= item.key < len(options) else ""
    answer = item.answer or key
    return "\n".join([item.text, *options, *([f"Answer: {answer}"] if answer else [])])


def reference_of(one: Generation) -> str | None:
    """The reference answer, where there is one in words."""
    found = one.extra.get("reference")
    return found if isinstance(found, str) else None


def judged(findings: Iterable[Finding], ratings: Iterable[Rating]) -> Mapping[str, Any]:
    """Findings and ratings as one flat object."""
    made: dict[str, Any] = {
        f"check/{one.check}": None if one.passed is None else int(one.passed) for one in findings
    }
    for i, rating in enumerate(ratings, start=1):
        made |= {f"rating{i}/{name}": said for name, said in rating.given.items()}
        made[f"rating{i}/rater"] = rating.rater
        made[f"rating{i}/checks_shown_before_rating"] = rating.checks_shown_before_rating
        made[f"rating{i}/after_checks"] = list(rating.after_checks)
    return made
