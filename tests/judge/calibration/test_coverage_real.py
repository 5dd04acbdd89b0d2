"""Corrected rates hold on real labels: a quick round of `python -m benchmarks coverage_real`."""

import pytest
from benchmarks.coverage_real import DESIGNS, NAMES, PAGE, page, simulate, worlds
from tests.shared import SHARED, needs_shared

pytestmark = needs_shared
STUDIES = 150


@pytest.fixture(scope="module")
def there():
    return list(worlds(SHARED / "data"))


def test_the_sets_are_those_of_the_papers(there):
    assert [len(one.human) for one in there] == [754] * 7 + [100] * 2
    assert there[7].truth == pytest.approx(0.22)
    assert there[7].judge.mean() == pytest.approx(0.37)
    # judges that are far off: what the correction is for
    assert max(abs(one.judge.mean() - one.truth) for one in there) > 0.5


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("at", [6, 7], ids=["crowdrag25", "wice"])
def test_intervals_hold_and_nothing_leans(there, at, design):
    found = {one.name: one for one in simulate(there[at], 100, design, studies=STUDIES)}
    assert set(found) == set(NAMES)
    for name, one in found.items():
        assert one.held >= 0.89, (
            name
        )  # 0.95 less three standard errors of 150 studies, and what n = 100 costs
        assert abs(one.bias) < 0.02, name


def test_the_page_has_every_set_and_says_what_fell_short(there):
    found = [
        one
        for world in there[6:8]
        for design in DESIGNS
        for n in (50, 100, 200)
        for one in simulate(world, n, design, studies=4)
    ]
    text = page(there[6:8], found)
    assert text.count("| WiCE, gpt-4-0613 |") == 1 + len(DESIGNS) * len(NAMES)
    assert "| further | " in text


def test_what_reports_quote_is_what_the_page_says():
    from evenhand.judge.calibration.text import HELD

    text = PAGE.read_text(encoding="utf-8")
    row = next(line for line in text.split("\n") if line.startswith("| uniform |"))
    low, high = (float(part.strip().rstrip("%")) for part in row.split("|")[2].split("to"))
    assert f"{low:.0f} to {high:.0f} of 100" == HELD
