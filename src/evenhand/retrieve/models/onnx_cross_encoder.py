"""A cross-encoder from a local folder: model.onnx and tokenizer.json."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.model.seal import seal
from evenhand.plugins import need

if TYPE_CHECKING:
    from evenhand.model.text import Unit

__all__ = ["CrossEncoder"]


@dataclass(frozen=True)
class CrossEncoder:
    """Scores (question, unit) pairs with a sequence classifier exported to ONNX.

    ``path``: the folder. ``limit``: tokens of a pair, marks counted; the unit is cut, never the question.
    ``column``: which logit is the score, when there are several.
    """

    path: str | Path
    limit: int = 512
    batch: int = 16
    column: int = -1
    threads: int | None = None

    @property
    def name(self) -> str:
        """How reports call it."""
        return Path(self.path).name

    def __reduce__(self) -> tuple[Any, ...]:
        return CrossEncoder, (self.path, self.limit, self.batch, self.column, self.threads)

    def _file(self, name: str) -> Path:
        found = Path(self.path) / name
        if not found.is_file():
            raise InputError(
                f"the reranker {self.path} has no file {name}",
                mend="give a folder that holds model.onnx and tokenizer.json",
            )
        return found

    @cached_property
    def seal(self) -> str:
        """Identity of both files, the limit, the batch plan and the version that runs them."""
        digests = []
        for name in ("model.onnx", "tokenizer.json"):
            with self._file(name).open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        need("onnxruntime", extra="dense")
        return seal([*digests, self.limit, self.batch, self.column, version("onnxruntime")])

    @cached_property
    def _session(self) -> Any:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read on import
        runtime = need("onnxruntime", extra="dense")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self.threads or min(2, os.cpu_count() or 1)
        options.log_severity_level = 3
        return runtime.InferenceSession(
            str(self._file("model.onnx")), options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizers = need("tokenizers", extra="dense")
        made = tokenizers.Tokenizer.from_file(str(self._file("tokenizer.json")))
        made.enable_truncation(self.limit, strategy="only_second")
        made.no_padding()
        return made

    def rerank(self, question: str, units: Sequence[Unit]) -> Sequence[float]:
        """One score a unit, in the order given."""
        pairs = self._tokenizer.encode_batch([(question, unit.text) for unit in units])
        lengths = np.array([len(pair.ids) for pair in pairs], dtype=np.int64)
        order = np.argsort(-lengths, kind="stable")
        wanted = {port.name for port in self._session.get_inputs()}
        scores = np.zeros(len(pairs))
        for first in range(0, len(pairs), self.batch):
            rows = order[first : first + self.batch]
            feed = {
                name: np.zeros((len(rows), lengths[rows[0]]), dtype=np.int64)
                for name in ("input_ids", "attention_mask", "token_type_ids")
            }
            for i, row in enumerate(rows.tolist()):
                feed["input_ids"][i, : lengths[row]] = pairs[row].ids
                feed["attention_mask"][i, : lengths[row]] = 1
                feed["token_type_ids"][i, : lengths[row]] = pairs[row].type_ids
            logits = self._session.run(None, {k: v for k, v in feed.items() if k in wanted})[0]
            scores[rows] = logits.reshape(len(rows), -1)[:, self.column]
        found: list[float] = scores.tolist()
        return found
