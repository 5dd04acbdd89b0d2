"""Fewer labels: probabilities that are true, estimates without bias, and less width for each label."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.labelling.pooling.label_sampling import active, influence, prefix, sample, weights
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id
from evenhand.stats.sampling.designs import expansion

QUESTIONS, DEPTH = 40, 10


def world(seed=5):
    """A pool of two systems that mostly agree, and true grades that fall with the best rank."""
    dice = np.random.default_rng(seed)
    items, found, grades = [], [], {}
    for q in range(QUESTIONS):
        one = dice.permutation(DEPTH + 4)[:DEPTH].tolist()
        two = one.copy()
        for _ in range(3):
            i = int(dice.integers(DEPTH - 1))
            two[i], two[i + 1] = two[i + 1], two[i]
        two[-1] = DEPTH + 4
        for unit in sorted({*one, *two}):
            mark = f"{unit:064x}"
            name = item_id(f"q{q:02}", "d", unit * 10, unit * 10 + 9, mark)
            for r, order in enumerate((one, two)):
                if unit in order:
                    found.append((len(items), r, order.index(unit) + 1))
            best = min(order.index(unit) for order in (one, two) if unit in order)
            grades[name] = float(dice.random() < 0.7 / (1 + best)) * (1 + float(dice.random() < 0.5))
            items.append(
                PoolItem(
                    id=name,
                    question=f"q{q:02}",
                    doc="d",
                    start=unit * 10,
                    end=unit * 10 + 9,
                    text_sha256=mark,
                )
            )
    columns = np.array(found, dtype=np.int32)
    pool = Pool(
        "p",
        tuple(items),
        {f"q{q:02}": "?" for q in range(QUESTIONS)},
        (Pooled(system="a", seal="1"), Pooled(system="b", seal="2")),
        columns[:, 0],
        columns[:, 1],
        columns[:, 2],
        settings={"strategy": "depth"},
    )
    return pool, grades


POOL, GRADES = world()
WEIGHT = dict(zip([i.id for i in POOL], (weights(POOL)[0] - weights(POOL)[1]) / QUESTIONS, strict=True))
TRUTH = sum(WEIGHT[name] * grade for name, grade in GRADES.items())


def estimate(pairs):
    """The mean difference in DCG@10 from the items that were judged."""
    return expansion([WEIGHT[i.id] * GRADES[i.id] for i, _ in pairs], [p for _, p in pairs]).point


def drawn(made):
    return [(item, item.probability) for item in made]


def test_the_weights_are_those_of_the_headline():
    """DCG by hand: the difference of the two systems on the whole pool."""
    by_hand = 0.0
    for item, run, rank in zip(POOL.found_item, POOL.found_run, POOL.found_rank, strict=True):
        gain = GRADES[POOL.items[item].id] / np.log2(rank + 1) / QUESTIONS
        by_hand += gain if run == 0 else -gain
    assert pytest.approx(by_hand) == TRUTH


@pytest.mark.parametrize(
    "draw",
    [
        lambda seed: drawn(active(POOL, n=90, seed=seed)),
        lambda seed: prefix(active(POOL, n=200, seed=seed), 60),
        lambda seed: drawn(sample(POOL, n=200, seed=seed, certain=1)),
    ],
    ids=["active", "active, broken off early", "stratified"],
)
def test_estimates_from_a_sample_are_unbiased(draw):
    """Over many seeds the mean of the estimates is the value that judging everything would give."""
    seeds = 400
    points = [estimate(draw(seed)) for seed in range(seeds)]
    assert abs(np.mean(points) - TRUTH) < 4 * np.std(points) / np.sqrt(seeds)


def test_the_plain_mean_of_an_active_sample_is_biased_which_is_why_probabilities_are_kept():
    positive = []
    for seed in range(100):
        chosen = active(POOL, n=90, seed=seed)
        positive.append(np.mean([GRADES[item.id] > 0 for item in chosen]))
    share = np.mean([grade > 0 for grade in GRADES.values()])
    assert abs(np.mean(positive) - share) > 4 * np.std(positive) / 10


def test_the_active_order_narrows_the_headline_more_than_as_many_random_labels():
    spread = {
        "active": np.std([estimate(drawn(active(POOL, n=120, seed=s))) for s in range(200)]),
        "random": np.std(
            [estimate(drawn(sample(POOL, n=120, seed=s, certain=0, bands=()))) for s in range(200)]
        ),
    }
    assert spread["active"] < 0.6 * spread["random"]


def test_a_bad_guess_costs_width_and_no_bias():
    dice = np.random.default_rng(2)
    wrong = {item.id: float(dice.random()) for item in POOL}
    points = [estimate(drawn(active(POOL, n=90, seed=seed, likely=wrong))) for seed in range(400)]
    assert abs(np.mean(points) - TRUTH) < 4 * np.std(points) / 20


def test_an_active_sample_is_seeded_keeps_what_was_found_and_records_how_it_was_drawn():
    one, two = active(POOL, n=50, seed=1), active(POOL, n=50, seed=1)
    assert one.seal == two.seal != active(POOL, n=50, seed=2).seal
    assert len(one) == 50
    assert one.settings["strategy"] == "active"
    assert one.settings["of"] == len(POOL)
    assert one.settings["pairs"] == "all"
    shown = {
        (POOL.items[i].id, r, k)
        for i, r, k in zip(
            POOL.found_item.tolist(), POOL.found_run.tolist(), POOL.found_rank.tolist(), strict=True
        )
    }
    for i, r, k in zip(one.found_item.tolist(), one.found_run.tolist(), one.found_rank.tolist(), strict=True):
        assert (one.items[i].id, r, k) in shown


def test_all_of_a_pool_is_certain():
    assert {item.probability for item in active(POOL, n=len(POOL) + 5, seed=1)} == {1.0}
    assert sample(POOL, n=len(POOL), seed=1) is POOL


def test_the_head_of_an_active_order_is_the_same_however_long_the_order_is():
    short = {item.id for item, _ in prefix(active(POOL, n=100, seed=3), 40)}
    long = {item.id for item, _ in prefix(active(POOL, n=300, seed=3), 40)}
    assert short == long
    assert prefix(active(POOL, n=100, seed=3), 100)[0][1] == max(
        p for _, p in prefix(active(POOL, n=100, seed=3), 100)
    )


def test_certain_ranks_are_all_taken_and_strata_say_their_probability():
    made = sample(POOL, n=260, seed=1, certain=3)
    best = np.full(len(POOL), 99)
    np.minimum.at(best, POOL.found_item, POOL.found_rank)
    sure = {POOL.items[i].id for i in np.flatnonzero(best <= 3)}
    assert sure <= {item.id for item in made}
    assert {item.probability for item in made if item.id in sure} == {1.0}
    for name, size, taken in made.settings["strata"]:
        those = [item for item in made if item.stratum == name]
        assert len(those) == taken
        assert all(item.probability == taken / size for item in those)


def test_an_item_that_both_systems_show_at_one_rank_moves_no_difference():
    size = influence(POOL)
    table = weights(POOL)
    same = table[0] == table[1]
    assert same.any()
    assert (size[same] == 0).all()
    assert (size[~same] > 0).all()
    assert (influence(POOL, pairs=[]) > 0).all()


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: sample(POOL, n=10, seed=1), "best rank up to"),
        (lambda: active(POOL, n=10, seed=1, discount="log"), "no discount"),
        (lambda: active(POOL, n=10, seed=1, pairs=[("a", "c")]), "no system 'c'"),
        (lambda: active(POOL, n=10, seed=1, likely={POOL.items[0].id: 2.0}), "outside 0..1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(act, said):
    with pytest.raises(InputError, match=said):
        act()
