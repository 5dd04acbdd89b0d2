"""Sheets on one text: graded relevance (0 to 3), and whether it holds one nugget."""

from __future__ import annotations

from evenhand.model.sheet import Level, Sheet

__all__ = ["NUGGET", "RELEVANCE"]

RELEVANCE = Sheet(
    name="relevance",
    ask="How far does this text serve somebody who asks this question?",
    guideline="""\
Judge the text as it stands. What follows from what is said may be used, what you know besides may not.

**3 – answers.** The text is about the question and holds the answer, plainly and wholly.
**2 – answers in part.** It holds some of the answer, or all of it hidden among other things or unclear.
**1 – related.** It is about the same thing and holds no part of the answer.
**0 – unrelated.** It has nothing to do with the question.

1. Is the text about what the question is about? If not: 0.
2. Is there a sentence that answers any part of it? If none: 1.
3. Is the answer whole, plain, and for the case that is asked about? If not: 2.
4. Otherwise: 3. Mark the words that carry the answer.

Length, style and where the text comes from do not count. Words shared with the question do not count.
*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="0", label="unrelated", help="nothing to do with the question"),
        Level(grade=1.0, key="1", label="related", help="same thing, no part of the answer"),
        Level(
            grade=2.0, key="2", label="answers in part", help="some of the answer, or unclear", evidence="ask"
        ),
        Level(grade=3.0, key="3", label="answers", help="the answer, plainly and wholly", evidence="ask"),
    ),
)

NUGGET = Sheet(
    name="nugget",
    ask="Does this text hold this fact?",
    guideline="""\
A fact is given, and a text. Judge the text as it stands. What follows from what is said may be used, what
you know besides may not; whether the fact is true does not matter.

**2 – wholly.** Somebody with this text alone would know the fact.
**1 – in part.** Some of it is there, and something that belongs to it is missing.
**0 – not.** The text does not say it, or says otherwise.

Mark the words that carry it. Words shared with the fact do not count, if they do not say it.
*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="0", label="not", help="does not say it, or says otherwise"),
        Level(grade=1.0, key="1", label="in part", help="something of it is missing", evidence="ask"),
        Level(grade=2.0, key="2", label="wholly", help="enough to know it", evidence="ask"),
    ),
)
