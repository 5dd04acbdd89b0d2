"""What the retrievers of all databases have in common."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.llm import shown
from evenhand.model.seal import seal
from evenhand.plugins import need, silence
from evenhand.retrieve.guests.bridge import Bridge
from evenhand.retrieve.indexes.fields import Fields, check_parts
from evenhand.retrieve.indexes.metric import told as metric_told
from evenhand.retrieve.indexes.retries import Fault, tried
from evenhand.retrieve.indexes.sample import sample_told
from evenhand.retrieve.indexes.upload import Filling
from evenhand.retrieve.vectors.embed import as_embedder, embed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Embedder, Progress
    from evenhand.store.blobs import Blobs

__all__ = ["Asked", "Index", "Look", "address_of"]


@dataclass(slots=True)
class Look:
    """What a database tells of an index: how it compares, how wide and how large it is, how it searches."""

    fields: set[str]
    pieces: int
    search: str
    metric: str = ""
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its text, its vector (empty where none is needed), and how many hits are wanted."""

    text: str
    vector: list[float]
    k: int


@dataclass(eq=False, kw_only=True)
class Index(Bridge):
    """An index that a database keeps, searched one question at a time.

    ``fields`` says which field holds ``text``, ``doc``, ``start``, ``end`` and ``unit``, where they are not
    called so. ``embedder`` (with ``options`` and ``question_prefix``) makes the questions' vectors: the one
    that the index was filled with. ``key_env`` names the variable that holds a key or password.
    ``fill``: an index of a name of our own is filled with the study's units, and kept; never theirs.
    ``cache``, ``timeout`` (seconds) and ``retries`` are as for an endpoint.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    embedder: Any = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    question_prefix: str = ""
    unit_prefix: str = ""
    key_env: str = ""
    fill: bool = False
    cache: bool = False
    timeout: float = 30.0
    retries: int = 2
    name: str = "index"

    # of a class, not settings
    retriever = ""  # as a study file calls it
    label = ""  # as errors do
    extra = ""
    package = ""
    keeps = "collection"  # the setting that names what is searched
    mend = ""  # of an error that no other words are known for

    def __post_init__(self) -> None:
        self.base = Path()  # of the study: relative paths begin there
        self._client: Any = None
        self._look: Look | None = None
        self._fields: Fields | None = None
        self._asked: dict[str, NDArray[Any]] = {}
        self._share = 0.0  # seconds of embedding, of each question
        self._told: list[str] = []
        self._filled = ""
        self._model: Embedder | None = None
        if not self.timeout > 0 or self.retries < 0:
            raise InputError(
                f"timeout = {self.timeout}, retries = {self.retries} cannot be used",
                mend="give a timeout above 0 and retries from 0",
            )
        check_parts(self.fields)
        place = getattr(self, self.keeps)
        if self.fill and place:
            raise InputError(
                f"fill = true goes into a {self.keeps} of our own, and {self.keeps} = {place!r} is named",
                mend=f"leave {self.keeps} out; what is already there is never written to",
            )
        if self.fill and self.fields:
            raise InputError("fill = true writes fields of our own", mend="leave fields out")
        if not self.fill and not place:
            raise InputError(f"names no {self.keeps}", mend=f'write {self.keeps} = "…"')
        if self.dense and not self.embedder:
            raise InputError(
                "has no embedder for the questions",
                mend='write embedder = "…": the one whose vectors the index holds',
            )
        if not self.dense and self.embedder:
            raise InputError("has an embedder, and asks for no vector", mend="leave embedder out")

    # -- what a database's own module says

    @property
    def dense(self) -> bool:
        """Whether the questions' vectors are needed."""
        return True

    @property
    def address(self) -> str:
        """Where it is, as it may be shown."""
        raise NotImplementedError

    def connect(self, key: str) -> Any:
        """A client."""
        raise NotImplementedError

    def look(self, client: Any, place: str) -> Look:
        """Read what is there of *place*; InputError where it is not."""
        raise NotImplementedError

    def put(self, client: Any, filling: Filling, progress: Progress) -> None:
        """Make *filling* be there: what is there already stays."""
        raise NotImplementedError

    def nearest(self, client: Any, place: str, asked: Asked, fields: Fields) -> list[Any]:
        """The hits for one question."""
        raise NotImplementedError

    def sample(self, client: Any, place: str, fields: Fields) -> list[tuple[str, Sequence[float]]]:
        """A few texts with their stored vectors; none where they cannot be read."""
        raise NotImplementedError

    def fault(self, error: Exception) -> Fault:
        """What an exception of the client means."""
        raise NotImplementedError

    def shut(self, client: Any) -> None:
        """Close the client."""
        client.close()

    def more(self) -> dict[str, Any]:
        """Settings of its own that rankings depend on."""
        return {}

    # -- the bridge

    @property
    def over_ours(self) -> bool:
        """With ``fill``."""
        return self.fill

    @property
    def deep(self) -> bool:
        """A dense search finds as many as there are."""
        return self.dense

    @property
    def model(self) -> Embedder:
        """The embedder of the questions."""
        if self._model is None:
            self._model = as_embedder(self.embedder, **dict(self.options))
        return self._model

    @property
    def seal(self) -> str:
        """Whose answers these are: the address and all settings."""
        return seal(["index", self.settings(), str(getattr(self, "url", ""))])

    def settings(self) -> dict[str, Any]:
        """Retriever, address, names and embedder; never a key."""
        made: dict[str, Any] = {"retriever": self.retriever, "address": self.address}
        if not self.fill:
            made[self.keeps] = getattr(self, self.keeps)
        if self.fields:
            made["fields"] = dict(self.fields)
        if self.dense:
            made |= {"embedder": self.model.name, "embedder_seal": self.model.seal or None}
            for part in ("question_prefix", "unit_prefix"):
                if getattr(self, part):
                    made[part] = getattr(self, part)
        return {**made, **self.more(), "chunking": "ours" if self.fill else "its own"}

    def check(self) -> None:
        """Raise now what is known before anything is asked: a missing package, an unknown embedder."""
        if find_spec(self.package) is None:  # not imported before it has to work
            need(self.package, extra=self.extra)
        if self.dense:
            _ = self.model

    def begin(
        self, units: Units, questions: Sequence[str], *, cache: Blobs | None, progress: Progress
    ) -> None:
        """Connect, fill where that is asked for, look, and embed the questions."""
        self._told = []
        place = str(getattr(self, self.keeps))
        if self.fill:
            made = Filling.of(self, units, cache=cache, progress=progress)
            self._tried(lambda: self.put(self._open(), made, progress))
            place, self._told = made.name, made.told
        self._filled = place
        look = self._look = self._tried(lambda: self.look(self._open(), place))
        self._fields = Fields(self.fields, look.fields, told=self._named(place))
        if not self.dense:
            return
        begun = perf_counter()
        texts = [self.question_prefix + question for question in questions]
        rows = embed(
            self.model, texts, total=len(texts), cache=cache, progress=progress, stage="embed questions"
        )
        self._share = (perf_counter() - begun) / max(len(texts), 1)
        self._asked = dict(zip(questions, rows, strict=True))
        if look.dimensions and look.dimensions != rows.shape[1]:
            raise InputError(
                f"{self._named(place)} holds vectors of {look.dimensions} dimensions, and embedder "
                f"{self.model.name!r} makes {rows.shape[1]}",
                mend="name the embedder that the index was filled with",
            )
        self._told += metric_told(look.metric, self.model)
        if not self.fill:
            fields = self._fields
            held = self._tried(lambda: self.sample(self._open(), place, fields))
            self._told += sample_told(self.model, held, self.unit_prefix)

    def facts(self) -> dict[str, Any]:
        """What the index is: measure, dimensions, size, and whether it searches exactly."""
        look = self._look
        if look is None:
            return {}
        found: dict[str, Any] = {"pieces": look.pieces, "search": look.search}
        if look.metric:
            found |= {"metric": look.metric, "dimensions": look.dimensions}
        return {"index": found, **({"told": self._told} if self._told else {})}

    def search(self, question: str, k: int) -> list[Any]:
        """Ask one question."""
        vector = self._asked.get(question)
        if self.dense and (vector is None or not vector.any()):
            return []  # a question without an embedding is near to nothing
        fields, place = self._fields, self._filled
        if fields is None:
            raise InputError("was asked before it was ready", mend="call begin first")
        asked = Asked(question, [] if vector is None else [float(part) for part in vector], k)
        found: list[Any] = self._tried(lambda: self.nearest(self._open(), place, asked, fields))
        return found

    def close(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        if client is not None:
            self.shut(client)

    def _open(self) -> Any:
        """The client; another one where the last was lost."""
        if self._client is None:
            silence()  # clients are imported now
            self._client = self.connect(self._key())
        return self._client

    def _tried(self, work: Any) -> Any:
        told = f"{self.label} at {self.address}"
        return tried(work, fault=self.fault, retries=self.retries, told=told, mend=self.mend)

    def _named(self, place: str) -> str:
        return f"{self.keeps} {place!r} of {self.label}"

    def _key(self) -> str:
        if not self.key_env:
            return ""
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise InputError(
                f"the environment has no key {self.key_env!r} for {self.address}",
                mend=f"export {self.key_env}=…, or leave key_env out for a server that asks for none",
            )
        return key


def address_of(url: str, schemes: tuple[str, ...]) -> str:
    """*url* as it may be shown; InputError for another scheme, and for a password in it."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme not in schemes:
        raise InputError(f"url is {shown(url)!r}", mend=f'write url = "{schemes[0]}://host:port"')
    place, _, query = rest.partition("?")
    signs = place.partition("/")[0].rpartition("@")[0]
    named = {part.split("=")[0].casefold() for part in query.split("&")}
    secret = named & {
        "password",
        "api_key",
        "token",
        "key",
    }
    if ":" in signs or secret:
        raise InputError(
            f"url holds a password: {shown(url)!r}",
            mend='take it out of the file: key_env = "NAME" names the variable that holds it',
        )
    return shown(url)
