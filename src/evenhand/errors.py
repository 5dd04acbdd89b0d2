"""Every deliberate error, its mend and its exit code.

    EvenhandError            2  you can mend it
    ├── InputError           2  a file, argument or plan is not of the right form
    ├── MissingExtra         2  an optional dependency is not installed
    ├── Unreachable          2  an endpoint or a model could not be reached
    ├── SealBroken           3  an artefact is no longer the one registered
    ├── HoldoutSpent         3  the holdout was looked at as often as allowed
    └── Undecidable          4  the data at hand cannot answer the question asked

Exit codes of the command line: 0 done · 1 done and a criterion is not met · 2 you can mend it ·
3 the protocol was broken · 4 finished but cannot be decided, or incomplete.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EvenhandError",
    "HoldoutSpent",
    "InputError",
    "MissingExtra",
    "SealBroken",
    "Undecidable",
    "Unreachable",
    "nearest",
]


FEW = 12


class EvenhandError(Exception):
    """Something went wrong that a person can understand; ``mend`` says what to do about it."""

    exit_code = 2

    def __init__(self, what: str, *, mend: str) -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.what}\n  mend: {self.mend}"

    def reworded(self, what: str) -> Self:
        """The same error in other words, such as with the place put before it."""
        made = copy(self)
        made.what, made.args = what, (what,)
        return made

    def __reduce__(self) -> tuple[object, ...]:
        # exceptions cross process borders in the engine: keyword-only arguments need help to be pickled
        return _remake, (type(self), self.what, self.mend)


def _remake(kind: type[EvenhandError], what: str, mend: str) -> EvenhandError:
    return kind(what, mend=mend)


class InputError(EvenhandError):
    """A file, argument or plan is not of the right form."""


class Empty(InputError):
    """A file that is well-formed and holds nothing."""


def expect(thing: object, kind: type | tuple[type, ...], what: str, call: str) -> None:
    """Raise InputError where *thing*, the argument *what* of *call*, is not of its *kind*: easily swapped."""
    if not isinstance(thing, kind):
        names = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise InputError(f"{what} is a {type(thing).__name__}, expected a {names}", mend=f"write {call}")


class MissingExtra(EvenhandError):
    """An optional dependency is not installed."""


class Unreachable(EvenhandError):
    """An endpoint, a model or a program could not be reached.

    ``why`` is the cause in a few words, ``said`` what the other side itself said of it;
    ``there`` is False when nothing took the connection at all;
    ``wait`` is how long it asked to be left alone (seconds); ``again`` whether asking again can help;
    ``of_model`` that a limit of this model alone was reached, which concerns no other at the same endpoint;
    ``charged`` that it may have to be paid for all the same: the model may have been at work.
    """

    def __init__(
        self,
        what: str,
        *,
        mend: str,
        why: str = "",
        said: str = "",
        there: bool = True,
        wait: float | None = None,
        again: bool = True,
        of_model: bool = False,
        charged: bool = False,
    ) -> None:
        super().__init__(what, mend=mend)
        self.why = why or "not reached"
        self.said = said
        self.there = there
        self.wait = wait
        self.again = again
        self.of_model = of_model
        self.charged = charged

    def __reduce__(self) -> tuple[object, ...]:
        told = {name: value for name, value in vars(self).items() if name not in ("what", "mend")}
        return partial(type(self), self.what, mend=self.mend, **told), ()


class SealBroken(EvenhandError):
    """An artefact is no longer the one that was registered."""

    exit_code = 3


class HoldoutSpent(EvenhandError):
    """The holdout was looked at as often as allowed."""

    exit_code = 3


class Undecidable(EvenhandError):
    """The data at hand cannot answer the question asked."""

    exit_code = 4


def nearest(word: str, known: Iterable[str]) -> str:
    """Say what *word* may have been meant as: ``did you mean 'X'?`` or the list of what is known."""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if not close:
        lower = {name.casefold(): name for name in names}
        close = [lower[w] for w in difflib.get_close_matches(word.casefold(), lower, n=1, cutoff=0.6)]
    if close:
        # with a good guess, a list that fills the screen would only hide it
        return f"did you mean {close[0]!r}?" + (f" (known: {', '.join(names)})" if len(names) <= FEW else "")
    return f"use one of: {', '.join(names)}"
