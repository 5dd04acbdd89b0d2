"""The pytest plugin: a marker, and fixtures that conduct a study and hold it to what was declared.

Loaded by pytest at its start in every project, so that nothing but pytest is imported here; what the
fixtures need is imported when one is asked for (`evenhand.study.regression.fixtures`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenhand.study.regression.fixtures import Held

__all__ = [
    "evenhand_check",
    "evenhand_expect",
    "evenhand_results",
    "evenhand_study",
    "pytest_addoption",
    "pytest_configure",
]

MARKER = (
    "evenhand(study=None, results=None, baseline=None, margin=None, …): conduct this study (or read these "
    "results) for the fixtures evenhand_results and evenhand_check; baseline and margin, and every other "
    "key of [check], are those of `evenhand check`"
)
INI = "what a test does where nothing can be told: fail (the default), skip, xfail or pass"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The policy for what cannot be told, and where studies write their results."""
    parser.addini("evenhand_inconclusive", INI, default="fail")
    parser.getgroup("evenhand").addoption(
        "--evenhand-inconclusive",
        default=None,
        choices=["fail", "skip", "xfail", "pass"],
        help="the same for this run alone",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def _evenhand_held() -> dict[Path, Held]:
    """What was conducted or read in this session, by path."""
    return {}


@pytest.fixture
def evenhand_study(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    _evenhand_held: dict[Path, Held],
) -> Callable[[str | Path], Held]:
    """Conduct a study, once a session, and give what came out: ``evenhand_study("study.toml")``.

    Paths are from the folder of the test file, else from pytest's root. What was made already is taken
    from ``.evenhand/`` beside the study; the results go to pytest's own temporary folder.
    """
    from evenhand.study.regression.fixtures import conducted

    def study(path: str | Path) -> Held:
        return conducted(request, path, _evenhand_held, tmp_path_factory)

    return study


@pytest.fixture
def evenhand_results(
    request: pytest.FixtureRequest,
    evenhand_study: Callable[[str | Path], Held],
    _evenhand_held: dict[Path, Held],
) -> Held:
    """The results of the marker's ``study``, or those in its folder ``results``."""
    from evenhand.study.regression.fixtures import marked, opened

    named = marked(request)
    if named.get("results") is not None:
        return opened(request, named["results"], _evenhand_held)
    return evenhand_study(named["study"])


@pytest.fixture
def evenhand_check(request: pytest.FixtureRequest, evenhand_results: Held) -> Callable[..., dict[str, Any]]:
    """Hold the results to the marker's baseline and margins: ``evenhand_check()``.

    Keys given here come before those of the marker. A pass gives the check as a mapping; a fail fails the
    test with the table; what cannot be told follows the policy ``evenhand_inconclusive``.
    """
    from evenhand.study.regression.fixtures import checked

    def check(**keys: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        return checked(request, evenhand_results, keys)

    return check


@pytest.fixture
def evenhand_expect(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Expect an estimate or a contrast to be shown: ``expect(estimate, at_least=0.6)``, or ``at_most``.

    By its interval: the bound on the near side beyond the limit is a pass, the far one short of it a fail,
    and anything between cannot be told (the policy ``evenhand_inconclusive``).
    """
    from evenhand.study.regression.fixtures import expected

    def expect(found: Any, *, at_least: float | None = None, at_most: float | None = None) -> None:
        __tracebackhide__ = True
        expected(request, found, at_least=at_least, at_most=at_most)

    return expect
