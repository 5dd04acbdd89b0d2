"""The sheets that come with evenhand; here graded contribution (0, 1, 2) and sufficiency (yes, no)."""

from __future__ import annotations

from evenhand.errors import InputError, nearest
from evenhand.model.sheet import Level, Mode, Sheet

__all__ = ["CONTRIBUTION", "SUFFICIENCY", "built_in"]

MODES = (  # the closed list that the panel uses too
    Mode(name="off-topic", key="o", label="is about something else"),
    Mode(name="related-no-answer", key="r", label="same topic, does not answer"),
    Mode(name="partial", key="p", label="answers only a part"),
    Mode(name="needs-other-unit", key="n", label="needs another text to be understood or complete"),
    Mode(name="outdated", key="d", label="is out of date"),
    Mode(name="contradictory", key="c", label="contradicts itself"),
    Mode(name="boilerplate", key="b", label="menu, footer, list of links or the like"),
    Mode(name="other", key="x", label="something else"),
)

CONTRIBUTION = Sheet(
    name="contribution",
    ask="How much of the answer does this text hold?",
    guideline="""\
Judge the text as it stands, as if it were all that one had. What follows from what is said may be used,
what you know besides may not.

**2 – answers.** Somebody with this text alone could answer the question, wholly and rightly.
**1 – contributes.** It makes the same point or holds a needed part, but not enough alone.
**0 – does not.** Same topic only, or something else.

1. Is there a sentence that answers the question? If none: 0, or 1 if it holds a needed part.
2. Is anything the question asks for missing? If so: 1.
3. Could it be understood without its surroundings? If not: 1.
4. Otherwise: 2. Mark the words that carry the answer.

Length, style and where the text comes from do not count. Words shared with the question do not count.
*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="0", label="does not", help="same topic only, or something else", modes=True),
        Level(
            grade=1.0, key="1", label="contributes", help="a needed part, not enough alone", evidence="ask"
        ),
        Level(grade=2.0, key="2", label="answers", help="enough alone", evidence="ask"),
    ),
    modes=MODES,
)

SUFFICIENCY = Sheet(
    name="sufficiency",
    ask="Could this text alone answer the question?",
    guideline="""\
Judge the text as it stands, as if it were all that one had. What follows from what is said may be used,
what you know besides may not.

**Yes**: somebody with this text alone could answer the question, wholly and rightly.
**No**: anything that is asked for is missing, or one would have to guess.

1. Find the sentence that answers. If there is none: no.
2. Ask whether the answer is whole, and for the case that is asked about. If not: no.
3. Ask whether it could be understood without its surroundings. If not: no.
4. Otherwise: yes. Mark the words that carry the answer.

On *no*, say what is wrong; *cannot tell* is an answer, *skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="n", label="no", help="something is missing", modes=True),
        Level(grade=1.0, key="y", label="yes", help="enough alone", evidence="ask"),
    ),
    modes=MODES,
)


def built_in(name: str) -> Sheet:
    """The sheet of this name that comes with evenhand."""
    from evenhand.judge.sheets.claims import CLAIM, FAITHFUL
    from evenhand.judge.sheets.questions import TYPING
    from evenhand.judge.sheets.units import NUGGET, RELEVANCE

    every = (CONTRIBUTION, SUFFICIENCY, RELEVANCE, NUGGET, CLAIM, FAITHFUL, TYPING)
    known = {sheet.name: sheet for sheet in every}
    if name not in known:
        raise InputError(
            f"no sheet is called {name!r}", mend=f"{nearest(name, known)}; or give a file in TOML"
        )
    return known[name]
