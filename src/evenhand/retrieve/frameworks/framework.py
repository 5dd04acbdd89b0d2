"""What the retrievers of all frameworks have in common: errors put one question aside, answers are hits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from evenhand.errors import EvenhandError, InputError, Unreachable
from evenhand.retrieve.guests.ask_guest import told
from evenhand.retrieve.guests.async_loop import Loop
from evenhand.retrieve.guests.bridge import Bridge

__all__ = ["Framework"]


class Framework(Bridge):
    """A retriever of a framework, known by its shape: the framework itself is not imported here.

    ``asked``: how it is told how deep to search; empty where it has its own depth. Whatever it raises on a
    question puts that question aside; an answer of another form is an InputError at once.
    """

    framework = ""
    package = ""  # whose version is told
    asked = ""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.name = str(getattr(thing, "name", "") or type(thing).__name__)
        self._loop = Loop()
        self._async = False

    def settings(self) -> dict[str, Any]:
        """Framework, version and class, and whether it is told how deep to search."""
        try:
            package = f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            package = ""
        return {
            "retriever": "guest",
            "framework": self.framework,
            **({"package": package} if package else {}),
            "is": type(self.thing).__qualname__,
            "depth_asked_by": self.asked or "not asked: its own",
            "chunking": "its own",
        }

    def search(self, question: str, k: int) -> Sequence[Any]:
        """Its documents as hits."""
        answer = self._guarded(lambda: self.ask(question, k))
        if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
            raise InputError(
                f"retriever {self.name!r} of {self.framework} answered with {type(answer).__name__}",
                mend="it must return a list of documents, best first",
            )
        return [self.hit(one) for one in answer]

    def ask(self, question: str, k: int) -> Any:
        """The framework's own answer."""
        raise NotImplementedError

    def hit(self, one: Any) -> Any:
        """One document of the answer as a hit."""
        raise NotImplementedError

    def odd(self, one: Any) -> InputError:
        """What is said of something that is no document of this framework."""
        return InputError(
            f"retriever {self.name!r} of {self.framework} answered with a {type(one).__name__}",
            mend="it must return documents; wrap what answers otherwise in a function search(question, k)",
        )

    def close(self) -> None:
        """End the loop, if it was asked asynchronously."""
        self._loop.close()

    def either(self, work: Callable[[], Any], awaited: Callable[[], Any] | None) -> Any:
        """*work*, or *awaited* where it is only there asynchronously."""
        if not self._async:
            try:
                answer = work()
            except NotImplementedError:
                if awaited is None:
                    raise
                self._async = True
            else:
                return self._loop.run(answer) if inspect.isawaitable(answer) else answer
        if awaited is None:  # pragma: no cover - only set where there is one
            raise NotImplementedError
        return self._loop.run(awaited())

    def _guarded(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except EvenhandError:
            raise
        except Exception as error:
            raise Unreachable(
                f"retriever {self.name!r} of {self.framework} failed: {told(error)}",
                mend="this error is the guest's own; mend it there",
                why=type(error).__name__,
            ) from error
