"""A table of steps and one short loop: what is made already from the same things is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from evenhand.model.seal import canonical, seal

__all__ = ["Blobs", "Form", "Larder", "Step", "perform"]


class Blobs(Protocol):
    """Where artefacts are kept: bytes by key, written once (`evenhand.store.files.Blobs`)."""

    def get(self, key: str) -> bytes | None:
        """The bytes under *key*, or None."""

    def put(self, key: str, data: bytes) -> None:
        """Keep *data* under *key*."""


@dataclass(frozen=True, slots=True)
class Form:
    """How an artefact becomes bytes and is made of them again; ``unpack`` may ask for other artefacts."""

    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes, Larder], Any]
    seal: Callable[[Any, bytes], str] = lambda _, data: seal([len(data), data.hex()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """*makes* names the artefact; *needs* the earlier ones it is made from, *settings* all else that matters.

    ``work`` takes the larder and returns the artefact. ``code`` is the seal of the code that does the work.
    Without a ``form`` the artefact is made when asked for and not kept.
    """

    makes: str
    needs: tuple[str, ...]
    work: Callable[[Larder], Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    form: Form | None = None


class Larder:
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


def perform(steps: Iterable[Step], blobs: Blobs, larder: Larder) -> Larder:
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
            continue
        mark = _known(recipe, blobs, larder, step)
        if mark is None:
            begun = perf_counter()
            thing = step.work(larder)
            seconds = perf_counter() - begun
            data = step.form.pack(thing)
            mark = step.form.seal(thing, data)
            blobs.put(mark, data)
            blobs.put(recipe, canonical({"seal": mark, "seconds": seconds}))
            larder.keep(step.makes, mark, thing)
            larder.seconds[step.makes] = seconds
            larder.fresh.append(step.makes)
    return larder


def _known(recipe: str, blobs: Blobs, larder: Larder, step: Step) -> str | None:
    import json

    note = blobs.get(recipe)
    if note is None:
        return None
    entry = json.loads(note)
    data = blobs.get(entry["seal"])
    if data is None or step.form is None:
        return None
    form = step.form
    larder.promise(step.makes, entry["seal"], lambda: form.unpack(data, larder))
    larder.seconds[step.makes] = entry["seconds"]
    return str(entry["seal"])
