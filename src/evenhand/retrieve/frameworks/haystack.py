"""Retriever components and pipelines of Haystack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError
from evenhand.retrieve.frameworks.document import hit
from evenhand.retrieve.frameworks.framework import Framework

__all__ = ["Component", "Pipeline"]

QUESTION = ("query", "text", "question")  # inputs that a question goes into
DEPTH = "top_k"
DOCUMENTS = "documents"


class _Haystack(Framework):
    framework = "Haystack"
    package = "haystack-ai"

    def hit(self, one: Any) -> Any:
        """A document with its score."""
        if not hasattr(one, "content") or not hasattr(one, "meta"):
            raise self.odd(one)
        return hit(one.content, one.meta, name=getattr(one, "id", None), score=getattr(one, "score", None))

    def documents(self, answer: Any, path: tuple[str, ...]) -> Any:
        """What stands under *path* in an answer."""
        found = answer
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                has = ", ".join(map(str, found)) if isinstance(found, Mapping) else type(found).__name__
                raise InputError(
                    f"retriever {self.name!r} of {self.framework} answered without {'.'.join(path)!r}: {has}",
                    mend="its answer must hold a list of documents",
                )
            found = found[key]
        return found


class Component(_Haystack):
    """A component that takes the question's text and gives ``documents``; asked for ``top_k``."""

    def __init__(self, thing: Any) -> None:
        super().__init__(thing)
        inputs = _sockets(thing, "__haystack_input__")
        self._into = next((key for key in QUESTION if key in inputs), "")
        needs = sorted(
            key
            for key, socket in inputs.items()
            if getattr(socket, "is_mandatory", False) and key != self._into
        )
        if not self._into or needs:
            lacks = f"needs {', '.join(needs)}" if needs else f"takes {', '.join(inputs) or 'nothing'}"
            raise InputError(
                f"component {self.name!r} of Haystack {lacks}, and a question is a text",
                mend="bring a Pipeline: a text embedder connected to this retriever",
            )
        self.asked = DEPTH if DEPTH in inputs else ""
        self._out = _only_documents(_sockets(thing, "__haystack_output__"), self.name)

    def begin(self, *_: Any, **__: Any) -> None:
        """Load what it needs."""
        if callable(ready := getattr(self.thing, "warm_up", None)):
            self._guarded(ready)

    def ask(self, question: str, k: int) -> Any:
        """Run it."""
        given = {self._into: question, **({self.asked: k} if self.asked else {})}
        awaited = getattr(self.thing, "run_async", None)
        answer = self.either(
            lambda: self.thing.run(**given), None if awaited is None else lambda: awaited(**given)
        )
        return self.documents(answer, (self._out,))


class Pipeline(_Haystack):
    """A pipeline with one output of documents. The question goes into every open query, text and question.

    ``top_k`` is asked of the component that gives the documents; those before it keep their own, so that
    a ranker gets the candidates that it gets in use.
    """

    def __init__(self, thing: Any) -> None:
        super().__init__(thing)
        inputs, outputs = thing.inputs(), thing.outputs()
        self._into = [
            (part, key)
            for part, sockets in inputs.items()
            for key, socket in sockets.items()
            if key in QUESTION and (socket.get("is_mandatory") or key != "text")
        ]
        open_ = [
            f"{part}.{key}"
            for part, sockets in inputs.items()
            for key, socket in sockets.items()
            if socket.get("is_mandatory") and (part, key) not in self._into
        ]
        if open_ or not self._into:
            what = f"needs {', '.join(sorted(open_))}" if open_ else "takes no query, text or question"
            raise InputError(
                f"the pipeline of Haystack {what}, and is given a question only",
                mend="connect what else it needs inside the pipeline, or give it a default",
            )
        ends = [(part, key) for part, sockets in outputs.items() for key in sockets]
        named = [end for end in ends if end[1] == DOCUMENTS] or (ends if len(ends) == 1 else [])
        if len(named) != 1:
            told = ", ".join(f"{part}.{key}" for part, key in ends)
            raise InputError(
                f"the pipeline of Haystack has {len(named)} outputs of documents: {told}",
                mend="let exactly one component give documents that go nowhere else; join them if need be",
            )
        self._out = named[0]
        self._deep = DEPTH in inputs.get(self._out[0], {})
        self.asked = f"{self._out[0]}.{DEPTH}" if self._deep else ""

    def begin(self, *_: Any, **__: Any) -> None:
        """Load what its components need."""
        if callable(ready := getattr(self.thing, "warm_up", None)):
            self._guarded(ready)

    def ask(self, question: str, k: int) -> Any:
        """Run it."""
        given: dict[str, dict[str, Any]] = {}
        for part, key in self._into:
            given.setdefault(part, {})[key] = question
        if self._deep:
            given.setdefault(self._out[0], {})[DEPTH] = k
        awaited = getattr(self.thing, "run_async", None)
        answer = self.either(
            lambda: self.thing.run(given), None if awaited is None else lambda: awaited(given)
        )
        return self.documents(answer, self._out)


def _sockets(thing: Any, name: str) -> Mapping[str, Any]:
    held = getattr(thing, name, None)
    found = getattr(held, "_sockets_dict", None)
    return found if isinstance(found, Mapping) else {}


def _only_documents(outputs: Mapping[str, Any], name: str) -> str:
    if DOCUMENTS in outputs or not outputs:
        return DOCUMENTS
    if len(outputs) == 1:
        return next(iter(outputs))
    raise InputError(
        f"component {name!r} of Haystack gives {', '.join(outputs)}, and no documents",
        mend="bring the component that gives documents, or a Pipeline that ends with it",
    )
