"""Shapes of frameworks, without the frameworks: tests/guests has the real ones."""

from types import SimpleNamespace

import pytest

from evenhand.errors import InputError, Unreachable
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.frameworks import recognised
from evenhand.retrieve.search import retrieve

TEXTS = {
    "guides/leave.md": "Leave is asked for in writing.  Sick leave\nneeds a note.",
    "pay.md": "Pay comes on the first. Nothing else is said.",
}


def document(text, score=None, **meta):
    return SimpleNamespace(page_content=text, metadata={**meta, **({"score": score} if score else {})})


class Chain:
    """Looks like a runnable."""

    def __init__(self, *documents):
        self.documents = documents

    def invoke(self, question):
        return list(self.documents)


def units(run, question="q"):
    return [hit.unit for hit in run.ranking(question)]


def test_a_document_lies_where_its_metadata_say_when_its_text_stands_there(units_of):
    whole = units_of(TEXTS)
    chain = Chain(
        document("Sick leave needs a note.", source="/srv/x/guides/leave.md", start_index=32),
        document("Pay comes on the first.", source="pay.md", start=24, end=45),  # its text stands elsewhere
        document(
            "Rules. Nothing else is said.", source="C:\\docs\\pay.md", start=24, end=45
        ),  # a heading before it
        document("Leave is asked", doc_id="?", file_name="leave.md", start_index=0),
        document("nobody ever said this", source="pay.md"),
    )
    run = retrieve(chain, whole, {"q": "?"})
    assert units(run) == [
        "guides/leave.md#32-56", "pay.md#0-23", "pay.md#24-45", "guides/leave.md#0-14", "unresolved:1",
    ]  # fmt: skip
    told = {name: run.notes[name] for name in ("offsets_against_text", "offsets_unverified", "unresolved")}
    assert set(told.values()) == {1}


def test_a_unit_of_ours_is_known_by_its_id_wherever_that_stands(units_of):
    whole = units_of(TEXTS)
    one = SimpleNamespace(page_content="other words", metadata={}, id="pay.md#0-3")
    two = document("other words", unit="pay.md#4-9")
    run = retrieve(Chain(one, two), whole, {"q": "?"})
    assert units(run) == ["pay.md#0-3", "pay.md#4-9"]


def test_scores_are_taken_and_distances_turned_round(units_of):
    whole = units_of(TEXTS)
    scored = Chain(document("Pay comes", 0.9), document("Nothing else", 0.4))
    assert retrieve(scored, whole, {"q": "?"}).score.tolist() == [0.9, 0.4]
    far = Chain(document("Pay comes", 0.1), document("Nothing else", 0.4))
    run = retrieve(far, whole, {"q": "?", "r": "?"})
    assert run.score.tolist() == [-0.1, -0.4] * 2
    assert run.notes["distances"] == 2
    unscored = retrieve(Chain(document("Pay comes"), document("Nothing else")), whole, {"q": "?"})
    assert unscored.score.tolist() == [1.0, 0.5]


def test_fewer_hits_than_asked_are_counted(units_of):
    whole = units_of(TEXTS)
    run = retrieve(Chain(document("Pay comes")), whole, {"q": "?", "r": "?"}, depth=9)
    assert run.notes["fewer_than_asked"] == 2
    assert "fewer_than_asked" not in retrieve(Chain(document("Pay")), whole, {"q": "?"}, depth=1).notes


def test_what_it_raises_puts_one_question_aside_and_hides_keys(units_of, monkeypatch):
    monkeypatch.setenv("THEIR_API_KEY", "sk-canary-31")

    class Breaks(Chain):
        def invoke(self, question):
            if question == "bad":
                raise RuntimeError("no such key: sk-canary-31")
            return super().invoke(question)

    run = retrieve(Breaks(document("Pay comes")), units_of(TEXTS), {"q": "good", "r": "bad"})
    assert dict(run.not_run) == {"r": "RuntimeError"}
    with pytest.raises(Unreachable) as told:
        retrieve(Breaks(), units_of(TEXTS), {"r": "bad"})
    assert "no such key: …" in str(told.value)
    assert "canary" not in str(told.value)


@pytest.mark.parametrize("answer", ["text", 3, [3], [("a", 1)], {"a": 1}])
def test_answers_that_are_no_documents_end_the_run(units_of, answer):
    thing = SimpleNamespace(invoke=lambda _question: answer)
    with pytest.raises(InputError, match="LangChain"):
        retrieve(thing, units_of(TEXTS), {"q": "?"})


def test_a_plain_guest_is_no_framework():
    for thing in (SimpleNamespace(search=len, invoke=len), len, SimpleNamespace(index=len), Chain, 3):
        assert recognised(thing) is None


def test_a_search_that_is_asynchronous_is_awaited(units_of):
    async def search(question, k):
        return [{"doc": "pay.md", "start": 0, "end": 3}][:k]

    assert units(retrieve(search, units_of(TEXTS), {"q": "?"})) == ["pay.md#0-3"]


def test_a_function_of_keywords_makes_the_guest(tmp_path, units_of):
    (tmp_path / "made_by.py").write_text(
        "from types import SimpleNamespace as N\n"
        "def make(*, text='Pay comes'):\n"
        "    return N(invoke=lambda q: [N(page_content=text, metadata={})])\n"
        "def plain():\n    return lambda question, k: ['pay.md#0-3']\n"
        "def broken():\n    raise KeyError('x')\n"
    )

    def made(what, **settings):
        plan = SystemPlan(name="s", kind="retriever", what=f"python:made_by:{what}", settings=settings)
        return retrieve(build(plan, base_folder=tmp_path), units_of(TEXTS), {"q": "?"})

    assert units(made("make")) == ["pay.md#0-9"]
    run = made("make", text="Nothing else")
    assert units(run) == ["pay.md#24-36"]
    assert run.provenance["settings"] == {"text": "Nothing else"}
    assert units(made("plain")) == ["pay.md#0-3"]
    with pytest.raises(InputError, match=r"\[system.s\] retriever 's' failed at making it: KeyError"):
        made("broken")
    with pytest.raises(InputError, match="takes no settings"):
        made("make", txt="x")


def test_file_names_that_two_documents_share_mean_neither(units_of):
    whole = units_of({"a/x.md": "One word.", "b/x.md": "Two words."})
    run = retrieve(Chain(document("Two words.", file_name="x.md", start_index=0)), whole, {"q": "?"})
    assert units(run) == ["b/x.md#0-10"]
