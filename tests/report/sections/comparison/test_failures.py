"""The four lists of failures, against counting by hand."""

from tests.report.example import example

from evenhand.report.sections.comparison.failures import failures, listed_values

METRIC = "nDCG@10"


def test_each_list_is_what_counting_by_hand_gives():
    report = example()
    values = listed_values(report, METRIC)
    null = {one["name"] for one in report["systems"] if one["provenance"].get("null")}
    assert set(values) == set(report["questions"]["systems"]) - null
    found = failures(report, values, METRIC)
    whole = [q for q in next(iter(values.values())) if all(values[s][q] is not None for s in values)]
    above = {q: [s for s in values if values[s][q] > 0] for q in whole}
    assert found["of"] == len(whole) > 0
    assert [one["question"] for one in found["misses"]] == [q for q in whole if not above[q]]
    assert [(one["question"], one["system"]) for one in found["alone"]] == [
        (q, above[q][0]) for q in whole if len(above[q]) == 1
    ]
    assert {(one["question"], one["chunking"]) for one in found["cut"]} == {
        (q, c["name"]) for c in report["chunkings"] for q in c["unreachable"] or ()
    }


def test_a_near_miss_stands_below_the_cutoff_and_within_twice_of_it():
    report = example()
    rows = [row for row in report["questions"]["rows"] if row["found"]]
    assert rows
    for rank, near in ((10, False), (11, True), (20, True), (21, False), (None, False)):
        rows[0]["found"][0]["first"] = rank
        found = failures(report, listed_values(report, METRIC), METRIC)
        mine = [one for one in found["near"] if one["question"] == rows[0]["id"] and one["rank"] == rank]
        assert bool(mine) is near, rank
    assert found["near_of"] == len(rows)
    assert found["cutoff"] == 10


def test_no_cutoff_no_near_miss_and_no_system_nothing():
    report = example()
    values = listed_values(report, METRIC)
    assert failures(report, values, "AP")["near"] == []
    assert failures(report, values, "AP")["cutoff"] is None
    assert failures(report, {}, METRIC)["of"] == 0
