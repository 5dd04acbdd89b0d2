"""What the fixtures of the pytest plugin do: conduct or read, hold, and say why a test fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evenhand.errors import EvenhandError, InputError, nearest

if TYPE_CHECKING:
    from evenhand.model.result import Contrast, Estimate

__all__ = ["Held", "checked", "conducted", "expected", "marked", "opened"]

KEYS = (
    "study",
    "results",
    "baseline",
    "margin",
    "system",
    "against",
    "alpha",
    "adjust",
    "test",
    "common",
    "criteria",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Results to assert on: the folder, the report as a mapping, and its rows as records."""

    folder: Path
    report: Mapping[str, Any]

    def estimate(self, system: str, metric: str | None = None) -> Estimate:
        """The value of a system with its interval; on the primary metric when none is named."""
        from evenhand.model.result import Estimate

        metric = metric or self.report["study"]["primary"]
        for row in self.report["estimates"]:
            if (row["system"], row["metric"]) == (system, metric):
                return Estimate(**row)
        known = [f"{row['system']}, {row['metric']}" for row in self.report["estimates"]]
        raise InputError(
            f"there is no estimate of {system}, {metric}", mend=nearest(f"{system}, {metric}", known)
        )

    def contrast(self, a: str, b: str, metric: str | None = None) -> Contrast:
        """The paired difference a − b of a declared pair, turned where the report has b − a."""
        from dataclasses import replace

        from evenhand.model.result import Contrast

        metric = metric or self.report["study"]["primary"]
        rows = [Contrast(**row) for row in self.report["contrasts"] if row["metric"] == metric]
        for one in rows:
            if (one.a, one.b) == (a, b):
                return one
            if (one.b, one.a) == (a, b):
                turned = {"better": "worse", "worse": "better"}
                swapped = {"only_a": "only_b", "only_b": "only_a"}
                return replace(
                    one,
                    a=a,
                    b=b,
                    difference=_minus(one.difference),
                    low=_minus(one.high),
                    high=_minus(one.low),
                    d_z=_minus(one.d_z),
                    wins=one.losses,
                    losses=one.wins,
                    counts={swapped.get(key, key): n for key, n in one.counts.items()},
                    verdict=turned.get(one.verdict, one.verdict),
                )
        known = [f"{one.a} and {one.b}" for one in rows]
        raise InputError(f"{a} and {b} are not compared on {metric}", mend=nearest(f"{a} and {b}", known))


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The keys of the nearest marker; a test without one, or with an unknown key, is told what to write."""
    found = request.node.get_closest_marker("evenhand")
    if found is None or found.args:
        _broken('write @pytest.mark.evenhand(study="study.toml") above the test: its keys have names')
    for key in found.kwargs:
        if key not in KEYS:
            _broken(f"@pytest.mark.evenhand: {key!r} is not known\n  mend: {nearest(key, KEYS)}")
    if ("study" in found.kwargs) == ("results" in found.kwargs):
        _broken("@pytest.mark.evenhand: give either study= (a study file) or results= (a folder)")
    return dict(found.kwargs)


def conducted(
    request: pytest.FixtureRequest,
    path: str | Path,
    held: dict[Path, Held],
    temporary: pytest.TempPathFactory,
) -> Held:
    """Conduct a study, or give what this session made of it already."""
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.comparison.run import conduct

    file = _placed(request, path)
    file = file / "study.toml" if file.is_dir() else file
    if file not in held:
        try:
            made = conduct(read_study(file), file.parent, out=temporary.mktemp("evenhand", numbered=True))
        except EvenhandError as error:
            _broken(f"{path}: {error}")
        held[file] = Held(folder=made.folder, report=made.report)
    return held[file]


def opened(request: pytest.FixtureRequest, path: str | Path, held: dict[Path, Held]) -> Held:
    """Read a results folder."""
    from evenhand.formats.results.folder import read_report

    folder = _placed(request, path)
    if folder not in held:
        try:
            held[folder] = Held(folder=folder, report=read_report(folder)[1])
        except EvenhandError as error:
            _broken(str(error))
    return held[folder]


def _placed(request: pytest.FixtureRequest, path: str | Path) -> Path:
    """A path from the folder of the test file, else from pytest's root."""
    here = request.path.parent / path
    return (here if here.exists() else request.config.rootpath / path).resolve()


def checked(request: pytest.FixtureRequest, held: Held, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Hold results to a baseline; gives the check where it passes."""
    __tracebackhide__ = True
    from evenhand.formats.results.baseline import read_side
    from evenhand.study.regression.compare import check

    for key in keys:
        if key not in KEYS[2:]:
            _broken(f"evenhand_check: {key!r} is not known\n  mend: {nearest(key, KEYS[2:])}")
    named = {**marked(request), **keys}
    if named.get("baseline") is None:
        _broken("no baseline is named\n  mend: give baseline=; `evenhand check --save-baseline` keeps one")
    try:
        plan = _plan(named)
        made = check(read_side(held.folder), read_side(_placed(request, named["baseline"])), plan)
    except EvenhandError as error:
        _broken(str(error))
    text = _text(made)
    if made["status"] == "fail":
        pytest.fail(text, pytrace=False)
    if made["status"] == "inconclusive":
        _open(request, text)
    return made


def _plan(named: Mapping[str, Any]) -> Any:
    from evenhand.formats.study_file.check import read_margins
    from evenhand.model.plan.check import CheckPlan

    margin = named.get("margin")
    pairs = margin.items() if isinstance(margin, Mapping) else [("", margin)] if margin is not None else []
    system = named.get("system") or ()
    return CheckPlan(
        margins=read_margins(f"{metric}={loss}" for metric, loss in pairs),
        systems=(system,) if isinstance(system, str) else tuple(system),
        **{key: named[key] for key in KEYS[5:] if key in named},
    )


def _text(made: Mapping[str, Any]) -> str:
    """The verdict, which pytest shows in its summary, and the tables of a check as plain text."""
    import io

    from evenhand.report.output.terminal import clean, console
    from evenhand.report.sections.regression.tables import tables

    page = io.StringIO()
    on = console(file=page)
    for one in tables(made):
        on.print(one)
    lines = [clean(made["sentences"][0]), "", *page.getvalue().splitlines()]
    return "\n".join(line.rstrip() for line in lines)


def expected(
    request: pytest.FixtureRequest, found: Any, *, at_least: float | None, at_most: float | None
) -> None:
    """Hold the interval of an estimate or a contrast to a limit."""
    __tracebackhide__ = True
    if (at_least is None) == (at_most is None):
        _broken("evenhand_expect: give either at_least= or at_most=")
    if not (hasattr(found, "low") and hasattr(found, "high")):
        _broken(
            f"evenhand_expect: {found!r} has no interval\n  mend: give what .estimate() or .contrast() gave"
        )
    who = found.system if hasattr(found, "system") else f"{found.a} − {found.b}"
    limit = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    told = f"{who}, {found.metric}: {found} ({found.level:.12g} {found.method}), expected {limit}"
    if found.low is None or found.high is None:
        _open(request, f"{told}: there is no interval")
        return
    held = found.low >= at_least if at_least is not None else found.high <= at_most
    lost = found.high < at_least if at_least is not None else found.low > at_most
    if lost:
        pytest.fail(f"{told}: the whole interval lies beyond it", pytrace=False)
    if not held:
        _open(request, f"{told}: it cannot be told, the limit lies within the interval")


def _open(request: pytest.FixtureRequest, text: str) -> None:
    """What cannot be told: fail, skip, xfail or pass, as the project has declared."""
    __tracebackhide__ = True
    config = request.config
    policy = config.getoption("evenhand_inconclusive") or config.getini("evenhand_inconclusive")
    if policy == "skip":
        pytest.skip(text)
    if policy == "xfail":
        pytest.xfail(text)
    if policy == "fail":
        pytest.fail(
            f"{text}\n(inconclusive is not a pass; the ini option evenhand_inconclusive decides)",
            pytrace=False,
        )
    if policy != "pass":
        _broken(
            f"evenhand_inconclusive = {policy}\n  mend: {nearest(policy, ('fail', 'skip', 'xfail', 'pass'))}"
        )


def _broken(text: str) -> Any:
    """The test cannot be run as it is written."""
    __tracebackhide__ = True
    pytest.fail(f"evenhand: {text}", pytrace=False)
