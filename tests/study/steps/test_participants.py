"""Who takes part: systems crossed with chunkings."""

import pytest

from evenhand.errors import InputError
from evenhand.model.plan.study import Compare, CutPlan, Plan, SystemPlan
from evenhand.study.steps.participants import OWN, entrants, pairs_of


def retriever(name, **more):
    return SystemPlan(name=name, kind="retriever", what="bm25", **more)


def plan(systems, cuts=("one",), **compare):
    return Plan(
        name="p",
        chunkings=tuple(CutPlan(name=cut, rule="document") for cut in cuts),
        systems=tuple(systems),
        compare=Compare(**compare),
    )


FUSED = SystemPlan(name="both", kind="fuse", of=("a", "b"))


def names(made):
    return [one.name for one in made]


def test_with_one_chunking_names_stay_plain():
    assert names(entrants(plan([retriever("a"), retriever("b"), FUSED]))) == ["a", "b", "both"]


def test_with_several_every_system_meets_every_chunking():
    made = entrants(plan([retriever("a"), retriever("b"), FUSED], cuts=("x", "y")))
    assert sorted(names(made)) == ["a/x", "a/y", "b/x", "b/y", "both/x", "both/y"]
    both = next(one for one in made if one.name == "both/y")
    assert (both.of, both.chunking) == (("a/y", "b/y"), "y")


def test_members_come_before_what_is_made_from_them():
    made = names(entrants(plan([FUSED, retriever("a"), retriever("b")])))
    assert made.index("both") > max(made.index("a"), made.index("b"))


def test_a_system_that_names_its_chunking_takes_part_once():
    made = entrants(plan([retriever("a", chunking="x"), retriever("b")], cuts=("x", "y")))
    assert names(made) == ["a", "b/x", "b/y"]


def test_what_is_made_from_a_pinned_system_is_pinned_too():
    made = {
        one.name: one
        for one in entrants(plan([retriever("a", chunking="x"), retriever("b"), FUSED], cuts=("x", "y")))
    }
    assert made["both"].of == ("a", "b/x")
    assert made["both"].chunking == "x"


def test_rankings_of_different_units_are_not_fused():
    systems = [retriever("a", chunking="x"), retriever("b", chunking="y"), FUSED]
    with pytest.raises(InputError, match="different chunkings"):
        entrants(plan(systems, cuts=("x", "y")))


def test_a_run_file_must_say_which_of_several_chunkings_it_ranks():
    with pytest.raises(InputError, match="several chunkings"):
        entrants(plan([SystemPlan(name="r", kind="run", what="r.trec")], cuts=("x", "y")))


def test_a_guest_that_cuts_for_itself_takes_part_once():
    (one, *_) = entrants(plan([retriever("a"), retriever("b")], cuts=("x", "y")), own=["a"])
    assert (one.name, one.chunking) == ("a", OWN)


def test_all_pairs_leave_the_null_systems_out():
    p = plan([retriever("a"), retriever("b")], null=("random",))
    field = entrants(p)
    assert names(field) == ["a", "b", "random"]
    assert pairs_of(p, field) == (("a", "b"),)


def test_a_baseline_is_held_against_every_other_system():
    p = plan([retriever("a"), retriever("b"), retriever("c")], pairs="baseline:b")
    assert pairs_of(p, entrants(p)) == (("a", "b"), ("c", "b"))


def test_pairs_by_plain_names_stand_for_each_chunking_alike():
    p = plan([retriever("a"), retriever("b")], cuts=("x", "y"), pairs=(("a", "b"),))
    assert pairs_of(p, entrants(p)) == (("a/x", "b/x"), ("a/y", "b/y"))


def test_pairs_may_name_a_system_on_one_chunking():
    p = plan([retriever("a")], cuts=("x", "y"), pairs=(("a/x", "a/y"),))
    assert pairs_of(p, entrants(p)) == (("a/x", "a/y"),)


def test_an_unknown_name_in_a_pair_names_the_nearest():
    p = plan([retriever("dense"), retriever("b")], pairs=(("dens", "b"),))
    with pytest.raises(InputError) as caught:
        pairs_of(p, entrants(p))
    assert "did you mean 'dense'" in caught.value.mend


def test_a_baseline_that_stands_for_several_must_be_named_in_full():
    p = plan([retriever("a"), retriever("b")], cuts=("x", "y"), pairs="baseline:a")
    with pytest.raises(InputError, match="several systems"):
        pairs_of(p, entrants(p))
