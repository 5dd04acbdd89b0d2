"""The rubric: what a person says of a generated item, field by field. Its version is its hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from evenhand.model.answer import ITEMS, RATED
from evenhand.model.seal import seal

__all__ = ["RUBRIC", "SAID", "Field", "Rubric"]

SAID = ("yes", "no", "cannot-tell")
STUDY = ("multiple-choice", "short-answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One question of the rubric: ``ask`` by kind of item (a kind that is not there is not asked).

    ``yes`` and ``no`` are the words on its buttons, ``label`` its short name.
    """

    name: str
    label: str
    ask: Mapping[str, str]
    yes: str = "yes"
    no: str = "no"


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """The fields in the order in which they are asked, and a guideline in Markdown."""

    name: str
    fields: tuple[Field, ...]
    guideline: str

    def asked(self, kind: str) -> tuple[str, ...]:
        """The names of the fields that an item of this kind is rated by, in order."""
        return tuple(field.name for field in self.fields if kind in field.ask)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, as pages get it."""
        return {
            "schema": "evenhand.rubric/1",
            "name": self.name,
            "fields": [{**asdict(field), "ask": dict(field.ask)} for field in self.fields],
            "guideline": self.guideline,
        }

    @cached_property
    def seal(self) -> str:
        """The version: SHA-256 over every word."""
        return seal(self.as_json())


def _every(words: str) -> dict[str, str]:
    return dict.fromkeys(ITEMS, words)


RUBRIC = Rubric(
    name="rubric",
    fields=(
        Field(
            name="faithful",
            label="faithful",
            ask={
                "answer": "Does everything that it says stand in the passages it cites?",
                **dict.fromkeys(STUDY, "Do question and key say nothing but what the cited passages say?"),
            },
        ),
        Field(
            name="correct",
            label="correct",
            ask={
                "answer": "Is the answer right?",
                "multiple-choice": "Is the key right, and is it the only right option?",
                "short-answer": "Is the key right?",
            },
        ),
        Field(
            name="answerable",
            label="answerable",
            ask={
                "answer": "Do the cited passages suffice to answer the question?",
                **dict.fromkeys(STUDY, "Could one answer it from the cited passages alone?"),
            },
        ),
        Field(
            name="distractors",
            label="distractors plausible",
            ask={"multiple-choice": "Would somebody who does not know take each wrong option for possible?"},
        ),
        Field(
            name="useful",
            label="useful",
            ask={
                "answer": "Does it help whoever asked?",
                **dict.fromkeys(STUDY, "Is it worth being asked?"),
            },
        ),
        Field(
            name="accept",
            label="accept",
            ask=_every("Would you let it pass as it is?"),
            yes="accept",
            no="reject",
        ),
    ),
    guideline="""\
Rate the item as it stands. The passages are all that its writer was given; those it cites are marked.

**Faithful** comes first, and what programs found is hidden until it has an answer. Judge by the cited
passages alone: what follows from what they say may be used, what you know besides may not. Numbers, names and
dates must be the same. "May" does not bear out "is". An item that cites nothing is held against nothing: no.

**Correct** is about the world as you know it: a faithful item can repeat what is wrong.

**Answerable**: somebody who has the cited passages and nothing else could answer wholly and rightly.

**Distractors plausible** (multiple choice): on the topic, of the same kind as the key, and wrong.

**Useful**: it is about something that matters, and says it clearly.

**Accept** is your verdict on the whole.

*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
)

assert tuple(field.name for field in RUBRIC.fields) == RATED  # noqa: S101 - one list of names
