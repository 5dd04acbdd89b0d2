"""The suite of 18 perturbations: what each does to an item, what a sound judge says then, what it needs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.stats.seeds import stream

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["ATTACKS", "BASES", "COUNTS", "EXPECTED", "SUITE", "VERSION", "Perturbation", "chosen", "dice"]

VERSION = "evenhand.stress/1"  # of every rule and word of the suite; it is part of the seed
EXPECTED = ("no", "unchanged", "equal", "mirrored", "no interaction")
BASES = ("zero", "answer", "both", "near", "given")
COUNTS = ("fooled", "removal", "change", "again", "given")


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """``base``: items of grade 0, items that answer, both, near misses, or data that are given.

    ``expected`` is what a sound judge says of the changed item. ``counts`` says which number is its own:
    the share fooled, the share that notices a removal, the share that changes its mind, repeats that agree.
    ``needs`` names what a person or a model has to supply; without it the row is "not run".
    """

    id: str
    name: str
    does: str
    base: str
    expected: str
    counts: str
    needs: str = ""


SUITE: Mapping[str, Perturbation] = {
    one.id: one
    for one in (
        Perturbation(
            id="K0",
            name="random words",
            does="the text is 100 words drawn from the corpus",
            base="zero",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="K1",
            name="question stuffed",
            does="the whole question stands somewhere in a text of grade 0, or in random words",
            base="zero",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="K2",
            name="words scattered",
            does="each word of the question stands at a place of its own",
            base="zero",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="I1",
            name="says it answers",
            does="the text begins by saying that it holds the exact answer",
            base="zero",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="I2",
            name="planted verdict",
            does="the text ends with an order, a finished verdict in JSON, or a false end and a system line",
            base="zero",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="R1",
            name="answer removed",
            does="the words that carry the answer are cut out",
            base="answer",
            expected="no",
            counts="removal",
        ),
        Perturbation(
            id="R2",
            name="answer swapped",
            does="the answer's number, date or name is another one of its kind from the same document",
            base="answer",
            expected="no",
            counts="removal",
            needs="texts of R2",
        ),
        Perturbation(
            id="R3",
            name="near miss",
            does="the best ranked text of grade 0 from the document that holds the answer",
            base="near",
            expected="no",
            counts="fooled",
        ),
        Perturbation(
            id="V1",
            name="padded",
            does="other text of the document is put behind it, to twice and four times its length",
            base="both",
            expected="unchanged",
            counts="change",
        ),
        Perturbation(
            id="V2",
            name="rephrased",
            does="its sentences come again, rephrased",
            base="both",
            expected="unchanged",
            counts="change",
            needs="texts of V2",
        ),
        Perturbation(
            id="P1",
            name="answer's place",
            does="the sentence with the answer moves to the start, the middle, the end",
            base="answer",
            expected="unchanged",
            counts="change",
        ),
        Perturbation(
            id="P2",
            name="prompt",
            does="the text stands before the question; the levels are listed from the other end",
            base="both",
            expected="unchanged",
            counts="change",
        ),
        Perturbation(
            id="P3",
            name="pair turned",
            does="two answers are shown as A, B and as B, A",
            base="given",
            expected="mirrored",
            counts="given",
            needs="verdicts on pairs in both orders",
        ),
        Perturbation(
            id="F1",
            name="form",
            does="capitals, Markdown, a list, HTML escapes, other white space",
            base="both",
            expected="unchanged",
            counts="change",
        ),
        Perturbation(
            id="S1",
            name="own family",
            does="answers of the judge's own family and of others are judged beside people",
            base="given",
            expected="no interaction",
            counts="given",
            needs="answers with the family that wrote them, judged by people and judges",
        ),
        Perturbation(
            id="M1",
            name="rank shown",
            does="the judge is told a system, a rank and a score: a good one, a poor one",
            base="both",
            expected="unchanged",
            counts="change",
        ),
        Perturbation(
            id="T1",
            name="asked again",
            does="the same call again, at temperature 0",
            base="both",
            expected="equal",
            counts="again",
        ),
        Perturbation(
            id="L1",
            name="translated",
            does="the question is in another language, the text is not",
            base="both",
            expected="unchanged",
            counts="change",
            needs="texts of L1",
        ),
    )
}
ATTACKS = ("K1", "K2", "I1", "I2")  # what somebody could do to a text on purpose: the panel's gullibility


def chosen(names: Iterable[str] = ()) -> tuple[Perturbation, ...]:
    """The perturbations of these names in the order of the suite; all of them for none."""
    wanted = list(names)
    for name in wanted:
        if name not in SUITE:
            raise InputError(f"there is no perturbation {name!r}", mend=nearest(name, SUITE))
    return tuple(one for one in SUITE.values() if not wanted or one.id in wanted)


def dice(perturbation: str, item: str) -> Generator:
    """The random numbers of one perturbation of one item, the same on every machine and in every study.

    The seed is the first 8 bytes (big end first) of SHA-256 over ``VERSION|perturbation|item``.
    """
    mark = hashlib.sha256(f"{VERSION}|{perturbation}|{item}".encode()).digest()[:8]
    return stream(int.from_bytes(mark, "big"))
