"""A repeat comes late enough, and of many quotations three are kept."""

import numpy as np
from tests.labelling.desk.test_desk_numbers import item

from evenhand.judge.panel.quote_check import PIECES, quoted
from evenhand.labelling.desk.task_order import arranged


def test_a_repeat_comes_after_twenty_others_or_at_the_end():
    main = [item(n) for n in range(60)]
    for seed in range(40):
        placed = arranged(
            main, main[:60:7], [], order="unit-id", questions=["q0"], dice=np.random.default_rng(seed)
        )
        first = {one.item.id: i for i, one in enumerate(placed) if one.kind == "main"}
        mains = [i for i, one in enumerate(placed) if one.kind == "main"]
        for i, one in enumerate(placed):
            if one.kind == "repeat":
                between = sum(first[one.item.id] < place < i for place in mains)
                after = sum(place > first[one.item.id] for place in mains)
                assert between >= min(20, after)


def test_three_quotations_are_kept_and_further_ones_are_counted_as_lost():
    assert PIECES == 3
    text = "one two three four five"
    found = quoted(["one", "two", "two", "three", "four"], text)
    assert found == {"evidence": ["one", "two", "three"], "lost": 1}
    assert quoted(["six", "one"], text) == {"evidence": ["one"], "lost": 1}
    assert quoted(["", " "], text) == quoted(None, text) == {}
