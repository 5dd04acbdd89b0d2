"""``evenhand power``: how many questions, labels or items a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.metrics.planning.designs import Design, Wish
    from evenhand.model.result import Contrast

__all__ = ["power"]

EFFECT = WIDTH = 0.05  # asked of a pilot when nothing else is
PLANS = ("differences", "agreement", "calibration")


def power(  # noqa: PLR0917 - typer makes options of them
    results: Annotated[
        Path | None,
        typer.Argument(
            help="A pilot: the results folder of evenhand run, or with --plan a judgements.jsonl.",
            metavar="RESULTS",
        ),
    ] = None,
    plan: Annotated[
        list[str] | None,
        typer.Option(
            help="What to plan from the pilot: differences (the default), agreement of its people, or "
            "calibration, the human labels beside its panel (repeatable)."
        ),
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
    items: Annotated[
        int | None, typer.Option(help="With --labels or --plan calibration: items that the judge labels.")
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(help="Half-width of the interval of an agreement, a kappa, a rate; of a pilot's 0.05."),
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(help="With --agreement or --plan agreement: what its lower bound must reach."),
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Chance of finding what is there.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance of a false claim in the whole family.")] = 0.05,
    comparisons: Annotated[
        int | None, typer.Option(help="Tests in the family (Holm); default: those of the pilot, else 1.")
    ] = None,
    of: Annotated[int | None, typer.Option("--of", help="Systems compared, all pairs of them.")] = None,
    per_cluster: Annotated[
        float | None,
        typer.Option(
            help="Questions a document or topic, or items a question, with --icc; default: 1, of a pilot's "
            "labels as many as there."
        ),
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option(
            help="How alike those of one cluster are, 0 to 1; default: 0, of a pilot's labels as there."
        ),
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", help="Questions, or items, at hand: what would they find?")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Write the curves: .svg, or .json for Vega-Lite.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say how many questions a comparison needs, or labels an agreement or a calibration."""
    from evenhand.cli.power.chart import draw
    from evenhand.cli.power.output import print_json, print_table
    from evenhand.cli.power.pilot import contrasts_of
    from evenhand.metrics.planning import designs as p

    if metric is not None and results is None:
        raise InputError(f"--metric {metric} belongs to a pilot", mend="give its results folder")
    plans = _plans(results, plan, metric=metric, effect=effect)
    contrasts = contrasts_of(results, metric) if results is not None and PLANS[0] in plans else []
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
        per_cluster=1.0 if per_cluster is None else per_cluster,
        icc=icc or 0.0,
        n=n,
    )
    designs: list[Design] = []
    if results is not None:
        designs += _planned(
            results,
            plans,
            wish,
            contrasts=contrasts,
            effect=effect,
            width=width,
            at_least=at_least,
            items=items,
            per_cluster=per_cluster,
            icc=icc,
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
        plans=plans,
    )
    if not designs:
        raise InputError(
            "nothing is asked",
            mend="give a results folder, or --effect 0.05 --sd 0.3, --rate 0.6 --rate 0.7, "
            "--agreement 0.85 --width 0.05, --labels 0.3 --width 0.05",
        )
    designs = p.with_curves(designs, wish) if json or plot is not None else designs
    if plot is not None:
        draw(designs, plot)
    print_json(designs, wish) if json else print_table(designs, wish, plot=plot)


def _planned(
    results: Path,
    wanted: Sequence[str],
    wish: Wish,
    *,
    contrasts: Sequence[Contrast],
    effect: Sequence[float] | None,
    width: float | None,
    at_least: float | None,
    items: int | None,
    per_cluster: float | None,
    icc: float | None,
) -> list[Design]:
    """The designs that a pilot gives."""
    from evenhand.cli.power.pilot import held_of, pairs_of
    from evenhand.metrics.planning.pilot import of_pilot
    from evenhand.metrics.planning.pilot_labels import of_agreement
    from evenhand.metrics.planning.pilot_panel import of_calibration

    made: list[Design] = []
    clusters = {"per_cluster": per_cluster, "icc": icc}
    if contrasts:
        found = of_pilot(contrasts, effect or [EFFECT], wish)
        if not found:
            raise InputError(
                f"{results}: no pair differs on any question, so there is no spread to plan by",
                mend="give --effect and --sd instead",
            )
        made += found
    try:
        if "agreement" in wanted:
            half = WIDTH if width is None and at_least is None else width
            made += of_agreement(pairs_of(results), wish, width=half, at_least=at_least, **clusters)
        if "calibration" in wanted:
            half = WIDTH if width is None else width
            made += of_calibration(held_of(results), wish, width=half, items=items, **clusters)
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{results}: its judgements are not of this form ({error})",
            mend="make the report again with `evenhand run`",
        ) from error
    if not made:
        raise InputError(
            f"{results}: a single item was labelled by both sides, so there is nothing to plan by",
            mend="give --agreement, or --labels and --rho, with --width",
        )
    return made


def _plans(results: Path | None, asked: list[str] | None, **differences: object) -> list[str]:
    """What is planned from the pilot, checked."""
    for word in asked or ():
        if word not in PLANS:
            raise InputError(f"--plan {word} is not known", mend=nearest(word, PLANS))
    if results is None:
        if asked:
            raise InputError(f"--plan {asked[0]} belongs to a pilot", mend="give its results folder")
        return []
    wanted = asked or [PLANS[0]]
    for name, value in differences.items():
        if value and PLANS[0] not in wanted:
            raise InputError(f"--{name} belongs to differences", mend="give --plan differences as well")
    return wanted


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
    plans: Sequence[str],
) -> list[Design]:
    """The designs from assumptions; of what is planned from a pilot (*plans*) the width may be."""
    from evenhand.metrics.planning import designs as p

    made: list[Design] = []
    if rate:
        if len(rate) != 2:
            raise InputError(
                f"--rate is given {'once' if len(rate) == 1 else f'{len(rate)} times'}",
                mend="give the two hit rates, one each",
            )
        if together is not None and discordant is not None:
            raise InputError("both --together and --discordant are given", mend="give one of them")
        made.append(p.hits(rate[0], rate[1], wish, phi=together, discordant=discordant))
    elif together is not None or discordant is not None:
        raise InputError("--together and --discordant say how hit rates differ", mend="give --rate twice")
    for name, value in (("--agreement", agreement), ("--labels", labels)):
        if value is not None and not 0 <= value <= 1:
            raise InputError(f"{name} is {value:g}", mend="give a share between 0 and 1")
    if at_least is not None and agreement is None and "agreement" not in plans:
        raise InputError("--at-least belongs to an agreement", mend="give --agreement or --plan agreement")
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
    if not needs and not {*plans} - {PLANS[0]}:
        raise InputError(
            "--width belongs to an interval", mend="give --agreement, --kappa, --labels or --plan"
        )
    if agreement is not None:
        made.append(p.agreement(agreement, width, wish))
    if kappa is not None:
        made.append(p.kappa(kappa, positives, width, wish))
    if labels is not None:
        made.append(p.labels(labels, width, wish, rho=rho, items=items))
    return made
