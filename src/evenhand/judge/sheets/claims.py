"""Sheets on what was said about a text: whether it bears out a claim, whether an answer is faithful to it."""

from __future__ import annotations

from evenhand.model.sheet import Level, Mode, Sheet

__all__ = ["CLAIM", "FAITHFUL"]

CLAIM = Sheet(
    name="claim",
    ask="Does this text bear out this claim?",
    guideline="""\
A claim is given, and a text. Judge by the text alone: what follows from what it says may be used, what you
know besides may not. Whether the claim is true in the world does not matter.

**2 – borne out.** Everything that the claim says follows from the text.
**1 – in part.** Some of it follows, and some does not.
**0 – not borne out.** Nothing of it follows, or the text says otherwise.

1. Take the claim apart: who, what, when, how much.
2. Look for each part in the text. Numbers, names and dates must be the same.
3. "May" does not bear out "is", "some" does not bear out "all".

Mark the words that bear it out. On *not borne out* say in which way.
*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="0", label="not borne out", help="nothing follows, or otherwise", modes=True),
        Level(grade=1.0, key="1", label="in part", help="some of it follows", evidence="ask"),
        Level(grade=2.0, key="2", label="borne out", help="all of it follows", evidence="ask"),
    ),
    modes=(
        Mode(name="silent", key="s", label="the text does not speak of it"),
        Mode(name="contradicted", key="c", label="the text says otherwise"),
        Mode(name="stronger", key="m", label="the claim says more than the text"),
        Mode(name="other", key="x", label="something else"),
    ),
)

FAITHFUL = Sheet(
    name="faithful",
    ask="Does everything that the answer says stand in the text?",
    guideline="""\
A question is given, an answer to it, and the text that the answer was made from. Judge by the text alone:
what follows from what it says may be used, what you know besides may not. Whether the answer is a good one
does not matter, only whether the text says what it says.

**2 – faithful.** Each statement of the answer follows from the text.
**1 – in part.** Some statements follow, and some do not.
**0 – not faithful.** None follows, or one says the opposite of the text.

1. Take the answer apart into statements. "I cannot answer from this text" is none.
2. Look for each in the text. Numbers, names and dates must be the same.

Mark the words of the text that the answer rests on. On *not faithful* say in which way.
*Cannot tell* is an answer: when two careful readings would differ. *Skip* is for what is broken.
""",
    levels=(
        Level(grade=0.0, key="0", label="not faithful", help="none follows, or the opposite", modes=True),
        Level(grade=1.0, key="1", label="in part", help="some statements follow", evidence="ask"),
        Level(grade=2.0, key="2", label="faithful", help="each statement follows", evidence="ask"),
    ),
    modes=(
        Mode(name="added", key="a", label="says what the text does not speak of"),
        Mode(name="contradicted", key="c", label="says the opposite of the text"),
        Mode(name="wrong-detail", key="d", label="a number, name or date is another"),
        Mode(name="other", key="x", label="something else"),
    ),
)
