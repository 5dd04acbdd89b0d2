"""Panels of raters: coefficients beyond chance, missing labels, intervals over clusters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.agreement.gwet import fleiss_kappa, fleiss_kappa_counts, gwet_ac1, gwet_ac2
from evenhand.stats.agreement.kappa import cohen_kappa
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.raw_agreement import no_skill_agreement, panel, raw_agreement, sides

FEW = {"resamples": 60}
labels = st.one_of(st.none(), st.integers(0, 2))
tables = st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=25)
COEFFICIENTS = {
    "fleiss": fleiss_kappa,
    "fleiss available": lambda rows, **o: fleiss_kappa(rows, missing="available", **o),
    "ac1": lambda rows, **o: gwet_ac1(rows, categories=(0, 1, 2), **o),
    "ac2": lambda rows, **o: gwet_ac2(rows, weights="quadratic", categories=(0, 1, 2), **o),
    "alpha": krippendorff_alpha,
    "alpha ordinal": lambda rows, **o: krippendorff_alpha(rows, scale="ordinal", **o),
    "alpha interval": lambda rows, **o: krippendorff_alpha(rows, scale="interval", **o),
    "alpha ratio": lambda rows, **o: krippendorff_alpha(rows, scale="ratio", **o),
}
# agreement with clear structure: 40 items, one in eight judged apart
CLEAR = [(i % 3, i % 3, (i % 3 + (i % 8 == 0)) % 3) for i in range(40)]


@settings(max_examples=40, deadline=None)
@given(tables, st.sampled_from(sorted(COEFFICIENTS)))
def test_the_order_of_items_and_of_raters_changes_nothing(rows, name):
    found = COEFFICIENTS[name](rows, **FEW).value
    assert COEFFICIENTS[name](rows[::-1], **FEW).value == pytest.approx(found)
    assert COEFFICIENTS[name]([row[::-1] for row in rows], **FEW).value == pytest.approx(found)
    assert found is None or found <= 1 + 1e-12


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_full_agreement_is_1_and_intervals_hold_their_point_and_shrink(name):
    coefficient = COEFFICIENTS[name]
    assert coefficient([(i % 3,) * 3 for i in range(9)], **FEW).value == pytest.approx(1)
    few, many = coefficient(CLEAR), coefficient(CLEAR * 6)
    assert few.interval.low <= few.value <= few.interval.high <= 1
    assert many.interval.high - many.interval.low < 0.6 * (few.interval.high - few.interval.low)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_items_of_one_cluster_said_ten_times_do_not_narrow_the_interval(name):
    clusters = [i // 10 for i in range(400)]
    copied = [row for row in CLEAR for _ in range(10)]
    plain, clustered = COEFFICIENTS[name](copied), COEFFICIENTS[name](copied, clusters=clusters)
    assert clustered.value == pytest.approx(plain.value)
    assert clustered.clusters == 40
    wide, narrow = (one.interval.high - one.interval.low for one in (clustered, plain))
    assert wide > 2 * narrow


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_without_two_labels_on_an_item_there_is_a_reason_instead(name):
    for rows in ([], [(1, None, None), (None, None, 0)], [(None, None, None)]):
        found = COEFFICIENTS[name](rows, **FEW)
        assert found.value is None
        assert found.reason
        assert found.interval.low is None


def test_one_category_only_is_undefined_for_kappa_and_alpha_and_1_for_ac1_of_a_declared_scale():
    rows = [(1, 1, 1)] * 5
    for found in (fleiss_kappa(rows), krippendorff_alpha(rows), gwet_ac1(rows)):
        assert (found.value, found.observed) in {(None, 1.0), (None, None)}
        assert "categor" in found.reason
    whole = gwet_ac1(rows, categories=(0, 1))
    assert (whole.value, whole.degenerate) == (1.0, True)
    assert not gwet_ac1([*rows, (1, 1, 0)]).degenerate


def test_the_paradox_table_is_shown_by_its_four_numbers_together():
    first = [1] * 94 + [0] * 6
    second = [1] * 90 + [0] * 4 + [1] * 5 + [0]
    assert raw_agreement(first, second).value == pytest.approx(0.91)
    assert cohen_kappa(first, second).kappa == pytest.approx(0.135, abs=5e-4)
    assert gwet_ac1(list(zip(first, second, strict=True))).value == pytest.approx(0.900, abs=5e-4)
    found = sides(first, second)
    assert found.negative.value == pytest.approx(0.18, abs=5e-3)
    assert found.positive.value == pytest.approx(0.952, abs=5e-4)
    # a judge who always says yes agrees more often than this one
    assert no_skill_agreement(second).value == 0.95


def test_items_without_both_labels_are_dropped_and_counted():
    found = raw_agreement([1, None, 0, 1], [1, 1, None, 0])
    assert (found.value, found.n, found.dropped) == (0.5, 2, 2)
    assert cohen_kappa([1, None, 0, 0], [1, 1, None, 0]).dropped == 2
    assert fleiss_kappa([(1, 1), (0, 0), (1, None)]).dropped == 1
    assert krippendorff_alpha([(1, 1), (0, 0), (1, None)]).dropped == 1


def test_a_pair_is_over_the_items_both_labelled_and_unanimity_over_complete_ones():
    found = panel([(1, 1, 0), (1, None, 1), (0, 0, 0), (None, 1, None)], **FEW)
    assert [(pair.n, pair.agree) for pair in found.pairs] == [(2, 2), (3, 2), (2, 1)]
    assert found.mean_pairwise == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)
    assert found.pooled_pairwise == pytest.approx(5 / 7)
    assert (found.unanimous, found.complete, found.incomplete) == (0.5, 2, 2)
    # one valid label is no majority
    assert found.majority == (1, 1, 0, None)


def test_weights_give_credit_to_near_grades_only():
    near, far = ([0, 1, 2, 2, 0, 1], [1, 1, 2, 2, 0, 1]), ([2, 1, 2, 2, 0, 1], [0, 1, 2, 2, 0, 1])
    for name in ("linear", "quadratic"):
        assert cohen_kappa(*near, weights=name).kappa > cohen_kappa(*near).kappa
        assert cohen_kappa(*far, weights=name).kappa < cohen_kappa(*far).kappa


def test_intervals_over_clusters_refuse_too_few_and_say_so():
    a, b = [1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 1, 0]
    one = raw_agreement(a, b, clusters=["q"] * 6)
    assert (one.interval.low, one.interval.reason) == (None, "only one of the clusters")
    few = raw_agreement(a * 3, b * 3, clusters=[i // 6 for i in range(18)])
    assert "few_clusters" in few.interval.flags
    # kappa of a resample may not exist: above one in five there is no interval
    gone = cohen_kappa([1, 0], [1, 0], clusters=["q", "r"])
    assert (gone.kappa, gone.interval.low) == (1.0, None)
    assert "resamples have no value" in gone.interval.reason


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: raw_agreement([1], [1, 0]), "two labels"),
        (lambda: raw_agreement([1, 0], [1, 0], clusters=["q"]), "cluster"),
        (lambda: cohen_kappa([1], [1, 0]), "two labels"),
        (lambda: cohen_kappa([1, 5], [1, 0], categories=(0, 1)), "5"),
        (lambda: cohen_kappa([1, 0], [1, 0], weights="cubic"), "cubic"),
        (lambda: gwet_ac2([(1, 0)], weights="cubic"), "cubic"),
        (lambda: krippendorff_alpha([(1, 0)], scale="cubic"), "cubic"),
        (lambda: krippendorff_alpha([("a", "b")], scale="interval"), "not numbers"),
        (lambda: krippendorff_alpha([(-1, 1)], scale="ratio"), "below 0"),
        (lambda: fleiss_kappa([(1, 0)], missing="guess"), "guess"),
        (lambda: fleiss_kappa_counts([[1, 1], [2, 1]]), "different numbers"),
        (lambda: fleiss_kappa_counts([[-1, 1]]), "not a table"),
        (lambda: panel([(1, 0), (1,)]), "not a table"),
        (lambda: panel([(1,)]), "one judge"),
        (lambda: gwet_ac1([(float("nan"), 1)]), "NaN"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(call, word):
    with pytest.raises(InputError, match=word):
        call()
