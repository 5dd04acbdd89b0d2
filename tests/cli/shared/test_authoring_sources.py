"""Where the documents and the gold file of `evenhand serve` come from."""

import pytest

from evenhand.cli.shared.authoring_sources import library_of
from evenhand.errors import InputError

STUDY = """
[study]
name = "s"
[corpus]
path = "."
glob = ["**/*.md", "**/*.jsonl"]
[gold]
path = "{gold}"
[chunking.whole]
rule = "fixed"
size = 200
[system.bm25]
retriever = "bm25"
chunking = "whole"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.md").write_text("Copies cost 5 cents.")
    (tmp_path / "gold.jsonl").write_text('{"id": "q1", "text": "What does a copy cost?"}\n')
    (tmp_path / "study.toml").write_text(STUDY.format(gold="gold.jsonl"))
    return tmp_path


def test_both_are_those_of_the_study_and_the_gold_file_among_the_documents_is_none_of_them(folder):
    for where in (folder, folder / "study.toml"):
        found = library_of(str(where), None, None)
        assert [document.id for document in found.corpus] == ["a.md"]
        assert found.gold == folder / "gold.jsonl"


def test_a_store_alone_has_none_and_half_of_it_is_refused(folder):
    assert library_of(str(folder / "judgements.sqlite"), None, None) is None
    assert library_of("postgresql://x/y", None, None) is None
    with pytest.raises(InputError, match="into a file"):
        library_of("judgements.sqlite", folder, None)


def test_what_is_given_goes_first(folder):
    other = folder / "other.jsonl"
    found = library_of(str(folder), folder, other)
    assert [document.id for document in found.corpus] == ["a.md"]
    assert found.gold == other


def test_a_holdout_is_refused(folder):
    with pytest.raises(InputError, match="holdout"):
        library_of("judgements.sqlite", folder, folder / "gold.holdout.jsonl")


def test_a_gold_set_in_the_form_of_a_guest_is_not_written(folder):
    (folder / "gold.csv").write_text("id,text\n")
    (folder / "study.toml").write_text(STUDY.format(gold="gold.csv"))
    assert library_of(str(folder), None, None) is None
