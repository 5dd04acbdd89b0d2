"""A baseline kept by seal: what a check needs of a results folder, small, and with no text in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, SealBroken, nearest
from evenhand.formats.regular_files import regular_bytes
from evenhand.formats.results.baseline_sides import read_results
from evenhand.model.json_text import loads
from evenhand.model.plan.check import Side
from evenhand.model.seal import seal

__all__ = ["SCHEMA", "baseline_bytes", "read_side"]

SCHEMA = "evenhand.baseline/1"
TEXTS = ("study", "primary", "split", "spans", "gold", "corpus", "judgements", "report", "state")
TABLES = ("systems", "definitions", "versions")


def read_side(path: Path) -> Side:
    """A results folder, its report.json, or a baseline that was kept of one."""
    if path.is_dir() or path.name == "report.json":
        return read_results(path)
    try:
        thing = loads(regular_bytes(path))
    except FileNotFoundError as error:
        raise InputError(
            f"there is no {path}",
            mend="name a results folder, or keep one: `evenhand check RESULTS --save-baseline FILE`",
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", mend="name another") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is no baseline: {error}", mend="name a results folder or a baseline"
        ) from error
    if not isinstance(thing, dict) or thing.get("schema") != SCHEMA:
        raise InputError(
            f"{path} is not a baseline of the form {SCHEMA}",
            mend="keep it anew with `evenhand check RESULTS --save-baseline FILE`",
        )
    held = thing.pop("seal", None)
    if held != seal(thing):
        raise SealBroken(
            f"{path} is not the baseline that was kept: its seal is that of another content",
            mend="take it from git as it was, or keep it anew from its results",
        )
    return _side(thing)


def baseline_bytes(side: Side, metrics: Iterable[str], systems: Iterable[str] = ()) -> tuple[bytes, str]:
    """The file and its seal: values of *metrics* of *systems* (default: all), question by question.

    The same results give the same bytes. Ids, seals and clusters of questions are in it, their texts are not.
    """
    wanted = list(dict.fromkeys(metrics))
    for name in wanted:
        if name not in side.metrics:
            raise InputError(f"{name} was not measured", mend=nearest(name, side.metrics))
    named = list(systems) or sorted(side.systems)
    for name in named:
        if name not in side.systems:
            raise InputError(f"the results have no system {name!r}", mend=nearest(name, side.systems))
    content = side.content or {}
    thing: dict[str, Any] = {
        "schema": SCHEMA,
        **{name: getattr(side, name) for name in TEXTS},
        "systems": {name: side.systems[name] for name in named},
        "definitions": {name: side.definitions[name] for name in wanted if name in side.definitions},
        "versions": dict(side.versions),
        "metrics": wanted,
        "seed": side.seed,
        "resamples": side.resamples,
        "criteria": {row["name"]: row["verdict"] for row in (side.criteria or {}).get("rows", ())},
        "questions": [[q, content.get(q, ""), side.cluster.get(q, "")] for q in side.questions],
        "values": [[s, m, list(side.values[s, m])] for s in named for m in wanted],
    }
    mark = seal(thing)
    return _text({**thing, "seal": mark}), mark


def _text(thing: Mapping[str, Any]) -> bytes:
    """A line a question and a line a column, so that it diffs well."""
    lines = []
    for key in sorted(thing):
        value = thing[key]
        if key in ("questions", "values") and value:
            rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value)
            lines.append(f'"{key}": [\n{rows}\n]')
        else:
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False, sort_keys=True)}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "surrogatepass")


def _side(thing: Mapping[str, Any]) -> Side:
    try:
        rows = thing["questions"]
        known = all(row[1] for row in rows)
        texts: dict[str, Any] = {name: str(thing[name]) for name in TEXTS}
        tables: dict[str, Any] = {name: dict(thing[name]) for name in TABLES}
        return Side(
            kind="baseline",
            **texts,
            **tables,
            metrics=tuple(thing["metrics"]),
            questions=tuple(row[0] for row in rows),
            content={row[0]: row[1] for row in rows} if known else None,
            cluster={row[0]: row[2] for row in rows if row[2]},
            not_run={},
            values={(s, m): list(values) for s, m, values in thing["values"]},
            seed=int(thing["seed"]),
            resamples=int(thing["resamples"]),
            criteria={"rows": [{"name": n, "verdict": v} for n, v in thing["criteria"].items()]},
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"the baseline is not of the form {SCHEMA} ({type(error).__name__}: {error})",
            mend="keep it anew with `evenhand check RESULTS --save-baseline FILE`",
        ) from error
