"""Everything that can be brought, by shape: no base class to inherit, nothing to register."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenhand.model.call import Reply, Request
    from evenhand.model.judging import Access, Desk, Entry, Event, Saved, Standing, Task
    from evenhand.model.pool import Pool, PoolItem
    from evenhand.model.sheet import Sheet
    from evenhand.model.text import Corpus, Unit, Units

__all__ = [
    "Chat",
    "Chunker",
    "Embedder",
    "Engine",
    "NearIndex",
    "Progress",
    "Reranker",
    "Retriever",
    "Searcher",
    "Store",
    "quiet",
]

A = TypeVar("A")
B = TypeVar("B")


@runtime_checkable
class Searcher(Protocol):
    """A guest that brings its own index: it is its own chunking.

    A plain function ``search(question, k)`` will do as well. A hit is ``{"doc", "start", "end"}``,
    ``{"text", "doc"?}`` or ``{"unit"}``, each with an optional ``"score"``; or a pair (unit id, score).
    """

    def search(self, question: str, k: int) -> Sequence[Any]:
        """At most *k* hits, best first."""


@runtime_checkable
class Retriever(Searcher, Protocol):
    """A guest that searches our units: ``index`` is called once, before the first search."""

    def index(self, units: Sequence[Unit]) -> None:
        """Take the units to be searched."""


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def seal(self) -> str:
        """Identity of weights, limits and batch plan: vectors are cached under it."""

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """float32[n, dimensions], in the order of *texts*; a row of zeros means "no embedding"."""


@runtime_checkable
class NearIndex(Protocol):
    """An approximate index of vectors of length 1: a class made with ``dimensions`` and its options.

    ``settings()``, where it has it, says what its answers depend on. The same vectors added in the same
    order must give the same answers.
    """

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Take the next rows, float32[n, dimensions]."""

    def search(self, vectors: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """int64[q, k]: positions in the order of adding, the nearest by inner product; -1: there is none."""


@runtime_checkable
class Reranker(Protocol):
    """Scores candidates for one question; higher is better."""

    def rerank(self, question: str, units: Sequence[Unit]) -> Sequence[float]:
        """One score a unit, in the order given."""


@runtime_checkable
class Chunker(Protocol):
    """The rule that cuts documents into units; a plain function ``split(text)`` will do as a guest."""

    def cut(self, corpus: Corpus) -> Units:
        """All units of the corpus."""


@runtime_checkable
class Chat(Protocol):
    """A model that answers in text: ours, or any object of this shape.

    It may tell its ``endpoint`` as well, the base address it asks: what is asked there at once, and waits, is
    then counted for all models of that address together.
    """

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def family(self) -> str:
        """Whose model it is (gpt, claude …; empty: not known): judges of one family are no two opinions."""

    @property
    def seal(self) -> str:
        """Identity of model, address and parameters; replies are kept under it."""

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """One reply, also one that was cut off or refused; at most *timeout* seconds.

        Raises `evenhand.errors.Unreachable` when none came: network, key, rate, server. Its ``wait`` is how
        long the endpoint asked to be left alone (seconds; None when it said nothing), its ``again`` whether
        asking again can help.
        """


class Engine(Protocol):
    """Where work runs, and nothing else: the same bytes come out of every engine.

    ``evenhand.testing.EngineContract`` tests all that is said here. May be used from several threads.
    """

    def map(
        self,
        work: Callable[..., B],
        items: Iterable[A],
        *,
        shared: Sequence[Any] = (),
        waits: bool = False,
    ) -> Iterator[B]:
        """Give ``work(*shared, item)`` for each item, in the order of *items*, whatever ran first.

        *work* is an importable function; *shared*, which may be large, is sent once and not with every item.
        Items are taken a few ahead of the results that were taken, never all at once. An error of the work
        is raised as it is. Work whose worker is lost is done again, so it may be done twice; its result is
        given once. *waits*: the work waits for others (a reply) and needs no core to itself.
        """


class Progress(Protocol):
    """Told how far a stage has come; called from the working thread, must return at once."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """*done* of *total* steps of *stage* are finished."""


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """Progress that nobody watches."""


class Store(Protocol):
    """Pools, desks and the books of their judges. Nothing is ever updated or deleted.

    Every method that returns has made its change durable. Methods may be called from several threads and
    processes; one that finds what it was to store already there stores nothing. An unknown id is an
    `InputError`. Times are ISO 8601 in UTC and come from the caller. ``evenhand.testing.StoreContract``
    tests all that is said here.
    """

    # things by content, and logs: for whatever has no table of its own (frozen agreement, edits of gold)
    def put(self, kind: str, payload: Mapping[str, Any]) -> str:
        """Keep plain JSON under its seal, and return that; *kind* is the shelf it stands on.

        The same payload on a second shelf is an error: let a payload name its schema.
        """

    def get(self, seal: str) -> dict[str, Any]:
        """The payload under a seal."""

    def seals(self, kind: str) -> list[str]:
        """The seals of all payloads of one kind, in the order in which they came."""

    def append(self, log: str, line: Mapping[str, Any], *, token: str = "") -> int:
        """Add a line of plain JSON to a log and return its number, from 1.

        With a token: a second line under it is not stored, and the first one's number is returned.
        """

    def lines(self, log: str, *, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Number and content of the lines of a log whose number is above *after*, in order."""

    # pools and sheets
    def add_pool(self, pool: Pool, texts: Iterable[str], *, at: str) -> str:
        """Keep a pool and the texts of its items (in any order, each at least once); returns its seal.

        A text that is missing, or whose SHA-256 no item names, is an error and nothing is stored.
        """

    def pool(self, seal: str) -> Pool:
        """The whole pool, with who found what: for owners, never for a desk."""

    def pools(self) -> list[tuple[str, str, int]]:
        """Seal, name and number of items of every pool, in the order in which they came."""

    def add_items(self, items: Sequence[PoolItem], texts: Iterable[str]) -> None:
        """Keep items that are in no pool (attention items), so that tasks can point at them."""

    def item(self, item: str) -> PoolItem:
        """One item: what is known of it without any system."""

    def text(self, text_sha256: str) -> str:
        """The text with this hash, exactly as it was judged."""

    def question(self, pool: str, question: str) -> str:
        """The text of a question as it stood when the pool was made."""

    def use_sheet(self, pool: str, sheet: Sheet, *, by: str, at: str, reason: str = "") -> str:
        """From now on the desks of *pool* show this sheet; earlier entries keep theirs. Returns its seal."""

    def sheet_of(self, pool: str) -> Sheet:
        """The sheet in use for a pool."""

    def sheet(self, seal: str) -> Sheet:
        """A sheet by its version."""

    # desks
    def add_desks(self, desks: Sequence[tuple[Desk, Sequence[Task]]]) -> None:
        """Keep desks with their tasks: all of them or none. A desk that is there already stays as it is."""

    def desk(self, desk: str) -> Desk:
        """One desk."""

    def desks(self, *, pool: str = "", judge: str = "", kind: str = "") -> list[Desk]:
        """Desks in the order in which they came, of one pool, judge or kind when named."""

    def tasks(self, desk: str) -> list[Task]:
        """All tasks of a desk, by position."""

    def task(self, task: str) -> Task:
        """One task."""

    def next_task(self, desk: str, *, after: int = -1) -> Task | None:
        """The first task behind position *after* without a standing entry, then from the start; or None.

        A skip stands: skipped tasks do not come again by themselves.
        """

    def save(self, entry: Entry) -> Saved:
        """Write an entry (not an undo) into its desk's book.

        Idempotent twice over: an entry under a token of this desk and task that is there already, and one
        that says what already stands for its task, store nothing and return what stands (``fresh`` False).
        The same token with another answer is an error. A different answer under a new token supersedes.
        """

    def undo(self, desk: str, *, token: str, at: str, task: str = "") -> Saved | None:
        """Take back the last standing entry of the desk (of *task* when named); None: nothing to take back.

        The book gains an entry of kind undo that names the number it takes back; repeated calls go back
        without limit; the same token again stores nothing and returns the same. An entry that superseded
        another gives way to it.
        """

    def book(self, desk: str, *, after: int = 0) -> Iterator[Entry]:
        """All entries of a desk with a number above *after*, in order: the audit trail."""

    def standing(self, desk: str) -> list[Standing]:
        """Each task of a desk with the entry that stands for it, by position."""

    def progress(self, desk: str) -> tuple[int, int]:
        """(tasks with a standing entry, all tasks): quick, whatever the length of the book."""

    def record(self, events: Sequence[Event]) -> int:
        """Keep events, passing over a (desk, token) that is there already. Returns how many were new."""

    def events(self, desk: str) -> Iterator[Event]:
        """The events of a desk in the order in which they came."""

    # who may come in
    def grant(self, name: str, role: str, *, at: str) -> tuple[Access, str]:
        """A new access and its token: 256 random bits, given out here once and kept only as a hash."""

    def admit(self, token: str) -> Access | None:
        """Whose token this is; None when it is nobody's or was revoked."""

    def revoke(self, access: str, *, at: str) -> None:
        """End an access from now on."""

    def accesses(self) -> list[Access]:
        """All that were ever granted, in order."""

    # whole
    def dump(self) -> Iterator[dict[str, Any]]:
        """Everything but the hashes of tokens, as plain JSON records in a stable order that `load` takes."""

    def load(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Take in what `dump` gave, all or nothing; returns how many records were new.

        What is there already is passed over; what contradicts it is an error. Nobody can come in by an
        access that was loaded.
        """

    def check(self) -> list[str]:
        """Every fault found, in words: hashes that do not fit, orphans, gaps in a book; empty when whole."""

    def close(self) -> None:
        """Let go of all connections."""
