"""``evenhand power``: how many questions, labels or items a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from evenhand.metrics.planning import Design, Wish

__all__ = ["power"]

SCHEMA = "evenhand.power/1"
UNITS = {"means": "questions", "hits": "questions", "labels": "human labels"}
EFFECT = 0.05  # asked of a pilot when nothing else is
ROWS = 24  # designs printed; --json holds all
LINES = 6  # curves in one picture


def power(  # noqa: PLR0917 - typer makes options of them
    results: Annotated[
        Path | None,
        typer.Argument(help="A pilot: the results folder of evenhand run.", metavar="RESULTS"),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("-m", "--metric", help="A metric of the pilot to plan for; default: its primary."),
    ] = None,
    effect: Annotated[
        list[float] | None, typer.Option(help="Difference of two means to find (repeatable).")
    ] = None,
    sd: Annotated[
        list[float] | None, typer.Option(help="Spread of the paired differences (repeatable).")
    ] = None,
    rate: Annotated[list[float] | None, typer.Option(help="Hit rates to tell apart: give it twice.")] = None,
    together: Annotated[
        float | None, typer.Option(help="With --rate: correlation of the two outcomes; 0 asks for the most.")
    ] = None,
    discordant: Annotated[
        float | None, typer.Option(help="With --rate: share of questions that only one system hits.")
    ] = None,
    agreement: Annotated[float | None, typer.Option(help="Raw agreement expected of two raters.")] = None,
    kappa: Annotated[float | None, typer.Option(help="Cohen's kappa expected of two raters.")] = None,
    positives: Annotated[float, typer.Option(help="With --kappa: share that both call relevant.")] = 0.5,
    labels: Annotated[
        float | None, typer.Option(help="Share of relevant items expected, to be labelled by people.")
    ] = None,
    rho: Annotated[
        float, typer.Option(help="With --labels: correlation of a model judge with people.")
    ] = 0.0,
    items: Annotated[int | None, typer.Option(help="With --labels: items that the judge labels.")] = None,
    width: Annotated[
        float | None, typer.Option(help="Half-width of the interval for --agreement, --kappa, --labels.")
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(help="With --agreement: a threshold that its lower bound must reach.")
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Chance of finding what is there.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance of a false claim in the whole family.")] = 0.05,
    comparisons: Annotated[
        int | None, typer.Option(help="Tests in the family (Holm); default: those of the pilot, else 1.")
    ] = None,
    of: Annotated[int | None, typer.Option("--of", help="Systems compared, all pairs of them.")] = None,
    per_cluster: Annotated[
        float, typer.Option(help="Questions (or items) a document or topic, with --icc.")
    ] = 1.0,
    icc: Annotated[float, typer.Option(help="How alike those of one cluster are, 0 to 1.")] = 0.0,
    n: Annotated[int | None, typer.Option("-n", help="Questions at hand: what would they find?")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Write the curves: .svg, or .json for Vega-Lite.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say how many questions a comparison needs, or labels an agreement or a calibration."""
    from evenhand.metrics import planning as p

    if metric is not None and results is None:
        raise InputError(f"--metric {metric} belongs to a pilot", mend="give its results folder")
    contrasts = _pilot(results, metric) if results is not None else []
    if comparisons is not None and of is not None:
        raise InputError("both --comparisons and --of are given", mend="give one of them")
    if of is not None and of < 2:
        raise InputError(f"--of is {of}", mend="give 2 systems or more")
    tests = comparisons if of is None else of * (of - 1) // 2
    wish = p.Wish(
        power=wanted,
        alpha=alpha,
        comparisons=tests if tests is not None else max(1, len(contrasts)),
        level=level,
        per_cluster=per_cluster,
        icc=icc,
        n=n,
    )
    designs: list[Design] = []
    if results is not None:
        from evenhand.metrics.pilot import of_pilot

        designs += of_pilot(contrasts, effect or [EFFECT], wish)
        if not designs:
            raise InputError(
                f"{results}: no pair differs on any question, so there is no spread to plan by",
                mend="give --effect and --sd instead",
            )
    elif effect or sd:
        if not effect or not sd:
            raise InputError("--effect and --sd belong together", mend="give both, or a pilot")
        designs += [p.means(e, s, wish) for s in sd for e in effect]
    designs += _others(
        wish,
        rate=rate,
        together=together,
        discordant=discordant,
        agreement=agreement,
        kappa=kappa,
        positives=positives,
        labels=labels,
        rho=rho,
        items=items,
        width=width,
        at_least=at_least,
    )
    if not designs:
        raise InputError(
            "nothing is asked",
            mend="give a results folder, or --effect 0.05 --sd 0.3, --rate 0.6 --rate 0.7, "
            "--agreement 0.85 --width 0.05, --labels 0.3 --width 0.05",
        )
    designs = p.with_curves(designs, wish) if json or plot is not None else designs
    if plot is not None:
        _draw(designs, plot)
    _print_json(designs, wish) if json else _print(designs, wish, plot=plot)


def _pilot(results: Path, metric: str | None) -> list[Any]:
    """The declared contrasts of a pilot on one of its metrics: on its primary when none is named."""
    from evenhand.formats.reports import read_report
    from evenhand.metrics.names import parse
    from evenhand.model.result import Contrast

    report = read_report(results)
    try:
        primary = report["study"]["primary"]
        rows = [Contrast(**row) for row in report["contrasts"]]
        wanted = primary if metric is None else str(parse(metric))
        declared = {(c.a, c.b) for c in rows if c.metric == primary and not c.exploratory}
        found = [c for c in rows if c.metric == wanted and (c.a, c.b) in declared]
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{results}: its contrasts are not of this form ({error})",
            mend="make the report again with `evenhand run`",
        ) from error
    if declared and not found:
        raise InputError(
            f"{results} does not measure {wanted}", mend=nearest(wanted, {str(c.metric) for c in rows})
        )
    if not found:
        raise InputError(
            f"{results} compares no two systems on {primary}", mend="give a study of two systems or more"
        )
    return found


def _others(
    wish: Wish,
    *,
    rate: list[float] | None,
    together: float | None,
    discordant: float | None,
    agreement: float | None,
    kappa: float | None,
    positives: float,
    labels: float | None,
    rho: float,
    items: int | None,
    width: float | None,
    at_least: float | None,
) -> list[Design]:
    from evenhand.metrics import planning as p

    made: list[Design] = []
    if rate:
        if len(rate) != 2:
            raise InputError(f"--rate is given {len(rate)} times", mend="give the two hit rates, one each")
        if together is not None and discordant is not None:
            raise InputError("both --together and --discordant are given", mend="give one of them")
        made.append(p.hits(rate[0], rate[1], wish, phi=together, discordant=discordant))
    elif together is not None or discordant is not None:
        raise InputError("--together and --discordant say how hit rates differ", mend="give --rate twice")
    for name, value in (("--agreement", agreement), ("--labels", labels)):
        if value is not None and not 0 <= value <= 1:
            raise InputError(f"{name} is {value:g}", mend="give a share between 0 and 1")
    if agreement is not None and at_least is not None:
        made.append(p.bound(agreement, at_least, wish))
    needs = [
        name
        for name, x in (("--agreement", agreement), ("--kappa", kappa), ("--labels", labels))
        if x is not None
    ]
    if width is None:
        if needs and not (needs == ["--agreement"] and at_least is not None):
            raise InputError(f"{needs[0]} needs the width of its interval", mend="give --width 0.05")
        return made
    if not needs:
        raise InputError("--width belongs to an interval", mend="give --agreement, --kappa or --labels")
    if agreement is not None:
        made.append(p.agreement(agreement, width, wish))
    if kappa is not None:
        made.append(p.kappa(kappa, positives, width, wish))
    if labels is not None:
        made.append(p.labels(labels, width, wish, rho=rho, items=items))
    return made


def _draw(designs: Sequence[Design], file: Path) -> None:
    """One picture of the curves of the first measure asked for."""
    import json

    from evenhand.formats.reports import write_text
    from evenhand.report.charts import pictures
    from evenhand.report.curves import power_curves

    drawn = [d for d in designs if d.measure == designs[0].measure and d.curve]
    if len({d.target for d in drawn}) > 1 or len({d.measure for d in designs}) > 1:
        raise InputError("one picture shows one kind of curve", mend="leave --plot out, or ask for one kind")
    if file.suffix not in (".svg", ".json"):
        raise InputError(f"--plot {file} is neither .svg nor .json", mend="name the file with one of the two")
    made = power_curves(
        [{"name": d.says, "sizes": d.curve_n, "power": d.curve, "needed": d.n} for d in drawn[:LINES]],
        target=designs[0].target,
        measure=designs[0].measure,
        title=f"{designs[0].measure} by number of {UNITS.get(designs[0].kind, 'items')}",
        unit=UNITS.get(designs[0].kind, "items"),
    )
    if file.suffix == ".svg":
        write_text(file, pictures({"power": made})["power"] + "\n")
    else:
        write_text(file, json.dumps(made[0], ensure_ascii=False, indent=1) + "\n")


def _print_json(designs: Sequence[Design], wish: Wish) -> None:
    import json
    from dataclasses import asdict

    from evenhand.metrics.planning import sentence

    thing = {
        "schema": SCHEMA,
        **asdict(wish),
        "alpha_each": wish.each,
        "designs": [asdict(d) | {"sentence": sentence(d, wish)} for d in designs],
        "largest": max((d.n for d in designs if d.n is not None), default=None),
    }
    print(json.dumps(thing, ensure_ascii=False, allow_nan=False, indent=1))


def _print(designs: Sequence[Design], wish: Wish, *, plot: Path | None) -> None:
    from textwrap import fill

    from evenhand.metrics.planning import MORE, sentence
    from evenhand.report.figures import count
    from evenhand.report.terminal import clean, console

    on = console()
    tested = any(d.measure == "power" for d in designs)
    columns = ["design", f"n at {wish.power:.0%}" if tested else "n"]
    if tested and wish.power < MORE:
        columns.append(f"at {MORE:.0%}")
    if wish.comparisons > 1 and tested:
        columns.append("one test alone")
    if any("n_by_spread_seen" in d.assumed for d in designs):
        columns.append("by spread seen")
    if any(d.n_clustered for d in designs):
        columns.append("in clusters")
    rows = []
    for d in designs[:ROWS]:
        cells = {
            "design": clean(d.says),
            columns[1]: count(d.n),
            f"at {MORE:.0%}": count(d.n_more),
            "one test alone": count(d.n_alone if d.measure == "power" else None),
            "by spread seen": count(d.assumed.get("n_by_spread_seen")),
            "in clusters": count(d.n_clustered),
        }
        rows.append([cells[name] for name in columns])
    on.print(_table(columns, rows))
    if len(designs) > ROWS:
        on.print(f"… and {len(designs) - ROWS} more (--json holds all)")
    on.print()
    width = min(on.width, 110)
    for d in designs if len(designs) <= 4 else [max(designs, key=lambda d: d.n or 0)]:
        on.print(fill(clean(sentence(d, wish)), width))
    if any("pilot_n" in d.assumed for d in designs):
        on.print(
            fill(
                "Planned with the upper 80% limit of each spread seen. The gaps of a pilot are no effects to "
                "plan by: those that look large are often lucky.",
                width,
            )
        )
    if plot is not None:
        on.print(f"curves: {plot}")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i else "left", no_wrap=bool(i), overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
