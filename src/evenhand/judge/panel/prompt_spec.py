"""A brief: a sheet as models get it: what they are shown, what is asked beside, how votes become one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from evenhand.errors import InputError, nearest
from evenhand.judge.panel.delimiters import FENCE
from evenhand.judge.sheets.built_in import CONTRIBUTION, built_in
from evenhand.model.seal import seal
from evenhand.model.sheet import Sheet

__all__ = ["CANNOT_TELL", "DECIDE", "PROMPTS", "Brief", "brief_named", "brief_of"]

DECIDE = ("majority", "median", "plurality")
# versions of what a model is told and shown; votes name theirs, so a change of a word is a new version.
# panel/1: where a text stands in which document; panel/2: the document's own address too; panel/3: no skip,
# which models do not have, control tokens by their form, and a word on texts that speak to their judge
PROMPTS = ("panel/1", "panel/2", "panel/3")
CANNOT_TELL = "cannot-tell"
NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Brief:
    """The *sheet* is that of people, word for word; a model sees one text a call.

    ``subject`` is what the words asked about are called (question, claim, fact); ``more`` names further
    texts that are shown beside it (the answer to be held against the text); ``text``: is a text shown at
    all? ``beside``: a further sheet whose levels are asked in the same reply, under its name.
    ``decide`` is how votes become one: ``majority`` (two levels), ``median`` (grades in order),
    ``plurality`` (kinds without an order). ``prompt``: the version of what is shown, one of `PROMPTS`.
    """

    sheet: Sheet
    subject: str = "question"
    more: tuple[str, ...] = ()
    text: bool = True
    beside: Sheet | None = None
    decide: str = "majority"
    prompt: str = PROMPTS[-1]

    def __post_init__(self) -> None:
        if self.prompt not in PROMPTS:
            raise InputError(f"no prompt is called {self.prompt!r}", mend=nearest(self.prompt, PROMPTS))
        if self.decide not in DECIDE:
            raise InputError(f"votes are put together by {self.decide!r}", mend=nearest(self.decide, DECIDE))

    @cached_property
    def options(self) -> dict[str, float]:
        """The word for each level, in the sheet's order: labels of kinds and of yes and no, else grades."""
        return options_of(self.sheet, named=self.decide != "median")

    @cached_property
    def beside_options(self) -> dict[str, float]:
        """The same of the sheet beside; empty without one."""
        return options_of(self.beside, named=False) if self.beside is not None else {}

    @property
    def modes(self) -> tuple[str, ...]:
        """The closed list of ways to fail, where a level asks for one."""
        asked = any(level.modes for level in self.sheet.levels)
        return tuple(mode.name for mode in self.sheet.modes) if asked else ()

    @property
    def evidence(self) -> bool:
        """Whether words of the text are asked for."""
        return self.text and any(level.evidence != "no" for level in self.sheet.levels)

    @property
    def fence(self) -> int:
        """The version of the rule by which look-alikes of control tokens are made harmless."""
        return FENCE if PROMPTS.index(self.prompt) >= 2 else 1

    @cached_property
    def seal(self) -> str:
        """Seal over the sheets and what is shown."""
        beside = self.beside.seal if self.beside is not None else None
        made = ["brief/1", self.sheet.seal, self.subject, self.more, self.text, beside, self.decide]
        return seal(made if self.prompt == PROMPTS[0] else [*made, self.prompt])


def options_of(sheet: Sheet, *, named: bool) -> dict[str, float]:
    """Word → grade; grades are written as numbers unless labels are *named* and set apart by themselves."""
    labels = [level.label.strip().casefold() for level in sheet.levels]
    if named and len(set(labels)) == len(labels) and all(labels) and not {CANNOT_TELL, NONE} & set(labels):
        return {label: level.grade for label, level in zip(labels, sheet.levels, strict=True)}
    return {f"{level.grade:g}": level.grade for level in sheet.levels}


def brief_of(sheet: Sheet, prompt: str = PROMPTS[-1]) -> Brief:
    """The brief for a sheet: its own for those that come with evenhand, else question and text."""
    known = OWN.get(sheet.name)
    if known is not None and built_in(sheet.name).seal == sheet.seal:
        beside = CONTRIBUTION if sheet.name == "sufficiency" else None
        return Brief(sheet=sheet, beside=beside, prompt=prompt, **known)  # type: ignore[arg-type]
    return Brief(sheet=sheet, decide="majority" if len(sheet.levels) == 2 else "median", prompt=prompt)


def brief_named(name: str, prompt: str = PROMPTS[-1]) -> Brief:
    """The brief of a sheet that comes with evenhand."""
    return brief_of(built_in(name), prompt)


OWN: Mapping[str, Mapping[str, object]] = {
    "sufficiency": {"decide": "majority"},
    "contribution": {"decide": "median"},
    "relevance": {"decide": "median"},
    "nugget": {"decide": "median", "subject": "fact"},
    "claim": {"decide": "median", "subject": "claim"},
    "faithful": {"decide": "median", "more": ("answer",)},
    "question-type": {"decide": "plurality", "text": False},
}
