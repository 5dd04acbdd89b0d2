"""What documents say of themselves, and where that contradicts itself."""

from evenhand.corpus.document_status import standing_of
from evenhand.model.text import Corpus, Document


def corpus(**documents):
    """Documents by id, each as the fields that it differs in."""
    return Corpus(
        tuple(
            Document(id=name, text=f"text of {name}", **{"status": "current", "owner": "ann", **more})
            for name, more in documents.items()
        )
    )


def test_a_well_kept_corpus_has_nothing_to_tell():
    found = standing_of(
        corpus(
            a={"supersedes": ("b",)},
            b={"status": "obsolete", "superseded_by": ("a",)},
        )
    )
    assert found.faults == 0
    assert found.by_status == {"current": 1, "obsolete": 1}
    assert not (found.dangling)
    assert not (found.one_sided)
    assert not (found.circular)
    assert not (found.twice_current)
    assert not (found.without_owner)
    assert not (found.without_status)
    assert not (found.unreplaced)


def test_missing_status_and_owner_are_listed_by_id():
    found = standing_of(corpus(a={"status": "unknown"}, b={"owner": " "}))
    assert (found.without_status, found.without_owner) == (("a",), ("b",))


def test_a_link_into_nothing_names_both_ends():
    found = standing_of(corpus(a={"supersedes": ("gone",)}, b={"superseded_by": ("lost",)}))
    assert found.dangling == (("a", "supersedes", "gone"), ("b", "superseded_by", "lost"))


def test_a_link_that_one_side_tells_is_not_a_fault_and_is_listed():
    found = standing_of(corpus(new={"supersedes": ("old",)}, old={"status": "obsolete"}))
    assert found.one_sided == (("old", "new"),)
    assert found.faults == 0


def test_rings_are_found_once_each_whatever_their_length():
    found = standing_of(
        corpus(
            a={"superseded_by": ("b",)},
            b={"superseded_by": ("c",)},
            c={"superseded_by": ("a",)},
            d={"superseded_by": ("d",)},
            e={"superseded_by": ("a",)},
        )
    )
    assert sorted(map(sorted, found.circular)) == [["a", "b", "c"], ["d"]]


def test_a_current_document_that_a_current_one_replaces_is_two_versions_of_one_thing():
    found = standing_of(corpus(a={"superseded_by": ("b",)}, b={}))
    assert found.twice_current == (("a", "b"),)


def test_two_current_documents_of_one_title_are_two_versions_of_one_thing():
    found = standing_of(
        corpus(
            a={"title": "Annual leave"},
            b={"title": "annual  LEAVE"},
            c={"title": "Annual leave", "status": "obsolete"},
        )
    )
    assert found.twice_current == (("a", "b"),)
    assert found.unreplaced == ("c",)
