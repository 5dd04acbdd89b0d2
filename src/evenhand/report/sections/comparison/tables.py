"""Estimates and contrasts as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.model.result import Contrast, Estimate, Standing
from evenhand.report.output.number_format import (
    DASH,
    MINUS,
    chance,
    count,
    counted,
    interval,
    number,
    pvalue,
    share,
    signed,
    signed_interval,
)
from evenhand.report.output.terminal import clean
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["contrasts_table", "estimates_table", "incomplete_block", "leader", "sentences", "warnings_block"]

NAME = 34  # columns a system's name may take before it is folded
GAP = 2  # blanks between columns


def leader(
    metric: str, *, contrasts: Sequence[Contrast] = (), standing: Standing | None = None
) -> str | None:
    """The one system that is separable from all others on *metric*, or None.

    That is: alone in play by *standing*, every other system held against it by a declared pair; else better
    than each system it is compared with by the declared (not exploratory) contrasts on this metric, and
    compared with all of them.
    """
    if standing is not None and standing.metric == metric:
        first = standing.leader
        held = {c.b if c.a == first else c.a for c in contrasts if c.metric == metric and first in (c.a, c.b)}
        alone = tuple(standing.in_play) == (first,) and set(standing.best) <= held | {first}
        return first if alone else None
    beaten: dict[str, set[str]] = {}
    names: set[str] = set()
    for one in contrasts:
        if one.metric != metric or one.exploratory:
            continue
        names |= {one.a, one.b}
        if one.verdict == "better":
            beaten.setdefault(one.a, set()).add(one.b)
        elif one.verdict == "worse":
            beaten.setdefault(one.b, set()).add(one.a)
    for name, others in beaten.items():
        if others == names - {name}:
            return name
    return None


def estimates_table(
    estimates: Sequence[Estimate],
    *,
    primary: str | None = None,
    contrasts: Sequence[Contrast] = (),
    standing: Standing | None = None,
    marks: Mapping[str, str] | None = None,
) -> RenderableType:
    """One row a system, best on *primary* (default: the first metric) first, with a legend under it.

    Columns: the primary metric with its interval, n, P(best), judged share, undefined, unreachable and
    missing questions (where there are any), then the other metrics. When the columns do not fit the
    width, the table goes on below with the remaining ones: no name or figure is ever cut. The best value
    is bold only if it is separable from all others, see `leader`. *marks*: by system, what to say of every
    number of it.
    """
    return _Estimates(tuple(estimates), primary, tuple(contrasts), standing, marks or {})


class _Estimates:
    """Chooses its layout when the width is known."""

    def __init__(
        self,
        estimates: tuple[Estimate, ...],
        primary: str | None,
        contrasts: tuple[Contrast, ...],
        standing: Standing | None,
        marks: Mapping[str, str],
    ) -> None:
        self.marks = marks
        self.metrics = list(dict.fromkeys(e.metric for e in estimates))
        self.primary = primary or (self.metrics[0] if self.metrics else "")
        if self.primary in self.metrics:
            self.metrics.remove(self.primary)
            self.metrics.insert(0, self.primary)
        self.cell = {(e.system, e.metric): e for e in estimates}
        names = list(dict.fromkeys(e.system for e in estimates))
        self.systems = sorted(names, key=lambda name: (_rank(self.cell.get((name, self.primary))), name))
        self.contrasts = contrasts
        self.standing = standing if standing is not None and standing.metric == self.primary else None
        self.bold = {m: leader(m, contrasts=contrasts, standing=standing) for m in self.metrics}
        self.notes: list[str] = []

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.cells import cell_len
        from rich.text import Text

        if not self.cell:
            yield Text("no estimates: nothing was measured")
            return
        self.notes = []
        width = options.max_width
        names = [Text(clean(s)) for s in self.systems]
        longest = max(6, *(cell_len(name.plain) for name in names))
        name = min(longest, max(16, 3 * width // 10))
        columns = self._columns()
        widths = [max(cell_len(head), *(cell_len(c.plain) for c in cells)) + GAP for head, cells in columns]
        for i, group in enumerate(_fit(widths, width - name)):
            if i:
                yield Text("")
            table = _table()
            table.add_column("system", overflow="fold", width=name)
            for j in group:
                table.add_column(Text(columns[j][0]), justify="right", no_wrap=True)
            for row, system in enumerate(names):
                table.add_row(system, *(columns[j][1][row] for j in group))
            yield table
        yield Text("")
        for line in self._legend():
            yield Text(line, style="dim")

    def _columns(self) -> list[tuple[str, list[Text]]]:
        """The primary metric, what is behind it, then the other metrics."""
        metrics = [(clean(m), [self._value(s, m) for s in self.systems]) for m in self.metrics]
        return [metrics[0], *self._counts(), *metrics[1:]]

    def _counts(self) -> list[tuple[str, list[Text]]]:
        """The columns that say what is behind the primary metric."""
        from rich.text import Text

        first = [self.cell.get((s, self.primary)) for s in self.systems]
        columns = [("n", [count(e.n) if e else DASH for e in first])]
        if self.standing is not None:
            best = self.standing.best
            columns.append(("P(best)", [chance(best.get(s)) for s in self.systems]))
        if any(e and e.judged is not None for e in first):
            columns.append(("judged", [share(e.judged) if e else DASH for e in first]))
        columns += [
            (head, [count(getattr(e, head)) if e else DASH for e in first])
            for head in ("undefined", "unreachable", "missing")
            if any(e and getattr(e, head) for e in first)
        ]
        return [(head, [Text(cell) for cell in cells]) for head, cells in columns]

    def _value(self, system: str, metric: str) -> Text:
        from rich.text import Text

        estimate = self.cell.get((system, metric))
        text = Text(_cell(estimate), style="bold" if self.bold[metric] == system else "")
        if estimate is not None and (estimate.point is None or estimate.low is None) and estimate.reason:
            text.append(_mark(self.notes, clean(estimate.reason)))
        if system in self.marks:
            text.append(_mark(self.notes, clean(self.marks[system])))
        first = self.cell.get((system, self.primary))
        if estimate is not None and first is not None and estimate.n != first.n:
            text.append(_mark(self.notes, f"n={estimate.n}, {estimate.undefined} undefined"))
        return text

    def _legend(self) -> Iterator[str]:
        methods: dict[str, list[str]] = {}
        for metric in self.metrics:
            for one in (e for (_, m), e in self.cell.items() if m == metric and e.low is not None):
                names = methods.setdefault(_method(one), [])
                if clean(metric) not in names:
                    names.append(clean(metric))
        for how, names in methods.items():
            yield f"[low, high]: {how}, unadjusted" + (f": {', '.join(names)}" if len(methods) > 1 else "")
        heads = [head for head, _ in self._counts()]
        if "judged" in heads:
            yield f"judged: share of the units counted by {clean(self.primary)} that have a label"
        meaning = {
            "undefined": "questions the metric has no value for, not in n",
            "unreachable": "questions no unit of the chunking can answer, counted 0",
            "missing": "questions the run has no ranking for, counted 0",
        }
        for head, means in meaning.items():
            if head in heads:
                yield f"{head}: {means}"
        none = [head for head in meaning if head not in heads]
        if none:
            yield f"{', '.join(none)}: no question"
        if self.standing is not None:
            told = self.standing
            yield (
                f"P(best): share of {count(told.resamples)} common resamples (seed {told.seed}) in which the "
                f"system leads on {clean(told.metric)}; in play: {', '.join(clean(s) for s in told.in_play)}"
            )
        if any(self.bold.values()):
            yield "bold: better than every other system by the declared test"
        for number_, note in enumerate(self.notes, 1):
            yield f"{_raise(number_)} {note}"


def _rank(estimate: Estimate | None) -> tuple[bool, float]:
    if estimate is None or estimate.point is None:
        return True, 0.0
    return False, -estimate.point


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.point is None:
        return DASH
    return f"{number(estimate.point)} {interval(estimate.low, estimate.high)}".rstrip()


def _method(estimate: Estimate) -> str:
    text = f"{share(estimate.level)} {clean(estimate.method)}"
    if estimate.resamples is not None:
        text += f", {count(estimate.resamples)} resamples, seed {estimate.seed}"
    return text


def _mark(notes: list[str], note: str) -> str:
    if note not in notes:
        notes.append(note)
    return _raise(notes.index(note) + 1)


def _raise(n: int) -> str:
    return str(n).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _fit(widths: Sequence[int], room: int) -> list[list[int]]:
    """Share columns out to panels of *room* columns, in order; a panel holds at least one."""
    groups: list[list[int]] = []
    left = -1
    for i, width in enumerate(widths):
        if width > left:
            groups.append([])
            left = room
        groups[-1].append(i)
        left -= width
    return groups


def _table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False, header_style="bold"
    )


def contrasts_table(
    contrasts: Sequence[Contrast], *, title: str = "", marks: Mapping[str, str] | None = None
) -> RenderableType:
    """One row a pair: difference with interval, wins/ties/losses, p before and after adjustment, verdict.

    In a narrow terminal each row takes two lines; under "cannot tell" stands about how many questions
    would settle it. *marks*: as for `estimates_table`.
    """
    return _Contrasts(tuple(contrasts), title, marks or {})


class _Contrasts:
    """Chooses its layout when the width is known."""

    def __init__(self, contrasts: tuple[Contrast, ...], title: str, marks: Mapping[str, str]) -> None:
        self.contrasts, self.marks = contrasts, marks
        self.title = title

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        if not self.contrasts:
            yield Text("no pair was compared")
            return
        narrow = options.max_width < 104
        if self.title:
            yield Text(clean(self.title), style="bold")
        for metric in dict.fromkeys(c.metric for c in self.contrasts):
            rows = [c for c in self.contrasts if c.metric == metric]
            yield self._panel(metric, rows, narrow=narrow)
        for line in self._legend():
            yield Text(line, style="dim")

    def _panel(self, metric: str, rows: Sequence[Contrast], *, narrow: bool) -> Table:
        from rich.text import Text

        head = clean(metric) + (" (exploratory)" if all(c.exploratory for c in rows) else "")
        table = _table()
        table.add_column(Text("a\n− b" if narrow else "a − b"), overflow="fold")
        table.add_column(Text(f"{head}\n" if narrow else head), justify="right", no_wrap=True)
        table.add_column("W/T/L", justify="right", no_wrap=True)
        if not narrow:
            table.add_column("d_z", justify="right", no_wrap=True)
        table.add_column("p", justify="right", no_wrap=True)
        table.add_column("p adj.", justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        joint = "\n" if narrow else " "
        for one in rows:
            bounds = signed_interval(one.low, one.high)
            if one.difference is None and one.reason:
                bounds = ""
            cells: list[Text | str] = [
                Text(f"{clean(one.a)}{joint}{MINUS} {clean(one.b)}"),
                Text(f"{signed(one.difference)}{joint}{bounds}".rstrip()),
                f"{one.wins}/{one.ties}/{one.losses}",
            ]
            if not narrow:
                cells.append(number(one.d_z, digits=2))
            decided = one.verdict in ("better", "worse")
            needed = count(one.needed["n"]) if one.needed.get("n") else ""
            verdict = Text(clean(one.verdict or DASH), style="bold" if decided else "")
            if needed and not decided:
                verdict.append(f"{joint}n ≈ {needed}" if narrow else f", n ≈ {needed}", style="dim")
            cells += [pvalue(one.p), pvalue(one.p_adjusted), verdict]
            table.add_row(*cells)
        return table

    def _legend(self) -> Iterator[str]:
        sizes = sorted({c.n for c in self.contrasts})
        there = {name for c in self.contrasts for name in (c.a, c.b)}
        yield from (f"{clean(name)}: {clean(told)}" for name, told in self.marks.items() if name in there)
        yield (
            f"paired over n={' to '.join(str(n) for n in dict.fromkeys((sizes[0], sizes[-1])))} questions; "
            "W/T/L: questions on which a scores higher, the same, lower"
        )
        for how in dict.fromkeys(f"{share(c.level)} {clean(c.method)}" for c in self.contrasts):
            yield f"[low, high]: {how}, unadjusted"
        families = dict.fromkeys((clean(c.test), c.family) for c in self.contrasts if c.p is not None)
        for test, family in families:
            adjusted = f", adjusted over {family} tests" if family and family > 1 else ""
            yield f"p: {test}{adjusted}"
        if any(c.needed.get("n") and c.verdict not in ("better", "worse") for c in self.contrasts):
            yield "n ≈: about how many questions would settle a difference of this size"
        for reason in dict.fromkeys(clean(c.reason) for c in self.contrasts if c.reason):
            yield f"{DASH} {reason}"


def incomplete_block(incomplete: Mapping[str, Any]) -> RenderableType:
    """What could not be asked, a line for each system; nothing at all when every question was."""
    from rich.console import Group
    from rich.text import Text

    told = [
        f"INCOMPLETE: {len(one['questions']):,} of {many(one['asked'], 'question')} could "
        "not be asked of "
        f"{one['system']} ({'; '.join(one['reasons'])}): they are undefined there, and left out"
        for one in incomplete["not_run"]
    ]
    if lacking := incomplete.get("votes_missing"):
        told.append(
            f"INCOMPLETE: {many(lacking, 'vote')} of the panel {verb(lacking, 'is', 'are')} missing: "
            "what they would say is unknown"
        )
    if lacking := incomplete.get("answers_missing"):
        told.append(f"INCOMPLETE: {lacking:,} generated answers, or votes on their claims, are missing")
    return Group(*(Text(clean(line), style="bold yellow") for line in told))


def sentences(lines: Sequence[str]) -> RenderableType:
    """The verdict in words, the first sentence in bold."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(clean(line), style="bold" if i == 0 else "") for i, line in enumerate(lines)))


def warnings_block(warnings: Sequence[str | Mapping[str, Any]]) -> RenderableType:
    """Warnings, each said once with how often it came; nothing at all when there are none."""
    from rich.console import Group
    from rich.text import Text

    told: dict[str, int] = {}
    for one in warnings:
        entry: Mapping[str, Any] = {"text": one} if isinstance(one, str) else one
        text = clean(str(entry.get("text", entry.get("kind", ""))))
        told[text] = told.get(text, 0) + int(entry.get("count", 1))
    if not told:
        return Group()
    lines = [Text(f"{len(told)} warning{'s' if len(told) > 1 else ''}", style="bold yellow")]
    lines += [Text(f"! {counted(text, times)}") for text, times in told.items()]
    return Group(*lines)
