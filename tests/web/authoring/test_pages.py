"""Writing and reviewing questions: who may, what is verified, what is written."""

import json

import pytest
from tests.web.house import client, post, stocked

from evenhand.errors import InputError
from evenhand.gold.alternative_spans import elsewhere
from evenhand.model.text import Corpus, DocId, Document, Span
from evenhand.web.authoring.library import Library

WAVE = "\U0001f44b\U0001f3fd"
TEXT = f"# Prices {WAVE}\r\n\r\nA cafe\u0301 au lait costs 12 crowns. <b>It</b> is hot.\r\n"
TEXTS = {"a.md": TEXT, "b/c d.md": "In winter it costs 12\ncrowns as well; the big one 112 crowns."}
CORPUS = Corpus(tuple(Document(id=DocId(k), text=v, kind="markdown") for k, v in TEXTS.items()))
PAGES = (
    "/author", "/author.json", "/author/document?doc=a.md", "/author/document.json?doc=a.md",
    "/author/questions", "/author/questions.json", "/author/question?id=q001", "/author/question.json?id=q001",
)  # fmt: skip


def span(quote, doc="a.md"):
    start = TEXTS[doc].index(quote)
    return {"doc": doc, "start": start, "end": start + len(quote), "quote": quote}


def content(**more):
    return {
        "text": "What does a coffee cost?", "type": "numeric", "tags": ["prices"], "expect": "answer", "cluster": "",
        "reference": "12 crowns", "evidence": [{"nugget": "price", "vital": True, "spans": [span("12 crowns")]}], **more,
    }  # fmt: skip


@pytest.fixture
def there(tmp_path):
    store, _ = stocked(tmp_path / "s.sqlite", ["one"])
    library = Library(corpus=CORPUS, gold=tmp_path / "gold.jsonl")
    yield store, library
    store.close()


@pytest.fixture
def olga(there):
    return client(there[0], "olga", "owner", library=there[1])


def mark(browser):
    return browser.get("/author/document.json?doc=a.md").json()["mark"]


def save(browser, do, **more):
    return post(browser, "/author/save.json", {"mark": mark(browser), "do": do, **more})


def lines(library):
    return [json.loads(line) for line in library.gold.read_text("utf-8").splitlines()]


def test_nobody_but_an_owner_sees_or_writes_anything(there):
    store, library = there
    for name, role in (("ann", "judge"), ("ada", "adjudicator"), (None, "")):
        browser = client(store, name, role, library=library)
        wanted = 403 if name else 401
        assert [browser.get(path).status_code for path in PAGES] == [wanted] * len(PAGES)
        act = {"mark": "", "do": "add", "question": content()}
        assert post(browser, "/author/save.json", act).status_code == wanted
        look = {"doc": "a.md", "start": 0, "end": 1, "quote": "#"}
        assert post(browser, "/author/check.json", look).status_code == wanted
        for path in PAGES:
            assert "crowns" not in browser.get(path).text
    assert not library.gold.exists()


def test_a_foreign_page_cannot_write(there, olga):
    act = {"mark": "", "do": "add", "question": content()}
    assert post(olga, "/author/save.json", act, origin="http://evil.example").status_code == 403
    assert not there[1].gold.exists()


def test_without_a_library_the_pages_say_how_to_get_one(there):
    page = client(there[0], "olga", "owner").get("/author")
    assert page.status_code == 404
    assert "--corpus" in page.text


def test_a_holdout_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "gold.holdout.jsonl"
    path.write_text("not even JSON")
    with pytest.raises(InputError, match="holdout"):
        Library(corpus=CORPUS, gold=path)


def test_a_selection_in_utf_16_units_becomes_code_points_and_its_twins_are_told(olga):
    quote = "12 crowns"
    units = len(TEXT[: TEXT.index(quote)].encode("utf-16-le")) // 2
    assert units == TEXT.index(quote) + 2
    sent = {"doc": "a.md", "start": units, "end": units + len(quote), "quote": quote}
    said = post(olga, "/author/check.json", sent).json()
    assert TEXT[said["start"] : said["end"]] == quote
    assert [(twin["doc"], twin["quote"]) for twin in said["twins"]] == [("b/c d.md", "12\ncrowns")]
    for wrong in (
        {"start": units - 2, "end": units + 7},
        {"quote": "13 crowns"},
        {"end": 10_000},
        {"start": 10},
    ):
        assert post(olga, "/author/check.json", sent | wrong).status_code == 422
    half = TEXT.index(WAVE[0])
    assert post(olga, "/author/check.json", {"doc": "a.md", "start": half + 1, "end": half + 4, "quote": "x"}).status_code == 422  # fmt: skip


def test_twins_are_words_of_their_own_and_never_the_selection_itself():
    assert elsewhere(
        "crowns", CORPUS, but=Span(DocId("a.md"), TEXT.index("crowns"), TEXT.index("crowns") + 6)
    )
    own = Span(DocId("a.md"), TEXT.index("hot"), TEXT.index("hot") + 3)
    assert elsewhere("hot", CORPUS, but=own) == ()
    assert elsewhere(" \n", CORPUS, but=own) == ()
    assert len(elsewhere("12 crowns", CORPUS, but=own)) == 2
    assert len(elsewhere("12 crowns", CORPUS, but=own, most=1)) == 1


def test_a_question_is_one_line_with_its_author_and_waits_for_a_review(there, olga):
    said = save(olga, "add", question=content()).json()
    assert (said["id"], said["status"]) == ("q001", "unreviewed")
    (row,) = lines(there[1])
    assert row["authoring"]["by"] == "olga"
    assert (row["source"], row["origin"], row["saw_evidence"]) == ("a.md", "expert", True)
    (place,) = row["evidence"][0]["spans"]
    assert TEXT[place["start"] : place["end"]] == place["quote"] == "12 crowns"
    assert [one["id"] for one in olga.get("/author/questions.json").json()["waiting"]] == ["q001"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "  "},
        {"evidence": []},
        {"evidence": [{"nugget": "price", "vital": True, "spans": []}]},
        {"evidence": [{"nugget": "", "vital": True, "spans": [span("12 crowns") | {"start": 1, "end": 10}]}]},
        {"evidence": [{"nugget": "", "vital": True, "spans": [span("12 crowns") | {"quote": "13 crowns"}]}]},
        {"evidence": [{"nugget": "", "vital": True, "spans": [span("12 crowns") | {"end": 9999}]}]},
        {"expect": "maybe"},
        {"authoring": {"by": "somebody else"}},
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_written(there, olga, wrong):
    assert save(olga, "add", question=content(**wrong)).status_code == 422
    assert not there[1].gold.exists()


def test_a_document_that_is_not_there_is_refused(there, olga):
    gone = {"nugget": "", "vital": True, "spans": [span("12 crowns") | {"doc": "../secret"}]}
    assert save(olga, "add", question=content(evidence=[gone])).status_code == 404
    assert olga.get("/author/document?doc=../secret").status_code == 404
    assert not there[1].gold.exists()


def test_a_file_that_changed_meanwhile_is_refused_and_stays_as_it_is(there, olga):
    old = mark(olga)
    save(olga, "add", question=content())
    before = there[1].gold.read_bytes()
    act = {"mark": old, "do": "add", "question": content(text="Is it hot?", evidence=[])}
    said = post(olga, "/author/save.json", act)
    assert said.status_code == 409
    assert "changed meanwhile" in said.json()["what"]
    assert there[1].gold.read_bytes() == before


def test_the_same_question_twice_is_refused(there, olga):
    save(olga, "add", question=content())
    assert save(olga, "add", question=content(text="what does a coffee cost")).status_code == 422
    assert len(lines(there[1])) == 1


def test_a_change_needs_a_reason_and_waits_again_and_only_its_line_changes(there, olga):
    save(olga, "add", question=content())
    hot = {"nugget": "", "vital": True, "spans": [span("is hot")]}
    save(olga, "add", question=content(text="Is it hot?", evidence=[hot]))
    assert save(olga, "accept", id="q001").json()["status"] == "accepted"
    first = there[1].gold.read_bytes().splitlines()
    assert save(olga, "edit", id="q001", question=content(reference="13")).status_code == 422
    said = save(olga, "edit", id="q001", reason="dearer", question=content(reference="13")).json()
    assert said["status"] == "unreviewed"
    assert there[1].gold.read_bytes().splitlines()[1] == first[1]
    page = olga.get("/author/question.json?id=q001").json()
    assert [(one["did"], one["by"], one["reason"]) for one in page["history"]] == [
        ("accepted", "olga", ""),
        ("edited", "olga", "dearer"),
    ]
    assert page["history"][1]["was"] == {"reference": "12 crowns"}


def test_a_review_accepts_changes_or_rejects_with_a_reason(there, olga):
    save(olga, "add", question=content())
    assert save(olga, "reject", id="q001").status_code == 422
    ben = client(there[0], "ben", "owner", library=there[1])
    changed = save(ben, "accept", id="q001", reason="clearer", question=content(text="What is a coffee?"))
    assert changed.json()["status"] == "changed"
    row = lines(there[1])[0]
    assert (row["review"]["by"], row["review"]["changed"], row["authoring"]["by"]) == (
        "ben",
        ["text"],
        "olga",
    )
    assert save(ben, "reject", id="q001", reason="no longer sold").json()["status"] == "rejected"
    assert save(ben, "accept", id="q9").status_code == 404


def test_what_a_model_drafted_is_provisional_until_it_is_accepted(there, olga):
    save(olga, "add", question=content())
    row = lines(there[1])[0]
    row["authoring"]["model"] = "small-1"
    there[1].gold.write_text(json.dumps(row) + "\n")
    assert "provisional until it is accepted" in olga.get("/author/question?id=q001").text
    assert save(olga, "accept", id="q001").json()["provisional"] is False


def test_a_question_whose_quotes_are_not_found_is_shown_and_not_written(there, olga):
    lost = {
        "id": "q001",
        "text": "Old?",
        "evidence": [{"doc": "a.md", "quote": "no such words anywhere at all"}],
    }
    there[1].gold.write_text(json.dumps(lost) + "\n")
    before = there[1].gold.read_bytes()
    assert "Not to be changed here" in olga.get("/author/question?id=q001").text
    assert olga.get("/author/document?doc=a.md&question=q001").status_code == 409
    assert save(olga, "accept", id="q001").status_code == 409
    assert there[1].gold.read_bytes() == before


def test_documents_are_found_by_the_words_in_them(olga):
    assert [one["doc"] for one in olga.get("/author.json?find=WINTER").json()["documents"]] == ["b/c d.md"]
    page = olga.get("/author")
    assert "/author/document?doc=b%2Fc%20d.md" in page.text
    assert olga.get("/author/document?doc=b%2Fc%20d.md").status_code == 200


def test_hostile_words_and_a_strange_history_are_shown_as_words(there, olga):
    bad = "<script>alert(1)</script>"
    save(olga, "add", question=content(text=bad, type=bad, tags=[bad], reference=bad))
    row = lines(there[1])[0]
    row["meta"] = {"history": [{"did": {"x": bad}, "was": {"text": bad, "evidence": [1]}}, {"was": bad}]}
    there[1].gold.write_text(json.dumps(row) + "\n")
    for path in PAGES:
        answer = olga.get(path)
        assert answer.status_code == 200
        assert "unsafe" not in answer.headers["content-security-policy"]
        if ".json" not in path:
            assert "<script>alert" not in answer.text
