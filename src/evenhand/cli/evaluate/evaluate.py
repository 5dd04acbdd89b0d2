"""What ``evenhand eval`` does: files against files, with intervals and paired comparison."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evenhand.errors import Empty, InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evenhand.metrics.measure.trec_eval_mode import Named
    from evenhand.metrics.measure.view import Judged, View
    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels

__all__ = ["evaluate"]

# policy -> the order in which a file is read for it
TIES = {"trec": "trec", "trec10": "trec", "trec9": "trec9", "file": "file", "expected": "trec"}
LARGE = 1 << 25  # bytes of a run from which a process of its own pays
DEFAULT = ("nDCG@10", "RR@10", "R@10", "Judged@10")


def evaluate(
    qrels: Path,
    runs: list[Path],
    *,
    metric: list[str] | None = None,
    json: bool = False,
    per_question: bool = False,
    like: str | None = None,
    complete: bool = False,
    level: float = 1,
    max_depth: int | None = None,
    ties: str = "trec",
    without_relevant: str = "undefined",
    bounds: bool = False,
    pairs: list[str] | None = None,
    interval_level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
    lenient: bool = False,
    workers: int = 0,
) -> None:
    """Measure runs against judgements and print; the options are those of ``evenhand eval``."""
    # its matrices are thin: a second thread of the matrix library mostly waits, at the cost of a processor
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from evenhand.cli.evaluate import output as say
    from evenhand.metrics.measure.measure import measure
    from evenhand.metrics.measure.trec_eval_mode import LIKE
    from evenhand.metrics.measure.view import Judged

    if like is not None and like not in LIKE:
        raise InputError(f"--like {like} is not known", mend=nearest(like, LIKE))
    if like is not None and (ties, without_relevant, bounds) != ("trec", "undefined", False):
        raise InputError(
            f"--like {like} sets the policies itself",
            mend="leave --ties, --without-relevant and --bounds out",
        )
    if ties not in TIES:
        raise InputError(f"--ties {ties} is not known", mend=nearest(ties, TIES))
    if max_depth is not None and max_depth < 1:
        raise InputError(f"--max-depth is {max_depth}", mend="give a whole number of at least 1")
    wanted = _metrics(metric, like=like, level=level)
    judged = _qrels(qrels, like=like, lenient=lenient)
    order = LIKE[like] if like else TIES[ties]
    empty: list[str] = []
    read = list(
        _runs(
            runs,
            Judged(judged),
            empty=empty,
            workers=workers,
            ties=order,
            lenient=lenient,
            depth=max_depth,
            hashed=json,
        )
    )
    warnings = [f"{one}: it is left out" for one in empty]
    warnings += [*_unmatched(judged, read), *say.qrels_notices(judged)]
    m = measure(
        judged,
        read,
        [one.metric for one in wanted],
        ties=ties,
        without_relevant=without_relevant,
        bounds=bounds,
        audited=like is None,
    )
    if like is not None:
        from evenhand.cli.evaluate.trec_eval_output import like_json, like_text

        said = like_json if json else like_text
        said(m, wanted, read, like=like, complete=complete, per_question=per_question, warnings=warnings)
        return
    say.compared(
        m,
        wanted,
        read,
        json=json,
        per_question=per_question,
        warnings=warnings,
        ties=ties,
        without_relevant=without_relevant,
        pairs=_pairs(pairs, m),
        level=interval_level,
        resamples=resamples,
        signs=signs,
        seed=seed,
    )


def _metrics(asked: list[str] | None, *, like: str | None, level: float) -> list[Named]:
    from evenhand.metrics.measure.trec_eval_mode import OFFICIAL, Named, at_level, expand

    found = [
        Named(one.name, at_level(one.metric, level))
        for text in asked or (OFFICIAL if like else DEFAULT)
        for one in expand(text, nearest_recall=like == "trec_eval10")
    ]
    if not found:
        raise InputError("no metric is named", mend="for example -m nDCG@10")
    return found


def _qrels(path: Path, *, like: str | None, lenient: bool) -> Qrels:
    from evenhand.formats.runs.trec import read_qrels

    return read_qrels(path, lenient=lenient, whole_grades=like is not None)


def _runs(
    paths: list[Path], judged: Judged, *, workers: int, empty: list[str], **options: Any
) -> Iterator[View]:
    """Each run read once; several large ones in processes of their own, with the same result.

    What is said of files that hold no ranking goes to *empty*; where all of them do it is raised.
    """
    from evenhand.formats.runs.trec import stem

    names = [stem(path) for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"the run {min(twice)} is given twice", mend="give each run once")
    wanted = zip(paths, names, strict=True)
    for view in _read(list(wanted), judged, workers=workers, **options):
        if isinstance(view, Empty):
            empty.append(view.what)
            if len(empty) == len(paths):
                raise view
            continue
        if view.missing.all():
            raise InputError(
                f"run {view.system} and the qrels have no question in common: the run asks "
                f"{_some(view.asked)}, the qrels judge {_some(judged.qrels.questions)}",
                mend="give both the same question ids, letter for letter",
            )
        yield view


def _read(
    wanted: list[tuple[Path, str]], judged: Judged, *, workers: int, **options: Any
) -> Iterator[View | Empty]:
    from evenhand.formats.runs.trec import read_view

    if not workers:
        large = sum(path.stat().st_size >= LARGE for path, _ in wanted if path.is_file())
        workers = min(large, os.cpu_count() or 1)
    if workers < 2 or len(wanted) < 2:
        for path, name in wanted:
            try:
                yield read_view(path, judged, system=name, **options)
            except Empty as error:
                yield error
        return
    from evenhand.engine.local import Local

    work = partial(_apart, qrels=judged.qrels, options=options)
    for view in Local(min(workers, len(wanted))).map(work, wanted):
        # what came back from another process stands on a copy of the qrels
        yield view if isinstance(view, Empty) else replace(view, judged=judged)


def _apart(one: tuple[Path, str], *, qrels: Qrels, options: dict[str, Any]) -> View | Empty:
    """One run, read in another process; the qrels do not travel back."""
    from evenhand.formats.runs.trec import read_view
    from evenhand.metrics.measure.view import Judged

    try:
        view = read_view(one[0], Judged(qrels), system=one[1], **options)
    except Empty as error:
        return error
    return replace(view, judged=None)  # type: ignore[arg-type]


def _unmatched(qrels: Qrels, views: list[View]) -> Iterator[str]:
    """Warn of a run that shares no unit with the qrels."""
    for view in views:
        if not len(view.row):
            yield (
                f"{view.system}: none of its units is judged: it ranks {_some(view.shown)}, "
                f"the qrels judge {_some(qrels.table)}; are these the same ids?"
            )


def _some(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in list(names)[:3])


def _pairs(asked: list[str] | None, m: Measurements) -> str | list[tuple[str, str]]:
    if not asked or asked == ["all"]:
        return "all"
    found = []
    for text in asked:
        ways = [(a, b) for a in m.systems for b in m.systems if f"{a}:{b}" == text]
        if not ways:
            raise InputError(
                f"--pairs {text} does not name two runs",
                mend=f"write A:B with names of {', '.join(m.systems)}",
            )
        found.append(ways[0])
    return found
