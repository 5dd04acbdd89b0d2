"""What the checks are set to: every threshold by name, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = ["LOOK_IN", "Settings", "settings_of"]

LOOK_IN = ("auto", "cited", "retrieved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Thresholds of the checks.

    ``look_in``: hold an item against the passages it cites (``cited``) or all that it was given
    (``retrieved``); ``auto``: those cited, and all for an answer without citations that no prompt of ours
    asked for them. ``language``: of items and passages where they do not say; empty: found out.
    ``support``: share of content words. ``key_share``: share of the key's content words in one passage.
    ``quote_words``: shorter quotations are names and turns of phrase. ``options``: how many.
    ``like_length``: an option may be so many times as long as the key, and the key as the option;
    ``length_slack``: characters of difference that never count. ``near_jaccard``: likeness from which an
    item repeats an earlier one, over runs of ``near_words`` words. ``abstain_words``: content words that
    may stand beside a refusal to answer. ``claim_grade``: from which grade of the sheet "claim" a claim is
    borne out. ``entailed``: from which probability a model of entailment bears it out.
    """

    look_in: str = "auto"
    language: str = ""
    support: float = 0.5
    key_share: float = 0.75
    quote_words: int = 4
    options: int = 4
    like_length: float = 2.0
    length_slack: int = 12
    near_jaccard: float = 0.6
    near_words: int = 2
    abstain_words: int = 25
    claim_grade: float = 2.0
    entailed: float = 0.5

    def __post_init__(self) -> None:
        if self.look_in not in LOOK_IN:
            raise InputError(f"look_in is {self.look_in!r}", mend=nearest(self.look_in, LOOK_IN))
        for name in ("support", "key_share", "near_jaccard", "entailed"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(f"{name} is {getattr(self, name)!r}", mend="give a share in (0, 1]")
        for name, least in (("quote_words", 1), ("options", 2), ("near_words", 1), ("like_length", 1)):
            if not getattr(self, name) >= least:
                raise InputError(f"{name} is {getattr(self, name)!r}", mend=f"give {least} or more")
        for name in ("length_slack", "abstain_words", "claim_grade"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} is {getattr(self, name)!r}", mend="give 0 or more")


def settings_of(given: Mapping[str, Any], where: str = "checks") -> Settings:
    """Settings from plain names and values (of ``[answers.checks]``); unknown names tell the nearest."""
    known: dict[str, Any] = {one.name: one.default for one in fields(Settings)}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"{where}: there is no setting {name!r}", mend=nearest(name, known))
        like = known[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = {str: isinstance(value, str), int: number and value == int(value), float: number}[type(like)]
        if not fits:
            kind = {str: "a text", int: "a whole number", float: "a number"}[type(like)]
            raise InputError(f"{where}: {name} is {value!r}", mend=f"give {kind}, as in {name} = {like!r}")
    made = {name: type(known[name])(value) for name, value in given.items()}
    try:
        return replace(Settings(), **made)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error
