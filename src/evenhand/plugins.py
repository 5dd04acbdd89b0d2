"""A name is a built-in, an entry point, or ``package.module:Thing``; nothing registers itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, InputError, MissingExtra, nearest
from evenhand.guest_errors import raised

__all__ = [
    "BUILT_IN",
    "OWN",
    "SILENCED",
    "code",
    "find",
    "folder_first",
    "guarded",
    "importable",
    "made",
    "may_run",
    "need",
    "silence",
]

GROUP = "evenhand"
OWN = "this error is the guest's own; mend it there"

# libraries that report their use unless told not to, by what they read when they are imported: as in
# haystack-ai 3.4.1, ray 2.60, chromadb 1.5.9, ragas 0.4.3, deepeval 4.3.1, mlflow 3.18, unstructured 0.27
SILENCED = {
    "DO_NOT_TRACK": "1",  # unstructured, huggingface_hub, mlflow
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",  # sentence-transformers and transformers among them
    "ORT_DISABLE_TELEMETRY": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "ANONYMIZED_TELEMETRY": "False",  # chromadb
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "SCARF_NO_ANALYTICS": "true",
}

BUILT_IN: dict[str, dict[str, str]] = {
    "retriever": {
        "bm25": "evenhand.retrieve.lexical.bm25:BM25",
        "tfidf": "evenhand.retrieve.lexical.tfidf:TFIDF",
        "dense": "evenhand.retrieve.dense.dense:Dense",
        "vectors": "evenhand.retrieve.vectors.precomputed:Vectors",
        "qdrant": "evenhand.retrieve.indexes.qdrant:Qdrant",
        "pgvector": "evenhand.retrieve.indexes.pgvector:PgVector",
        "lancedb": "evenhand.retrieve.indexes.lancedb:LanceDB",
        "elasticsearch": "evenhand.retrieve.indexes.elasticsearch:Elasticsearch",
        "opensearch": "evenhand.retrieve.indexes.opensearch:OpenSearch",
        "random": "evenhand.retrieve.null:Random",
        "popular": "evenhand.retrieve.null:Popular",
        "constant": "evenhand.retrieve.null:Constant",
    },
    "embedder": {
        "minilm": "evenhand.retrieve.models.minilm:MiniLM",
        "stored": "evenhand.retrieve.vectors.stored:Stored",
        "sentence-transformers": "evenhand.retrieve.models.sentence_transformer:SentenceTransformer",
        "openai": "evenhand.llm:Embeddings",
    },
    "index": {"hnsw": "evenhand.retrieve.dense.hnsw:HNSW"},
    "reranker": {
        "onnx": "evenhand.retrieve.models.onnx_cross_encoder:CrossEncoder",
        "cross-encoder": "evenhand.retrieve.models.sentence_transformer:CrossEncoder",
    },
    "chunking": {
        "fixed": "evenhand.corpus.chunk:Fixed",
        "sentences": "evenhand.corpus.chunk:Sentences",
        "headings": "evenhand.corpus.chunk:Headings",
        "recursive": "evenhand.corpus.chunk:Recursive",
        "document": "evenhand.corpus.chunk:Whole",
    },
}


_allowed = [True]  # whether code that somebody brings may run: of this process, threads included
_folders: list[str] = []  # where modules that somebody brings are looked for


@contextmanager
def code(*, runs: bool) -> Iterator[None]:
    """Allow or forbid, as long as this is open, that code which a study brings is imported or started."""
    _allowed.append(runs)
    try:
        yield
    finally:
        _allowed.pop()


def may_run(name: str) -> None:
    """Raise InputError where *name*, which is code that somebody brings, may not run here."""
    if not _allowed[-1]:
        raise InputError(
            f"{name!r} is code that the study brings, and nothing here runs it",
            mend="read that code; `evenhand run` runs it, and so does a command with --run-code",
        )


@contextmanager
def importable(folder: str | Path) -> Iterator[None]:
    """Let ``python:module:Thing`` be found in *folder*, and leave no bytecode there.

    Its modules come first while such a name is imported, else behind all others, so that a file there never
    stands for a library. Where code may not run the folder is left alone.
    """
    if not _allowed[-1]:
        yield
        return
    path, silent = str(Path(folder).resolve()), sys.dont_write_bytecode
    new = path not in sys.path
    sys.path += [path] if new else []
    _folders.append(path)
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = silent
        _folders.remove(path)
        if new and path in sys.path:
            sys.path.remove(path)


@contextmanager
def folder_first() -> Iterator[None]:
    """Look in the folders of `importable` before all others, for one name."""
    sys.path[:0] = places = list(_folders)
    try:
        yield
    finally:
        for path in places:
            if path in sys.path:
                sys.path.remove(path)


def silence() -> None:
    """Tell libraries that are imported from here on to report nothing; what somebody has set stays."""
    for name, value in SILENCED.items():
        os.environ.setdefault(name, value)


def need(package: str, *, extra: str) -> Any:
    """Import *package* now, silenced, or say which extra brings it."""
    silence()
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package.split(".", maxsplit=1)[0]:
            raise
        raise MissingExtra(
            f"this needs the package {package.split('.', maxsplit=1)[0]!r}, which is not installed",
            mend=f"pip install 'evenhand[{extra}]'",
        ) from error


def find(name: str, kind: str) -> Any:
    """The thing behind *name*: a built-in of *kind*, an entry point, or ``python:package.module:Thing``."""
    silence()
    known = BUILT_IN.get(kind, {})
    if name in known:
        return _load(known[name], name)
    if name.startswith("python:") or ":" in name:
        may_run(name)
        return _load(name.removeprefix("python:"), name)
    for entry in entry_points(group=f"{GROUP}.{kind}"):
        if entry.name == name:
            may_run(name)
            with guarded(f"{name!r}: importing {entry.value!r}", "see to the package that brings it"):
                return entry.load()
    raise InputError(
        f"no {kind} is called {name!r}",
        mend=f"{nearest(name, known)}; or bring your own as 'python:package.module:Thing'",
    )


@contextmanager
def guarded(doing: str, mend: str) -> Iterator[None]:
    """Run code that somebody brings: what it raises becomes an InputError that says what was being done.

    An error of ours that it raises (with words of its own) passes, and so does an interrupt.
    """
    try:
        yield
    except (EvenhandError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # sys.exit() in a module is no end of ours either
        raise InputError(f"{doing} raised {raised(error)}", mend=mend) from error


def made(kind: Any, settings: Mapping[str, Any], *, where: str, mend: str) -> Any:
    """What a class or a function that somebody brings makes of *settings*.

    Raises InputError where it does not take them (*mend* says what it must take), and where it raises.
    """
    with guarded(f"{where}: making it", OWN):
        try:
            return kind(**settings)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # it took the settings, and the error is from within
            raise InputError(f"{where} cannot be made of {sorted(settings)}: {error}", mend=mend) from error


def _load(path: str, name: str) -> Any:
    module, _, attribute = path.partition(":")
    if not module or not attribute:
        raise InputError(f"{name!r} does not say what to import", mend="write python:package.module:Thing")
    with guarded(f"{name!r}: importing module {module!r}", OWN):
        try:
            with folder_first():
                thing: Any = import_module(module)
        except ModuleNotFoundError as error:
            # only when it is the guest itself that is missing, not something the guest imports
            if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
                raise
            raise InputError(
                f"{name!r}: there is no module {error.name!r}",
                mend="put it on the Python path; the folder of the study file is searched too",
            ) from error
    for part in attribute.split("."):
        with guarded(f"{name!r}: looking for {part!r}", OWN):
            there = hasattr(thing, part)
        if not there:
            public = [n for n in dir(thing) if not n.startswith("_")]
            raise InputError(f"{name!r}: module {module!r} has no {part!r}", mend=nearest(part, public))
        thing = getattr(thing, part)
    return thing
