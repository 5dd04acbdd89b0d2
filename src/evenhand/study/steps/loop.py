"""A table of steps and one short loop: what is made already from the same things is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from evenhand.model.seal import seal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.store.blobs import Blobs

__all__ = ["Artifacts", "Columns", "Form", "Step", "perform"]


Columns = dict[str, "NDArray[Any]"]


@dataclass(frozen=True, slots=True)
class Form:
    """How an artefact becomes columns and is made of them again; ``unpack`` may ask for other artefacts."""

    pack: Callable[[Any], Columns]
    unpack: Callable[[Columns, Artifacts], Any]
    seal: Callable[[Any, Columns], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """*makes* names the artefact; *needs* the earlier ones it is made from, *settings* all else that matters.

    ``work`` takes the larder and returns the artefact. ``code`` is the seal of the code that does the work.
    Without a ``form`` the artefact is made when asked for and not kept. With ``anew`` the work is done on
    every run; an artefact that is not ``whole`` is used, and made again by the next run.
    """

    makes: str
    needs: tuple[str, ...]
    work: Callable[[Artifacts], Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    form: Form | None = None
    anew: bool = False
    whole: Callable[[Any], bool] = lambda _: True


class Artifacts:
    """The artefacts of one run: seals at once, contents when asked for."""

    def __init__(self, given: Mapping[str, tuple[str, Any]]) -> None:
        self.seals = {name: mark for name, (mark, _) in given.items()}
        self._things: dict[str, Any] = {name: thing for name, (_, thing) in given.items()}
        self._makers: dict[str, Callable[[], Any]] = {}
        self.seconds: dict[str, float] = {}  # of the work, by artefact; as kept when it was done earlier
        self.fresh: list[str] = []  # what this run has made itself

    def __getitem__(self, name: str) -> Any:
        """The artefact *name*, loaded or made now if it was not yet."""
        if name not in self._things:
            self._things[name] = self._makers[name]()
        return self._things[name]

    def __contains__(self, name: str) -> bool:
        return name in self.seals

    def promise(self, name: str, mark: str, maker: Callable[[], Any]) -> None:
        """Make *name* known by its seal; *maker* is called when it is asked for."""
        self.seals[name] = mark
        self._makers[name] = maker

    def keep(self, name: str, mark: str, thing: Any) -> None:
        """Make *name* known with its content."""
        self.seals[name] = mark
        self._things[name] = thing


def perform(steps: Iterable[Step], blobs: Blobs, larder: Artifacts) -> Artifacts:
    """Run each step whose inputs, settings or code changed; promise the others from what is kept.

    An artefact is kept under its own seal, and its recipe (what made it, from which seals) points at it:
    a step that is done again with the same outcome does not make the later ones run. What is finished is
    kept at once, so that a run that was stopped goes on where it was.
    """
    for step in steps:
        inputs = {name: larder.seals[name] for name in step.needs}
        recipe = seal([step.makes, inputs, dict(step.settings), step.code])
        if step.form is None:
            larder.promise(step.makes, recipe, lambda step=step: step.work(larder))  # type: ignore[misc]
        elif step.anew or not _known(recipe, blobs, larder, step, step.form):
            begun = perf_counter()
            thing = step.work(larder)
            seconds = perf_counter() - begun
            columns = step.form.pack(thing)
            mark = step.form.seal(thing, columns)
            kind = step.makes.split("/", maxsplit=1)[0]
            if not step.anew and step.whole(thing):
                blobs.put(kind, mark, columns)
                entry = {"kind": kind, "makes": step.makes, "seal": mark, "seconds": seconds}
                blobs.put("recipe", recipe, {}, entry)
            # as it will come out of the cache: a first run and a later one see the very same
            larder.keep(step.makes, mark, step.form.unpack(columns, larder))
            larder.seconds[step.makes] = seconds
            larder.fresh.append(step.makes)
    return larder


def _known(recipe: str, blobs: Blobs, larder: Artifacts, step: Step, form: Form) -> bool:
    head = blobs.meta("recipe", recipe)
    if head is None:
        return False
    entry = head["meta"]
    kind, mark = entry["kind"], entry["seal"]
    if not blobs.path(kind, mark).is_file():
        return False

    def load() -> Any:
        columns = blobs.get(kind, mark)
        if columns is None:  # damaged: made again, and as it comes out of the cache: the very same
            thing = step.work(larder)
            columns = form.pack(thing)
            if form.seal(thing, columns) == mark:
                blobs.put(kind, mark, columns)
        return form.unpack(columns, larder)

    larder.promise(step.makes, mark, load)
    larder.seconds[step.makes] = entry["seconds"]
    return True
