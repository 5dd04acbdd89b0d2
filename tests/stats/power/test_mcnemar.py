"""How many questions two hit rates need."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.power.mcnemar import discordant_shares, mcnemar_power, mcnemar_sample_size


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.5), st.floats(0.0, 0.5), st.integers(1, 120), st.sampled_from(["exact", "mid"]))
def test_power_is_a_share_and_exchange_changes_nothing(b, c, n, test):
    power = mcnemar_power(b, c, n, test=test)
    assert 0 <= power <= 1
    assert mcnemar_power(c, b, n, test=test) == pytest.approx(power)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("n", [10, 40, 150])
def test_the_exact_test_never_exceeds_its_size(share, n):
    assert mcnemar_power(share, share, n) <= 0.05


@pytest.mark.parametrize(("b", "c"), [(0.2, 0.1), (0.3, 0.05), (0.02, 0.005), (0.5, 0.0), (0.1, 0.3)])
@pytest.mark.parametrize("test", ["exact", "mid"])
def test_the_size_is_where_the_power_stays(b, c, test):
    found = mcnemar_sample_size(b, c, test=test)
    assert found.power >= 0.8
    assert mcnemar_power(b, c, found.n - 1, test=test) < 0.8
    assert all(mcnemar_power(b, c, found.n + more, test=test) >= 0.8 for more in range(30))
    assert found.n == pytest.approx(found.n_normal, rel=0.25, abs=4)


def test_five_pairs_that_all_differ_cannot_be_significant_and_six_can():
    assert mcnemar_power(1.0, 0.0, 5) == 0
    assert mcnemar_power(1.0, 0.0, 6) == pytest.approx(1)


def test_no_difference_and_one_too_small_have_a_reason_instead_of_a_number():
    assert mcnemar_sample_size(0.1, 0.1).reason == "a difference of 0 cannot be found at any size"
    tiny = mcnemar_sample_size(0.2001, 0.2)
    assert (tiny.n, tiny.reason) == (None, "more than 2,000,000 pairs")
    assert mcnemar_power(0.2, 0.1, 0) is None
    assert mcnemar_power(0.0, 0.0, 50) == 0


def test_systems_that_hit_the_same_questions_need_fewer():
    apart, alike = (discordant_shares(0.8, 0.7, phi=phi) for phi in (0.0, 0.6))
    assert apart == (pytest.approx(0.24), pytest.approx(0.14))
    assert alike[0] - alike[1] == pytest.approx(0.1)
    assert mcnemar_sample_size(*alike).n < 0.6 * mcnemar_sample_size(*apart).n
    with pytest.raises(InputError, match=r"between -0.327 and 0.764"):
        discordant_shares(0.8, 0.7, phi=0.9)


@pytest.mark.parametrize(
    "arguments", [{"only_first": 0.7, "only_second": 0.6}, {"only_first": -0.1, "only_second": 0.6}]
)
def test_shares_that_cannot_be_are_refused(arguments):
    with pytest.raises(InputError, match="discordant"):
        mcnemar_power(**arguments, n=10)
    with pytest.raises(InputError, match="hit rate"):
        discordant_shares(1.2, 0.5)
    with pytest.raises(InputError, match="chi2"):
        mcnemar_sample_size(0.2, 0.1, test="chi2")
