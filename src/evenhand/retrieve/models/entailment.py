"""Models of entailment (extra ``torch``): whether a claim follows from a text, by name or path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError
from evenhand.retrieve.models.sentence_transformer import CrossEncoder

__all__ = ["Entailment"]


@dataclass(frozen=True)
class Entailment(CrossEncoder):
    """Any cross-encoder with a label that begins with "entail", on the CPU.

    It is called with pairs of a text and a claim, and gives the probability that the claim follows from the
    text. ``label`` names the label where the model calls it otherwise (LABEL_0). Texts are cut at the
    model's limit, often 512 tokens, at their end. Sealed over its weights.
    """

    label: str = ""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One probability a pair, in [0, 1]."""
        column = self.column
        if not pairs:
            return []
        found = np.asarray(
            self._model.predict(
                list(pairs), batch_size=self.batch, show_progress_bar=False, apply_softmax=True
            ),
            dtype=float,
        )
        if found.ndim != 2 or not np.isfinite(found).all():
            raise InputError(
                f"the model {self.model!r} gave no probabilities", mend="name a model trained on entailment"
            )
        return [float(row[column]) for row in found]

    @property
    def column(self) -> int:
        """The place of the label among the model's outputs."""
        labels = {int(i): str(name) for i, name in dict(self._model.model.config.id2label).items()}
        wanted = self.label.casefold() or "entail"
        for place, name in sorted(labels.items()):
            if name.casefold() == wanted or (not self.label and name.casefold().startswith(wanted)):
                return place
        raise InputError(
            f"the model {self.model!r} has no label {self.label or 'entailment'!r}, but "
            + ", ".join(name for _, name in sorted(labels.items())),
            mend="name a model trained on entailment, or say which label means that a claim follows",
        )
