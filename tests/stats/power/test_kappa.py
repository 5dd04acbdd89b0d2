import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.stats.agreement.kappa import cohen_kappa
from evenhand.stats.power.kappa import (
    kappa_at_agreement,
    kappa_halfwidth,
    kappa_variance,
    n_for_kappa_halfwidth,
)


@pytest.mark.parametrize(("kappa", "p"), [(0.4, 0.5), (0.6, 0.3), (0.0, 0.2), (1.0, 0.4), (0.25, 0.9)])
def test_the_variance_is_that_of_a_table_with_this_kappa(kappa, p):
    n = 10_000
    both, one = round(n * (p * p + kappa * p * (1 - p))), round(n * p * (1 - p) * (1 - kappa))
    first = [1] * (both + one) + [0] * (n - both - one)
    second = [1] * both + [0] * one + [1] * one + [0] * (n - both - 2 * one)
    found = cohen_kappa(first, second)
    assert found.kappa == pytest.approx(kappa, abs=2e-3)
    assert kappa_variance(kappa, p) == pytest.approx(n * found.se**2, abs=5e-3)


def test_n_is_the_first_that_is_narrow_enough():
    n = n_for_kappa_halfwidth(0.6, 0.3, 0.1)
    assert kappa_halfwidth(0.6, 0.3, n) <= 0.1 < kappa_halfwidth(0.6, 0.3, n - 1)
    assert n_for_kappa_halfwidth(0.6, 0.3, 0.05) > 3.9 * n
    assert kappa_halfwidth(0.6, 0.3, 0) is None


def test_a_kappa_that_no_table_has_is_refused():
    with pytest.raises(InputError, match="impossible"):
        kappa_variance(-0.9, 0.2)


def test_a_table_gives_the_kappa_and_the_error_of_its_labels():
    first = [0, 0, 0, 1, 1, 2, 2, 2, 0, 1]
    second = [0, 0, 1, 1, 1, 2, 2, 0, 0, 2]
    table = np.zeros((3, 3))
    np.add.at(table, (first, second), 1)
    known = cohen_kappa(first, second)
    value, variance = kappa_at_agreement(table)
    assert value == pytest.approx(known.kappa)
    assert np.sqrt(variance / 10) == pytest.approx(known.se)


def test_two_categories_with_common_margins_are_the_planning_formula():
    p, kappa = 0.3, 0.6
    off = p * (1 - p) * (1 - kappa)
    table = [[p - off, off], [off, 1 - p - off]]
    assert kappa_at_agreement(table)[1] == pytest.approx(kappa_variance(kappa, p))


def test_less_agreement_is_less_kappa_and_more_variance():
    table = [[40, 5], [5, 50]]
    seen, less = kappa_at_agreement(table), kappa_at_agreement(table, 0.8)
    assert kappa_at_agreement(table, 0.9) == pytest.approx(seen)
    assert less[0] < seen[0]
    assert less[1] > seen[1]
    # without a disagreement there is one all the same
    assert 0 < kappa_at_agreement([[10, 0], [0, 10]], 0.9)[0] < 1
    assert kappa_at_agreement([[10, 0], [0, 10]])[1] == pytest.approx(0)
    assert kappa_at_agreement([[10, 0], [0, 0]]) is None
    with pytest.raises(InputError, match="not square"):
        kappa_at_agreement([[1, 2]])
