"""Files of guests that were put together at random: each is read, or refused in words."""

import json
from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.gold.test_gold_sets import DOCS

from evenhand.errors import InputError
from evenhand.formats.gold.gold_set import gold_of_rows
from evenhand.formats.guests import gold_registry
from evenhand.formats.guests.answers import registry
from evenhand.formats.guests.scores import read as scores
from evenhand.formats.runs.trec import GUESTS, read_qrels, read_run

NAMED = """user_input question answer reference contexts reference_contexts reference_context_ids ground_truths input
context expected_output additional_metadata source_file id status metadata expectedOutput datasetName spans doc start end
quote inputs outputs reference_outputs anchors gold grade source_id occurrence doc_id qtype meta questions query
gold_snippets gold_answer tags reviewed cases relevant_phrases tests vars assert type value snippets file_path span kind
expected_source_ids queries corpus relevant_docs mode nuggets relevant_corpus_ids query_id query_title text excluded_ids
gold_ids run_name results individual_scores predicted_answers documents page_content retrieved_context
retrieved_context_ids retrieved_ids expected_ids retrieved_documents ground_truth_documents metric_dict metricsData name
score scores context_precision evenhand retrieve_scores qid actual_output retrieval_context"""
KEYS = NAMED.split()
WORDS = ["lease.md", "Dogs are allowed.", "30 days' written notice", "", "file://x", "lease.md#3-9", "{{x}}"]
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**6), st.floats(), st.sampled_from(WORDS), st.text(max_size=8)
)
NAMES = st.sampled_from(KEYS)
VALUES = st.recursive(
    LEAVES, lambda c: st.one_of(st.lists(c, max_size=3), st.dictionaries(NAMES, c, max_size=4)), max_leaves=14
)
ROWS = st.dictionaries(NAMES, VALUES, max_size=8)


def tried(work):
    with suppress(InputError):  # which always has a mend
        work()


@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(thing=st.one_of(ROWS, st.lists(ROWS, max_size=3)), lines=st.booleans())
def test_any_file_is_read_or_refused(tmp_path_factory, thing, lines):
    path = tmp_path_factory.getbasetemp() / "guest.json"
    rows = thing if isinstance(thing, list) else [thing]
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(thing), encoding="utf-8")

    def gold(form, corpus):
        coming = gold_registry.come(path, form, corpus)
        assert all(isinstance(one, str) for one in coming.told())
        gold_of_rows(coming.rows, corpus, file="guest.json", lenient=True)

    for form in gold_registry.READS:
        for corpus in (DOCS, None):
            tried(lambda form=form, corpus=corpus: gold(form, corpus))
    for form in registry.READS:
        tried(lambda form=form: registry.import_answers(path, form, system="s"))
    for form in scores.READS:
        tried(lambda form=form: scores.read_scores(path, form))
    for form in (*GUESTS, ""):
        for read in (read_run, read_qrels):
            tried(lambda form=form, read=read: read(path, form=form))
