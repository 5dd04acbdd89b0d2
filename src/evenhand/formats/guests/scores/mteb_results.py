"""MTEB's result files: the means of whole tasks; a folder of a model holds one a task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.rag_table import text_at
from evenhand.model.json_text import loads

__all__ = ["rows_of_results"]

CUTOFF = "10"  # MTEB gives seven; the others say the same of the same ranking
NAME = re.compile(rf"(ndcg|map|mrr|recall|precision)_at_{CUTOFF}")


def rows_of_results(path: Path) -> Iterator[tuple[str, dict[str, Any], int]]:
    """For each task, split and language: its name, its scores at the cutoff, and how many others it has."""
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    for file in files:
        whole = loads(text_at(file), parse_constant=lambda _: None)
        if not isinstance(whole, dict) or "scores" not in whole:
            if path.is_dir():
                continue  # model_meta.json lies beside the tasks
            raise InputError(
                f"{file.name} holds no scores", mend="give a result file of MTEB, or a folder of them"
            )
        task = str(whole.get("task_name") or file.stem)
        for split, rows in whole["scores"].items():
            for row in rows:
                found = {name: value for name, value in row.items() if NAME.fullmatch(name)}
                others = sum(isinstance(value, int | float) for value in row.values()) - len(found)
                if found:
                    yield f"{task}/{split}/{row.get('hf_subset', 'default')}", found, others
