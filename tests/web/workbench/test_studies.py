"""The workbench: exactly these fields, every text escaped, nobody but owners, no holdout before its look."""

import hashlib
import json
import os
import re
from dataclasses import fields

import pytest
from tests.report.example import example
from tests.web.house import client

from evenhand.report.output.assemble import dumps
from evenhand.store.open import create_store
from evenhand.web.workbench import contexts as told
from evenhand.web.workbench.results_index import Shelf, Study, reports_in

CANARY = "canary-of-the-report"
HOSTILE = "</title></style></script><script>window.hacked=3</script><img src=x onerror=alert(1)>{{7*7}}\"'"
PAGES = ("", "/questions", "/questions/q000", "/failures", "/ledger")


@pytest.fixture
def store(tmp_path):
    made = create_store(tmp_path / "s.sqlite")
    yield made
    made.close()


def shelve(folder, report=None, **changes):
    """A results folder of a report."""
    report = {**(report or example()), **changes}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_bytes(dumps(report))
    return folder


def owner(store, *places):
    return client(store, "me", "owner", results=places)


def names(kind):
    return {one.name for one in fields(kind)}


def address(browser):
    return browser.get("/studies.json").json()["studies"][0]["href"]


def test_every_page_has_a_twin_of_exactly_these_fields(store, tmp_path):
    browser = owner(store, shelve(tmp_path / "r"))
    page = browser.get("/studies.json").json()
    assert set(page) == names(told.StudiesPage)
    assert set(page["studies"][0]) == names(told.StudyLine)
    kinds = (told.StudyPage, told.AskedPage, told.QuestionPage, told.FailuresPage, told.LedgerPage)
    for path, kind in zip(PAGES, kinds, strict=True):
        twin = browser.get(f"{address(browser)}{path}.json").json()
        assert set(twin) - {"undefined"} == names(kind), path
        assert set(twin["head"]) == names(told.Head)
        page = browser.get(f"{address(browser)}{path}")
        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert f'href="{address(browser)}{path}.json"' in page.text
        assert "style=" not in page.text  # which the policy forbids


def test_nobody_but_an_owner_sees_any_of_it(store, tmp_path):
    place = shelve(tmp_path / "r", headline=CANARY)
    base = address(owner(store, place))
    paths = ["/studies", f"{base}/figures", f"{base}/threshold", *(base + path for path in PAGES)]
    visitors = [(client(store, "ann", "judge", results=[place]), 403)]
    visitors += [
        (client(store, "cy", "adjudicator", results=[place]), 403),
        (client(store, results=[place]), 401),
    ]
    for browser, status in visitors:
        for path in (*paths, *(f"{path}.json" for path in paths)):
            answer = browser.get(path)
            assert answer.status_code == status, path
            for word in (CANARY, "bm25", "q000", str(tmp_path)):
                assert word not in answer.text, path


def test_hostile_text_is_escaped_on_every_page(store, tmp_path):
    report = example(lambda kind, text: text if kind in ("id", "doc") else text + HOSTILE)
    browser = owner(store, shelve(tmp_path / "r", report))
    for path in PAGES:
        page = browser.get(address(browser) + path).text
        assert "<script>window" not in page
        assert "<img src=x" not in page
        assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    assert "&lt;script&gt;window.hacked=3" in browser.get(f"{address(browser)}/questions").text


def test_a_holdout_is_shown_only_after_its_look(store, tmp_path):
    report = example()
    gold = {**report["gold"], "split": "holdout"}
    row = {
        "state": "registered", "word": "registered", "split": "holdout", "file": "registration.json", "seal": "0" * 64,
        "at": "2026-11-30T08:00:00Z", "ledger": {"entries": 1, "head": "0" * 64}, "seals": {}, "code": None,
        "anchors": [], "looks": [], "amendments": [], "accepted": [], "changed": [], "changed_count": 0,
        "claims": "", "sentences": [], "planned": None,
    }  # fmt: skip
    look = {"n": 2, "at": "2026-11-30T09:00:00Z", "seal": "0" * 64, "questions": 8}
    seen = {**row, "state": "seen", "word": "seen", "looks": [look]}
    for state, shown in ((None, False), (row, False), ({**seen, "looks": []}, False), (seen, True)):
        place = shelve(tmp_path / "r", report, gold=gold, headline=CANARY, registration=state)
        browser = owner(store, place)
        line = browser.get("/studies.json").json()["studies"][0]
        name = line["name"]
        assert name.endswith("-holdout")
        assert (CANARY in browser.get("/studies").text) is shown
        assert (line["point"] is not None) is shown
        assert bool(line["withheld"]) is not shown
        for path in PAGES:
            answer = browser.get(f"/studies/{name}{path}.json")
            assert answer.status_code == (200 if shown else 403)
            assert shown or "bm25" not in answer.text


def test_the_table_is_sorted_by_its_address(store, tmp_path):
    browser = owner(store, shelve(tmp_path / "r"))
    base = address(browser)
    cell = {(e["system"], e["metric"]): e["point"] for e in example()["estimates"]}
    for metric in {metric for _, metric in cell}:
        for way in ("asc", "desc"):
            order = browser.get(f"{base}.json", params={"sort": metric, "way": way}).json()["order"]
            points = [cell.get((name, metric)) for name in order]
            have = [one for one in points if one is not None]
            assert have == sorted(have, reverse=way == "desc")
            assert points[len(have) :] == [None] * (len(points) - len(have))
    by_name = browser.get(f"{base}?sort=system").text
    assert by_name.count("aria-sort=") == 1
    assert 'aria-sort="ascending"><a href="' + base + "?sort=system&amp;way=desc#results" in by_name
    assert browser.get(f"{base}?sort=nDGC@10").status_code == 404
    assert browser.get(f"{base}?way=up").status_code == 404


def test_a_question_says_what_was_found_and_why(store, tmp_path):
    browser = owner(store, shelve(tmp_path / "r"))
    base = address(browser)
    line = next(one for one in browser.get(f"{base}/questions.json").json()["questions"] if one["kept"])
    page = browser.get(f"{line['href']}.json").json()
    for column in page["columns"]:
        assert [one["metric"] for one in column["why"]] == list(page["values"][column["name"]])
        assert all(one["sentence"] for one in column["why"])
    assert "<mark>" in browser.get(line["href"]).text
    assert browser.get(f"{base}/questions/nowhere").status_code == 404


@pytest.mark.parametrize("name", ["a/b", "x.json", "x", "y/", "ü ?&#%", "<b>"])
def test_any_id_has_an_address_and_a_twin(store, tmp_path, name):
    report = example()
    row = {**report["questions"]["rows"][0], "id": name}
    rows = [row, *report["questions"]["rows"][1:]]
    browser = owner(store, shelve(tmp_path / "r", report, questions={**report["questions"], "rows": rows}))
    href = browser.get(f"{address(browser)}/questions.json").json()["questions"][0]["href"]
    page = browser.get(href)
    assert page.headers["content-type"].startswith("text/html")
    assert page.status_code == 200
    twin = re.search(r'href="([^"]+)">This page as JSON', page.text)[1]
    assert browser.get(twin).json()["id"] == name


def test_lists_are_paged_and_searched(store, tmp_path):
    report = example()
    one = report["questions"]["rows"][0]
    rows = [
        {**one, "id": f"n{i:03d}", "text": f"question {i} on {'tides' if i % 2 else 'buoys'}"}
        for i in range(120)
    ]
    browser = owner(store, shelve(tmp_path / "r", report, questions={**report["questions"], "rows": rows}))
    base = f"{address(browser)}/questions.json"
    seen = []
    for page in (1, 2, 3):
        told_ = browser.get(base, params={"page": page}).json()
        assert (told_["page"], told_["pages"], told_["found"]) == (page, 3, 120)
        seen += [line["id"] for line in told_["questions"]]
    assert seen == [row["id"] for row in rows]
    assert browser.get(base, params={"page": 9}).json()["page"] == 3
    found = browser.get(base, params={"find": "TIDES 11"}).json()
    assert {line["id"] for line in found["questions"]} == {
        r["id"] for r in rows if "11" in r["text"] and "tides" in r["text"]
    }
    assert browser.get(base, params={"page": 0}).status_code == 422


def test_failures_are_listed_by_any_metric(store, tmp_path):
    browser = owner(store, shelve(tmp_path / "r"))
    base = f"{address(browser)}/failures.json"
    for kind in ("misses", "alone", "near", "cut"):
        page = browser.get(base, params={"kind": kind, "metric": "R(rel=2)@5"}).json()
        assert page["counts"][kind] == len(page["rows"])
        assert not page["whole"] or page["of"] > 0
        assert browser.get(f"{address(browser)}/failures?kind={kind}").status_code == 200
    assert browser.get(base, params={"kind": "mises"}).status_code == 404
    assert browser.get(base, params={"metric": "nDCG@11"}).status_code == 404


def test_a_report_is_read_once_and_again_when_it_changes(tmp_path, monkeypatch):
    place = shelve(tmp_path / "r")
    from evenhand.report.schema import whole_report

    checks = []
    whole = whole_report.check
    monkeypatch.setattr(whole_report, "check", lambda *a, **k: (checks.append(1), whole(*a, **k)))
    shelf = Shelf((place,))
    [(name, first)] = list(shelf)
    assert isinstance(first, Study)
    assert shelf.study(name) is first
    assert [study for _, study in shelf] == [first]
    assert len(checks) == 1
    shelve(place, headline="another")
    assert shelf.study(name).report["headline"] == "another"
    assert len(checks) == 2


def test_what_cannot_be_read_is_named_and_the_rest_is_shown(store, tmp_path):
    shelve(tmp_path / "all" / "good")
    bad = tmp_path / "all" / "bad"
    bad.mkdir()
    (bad / "report.json").write_text("{")
    sealed = shelve(tmp_path / "all" / "edited")
    (sealed / "MANIFEST.sha256").write_text(f"{'0' * 64}  report.json\n")
    page = owner(store, tmp_path / "all").get("/studies.json").json()
    assert len(page["studies"]) == 1
    assert [one["file"] for one in page["unread"]] == [str(bad / "report.json"), str(sealed / "report.json")]


def _deep(path):
    path.write_text('{"study": ' + "[" * 100_000 + "]" * 100_000 + "}")


def _deep_and_of_the_form(path):
    inner = []
    for _ in range(400):
        inner = [inner]
    path.write_bytes(dumps({**example(), "standing": inner}))


def _large(path):
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # a hole, which takes no room


BAD = {
    "nested": (_deep, "is nested too deeply"),
    "nested, of the form": (_deep_and_of_the_form, ""),
    "pipe": (os.mkfifo, "it is no regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "it is no regular file"),
    "folder": (lambda path: path.mkdir(), "there is no"),
    "large": (_large, "it has more than 200 MB"),
    "gone": (lambda path: path.symlink_to("nowhere"), "cannot be read"),
    "loop": (lambda path: path.symlink_to(path), "cannot be read"),
    "not UTF-8": (lambda path: path.write_bytes(b'{"study": "\xff\xfe"}'), "is not JSON"),
    "empty": (lambda path: path.write_bytes(b""), "is not JSON"),
    "a list": (lambda path: path.write_text("[]"), "holds no report"),
    "another form": (lambda path: path.write_text('{"study": {"name": "x"}}'), ""),
}


@pytest.mark.parametrize("how", BAD)
def test_r28_a_report_that_cannot_be_read_is_one_row_and_takes_nothing_down(store, tmp_path, how):
    make, said = BAD[how]
    shelve(tmp_path / "all" / "good")
    (tmp_path / "all" / "bad").mkdir()
    make(tmp_path / "all" / "bad" / "report.json")
    browser = owner(store, tmp_path / "all")
    for _ in range(2):
        listed = browser.get("/studies.json")
        assert listed.status_code == 200
        assert len(listed.json()["studies"]) == 1
        [row] = listed.json()["unread"]
        assert row["file"] == str(tmp_path / "all" / "bad" / "report.json")
        assert said in row["what"]
        for path in ("/studies", address(browser), "/running.json"):
            assert browser.get(path).status_code == 200
    browser.app.warm()


BESIDE = (
    "MANIFEST.sha256",
    "measurements.parquet",
    "questions.json",
    "qrels.parquet",
    "ledger.jsonl",
    "x.toml",
)


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("how", ["pipe", "device", "folder", "nested"])
def test_what_lies_beside_a_report_may_be_anything(store, tmp_path, name, how):
    folder = shelve(tmp_path / "r")
    if name != "MANIFEST.sha256":
        digest = hashlib.sha256((folder / "report.json").read_bytes()).hexdigest()
        lines = [f"{digest}  report.json", *(f"{'0' * 64}  {one}" for one in BESIDE[1:4])]
        (folder / "MANIFEST.sha256").write_text("\n".join(lines) + "\n")
    BAD[how][0](folder / name)
    browser = owner(store, folder)
    assert len(browser.get("/studies.json").json()["studies"]) == 1
    for path in (*PAGES, "/take"):
        assert browser.get(f"{address(browser)}{path}").status_code in {200, 404, 409}, path


def test_what_commands_leave_beside_their_caches_may_be_anything(store, tmp_path):
    folder = shelve(tmp_path / "s" / "results")
    cache = tmp_path / "s" / ".evenhand"
    cache.mkdir()
    for how in ("pipe", "device", "folder", "nested", "large", "a list"):
        BAD[how][0](cache / f"live-{how.replace(' ', '-')}.json")
    browser = owner(store, folder)
    assert browser.get("/running.json").json()["runs"] == []


def test_names_of_equal_studies_differ_and_hidden_folders_are_not_entered(tmp_path):
    shelve(tmp_path / "a")
    shelve(tmp_path / "b")
    shelve(tmp_path / ".evenhand" / "c")
    shelve(tmp_path / "one" / "two" / "three" / "four")
    assert len(reports_in([tmp_path])) == 2
    first, second = (name for name, _ in Shelf((tmp_path,)))
    assert second == f"{first}-2"
    assert reports_in([tmp_path / "study.toml"]) == ()
    shelve(tmp_path / "results" / "holdout")
    assert reports_in([tmp_path / "study.toml"]) == (tmp_path / "results" / "holdout" / "report.json",)


def test_pictures_keep_their_place_until_they_are_drawn(store, tmp_path, monkeypatch):
    pytest.importorskip("vl_convert")
    import threading

    from evenhand.web.server import chart_cache

    wait, whole = threading.Event(), chart_cache.pictures
    monkeypatch.setattr(chart_cache, "pictures", lambda plans: (wait.wait(60), whole(plans))[1])
    browser = owner(store, shelve(tmp_path / "r"))
    size = re.compile(r'<svg[^>]*width="(\d+)" height="(\d+)" viewBox="([^"]+)"')
    before = browser.get(address(browser)).text
    assert "data-figure=" in before
    wait.set()
    drawn = browser.get(f"{address(browser)}/figures.json").json()["figures"]
    after = browser.get(address(browser)).text
    assert "data-figure" not in after
    assert "style=" not in after
    assert drawn["estimates"] in after
    assert size.findall(before) == size.findall(after) != []


def test_the_ledger_beside_the_results_is_walked(store, tmp_path):
    from evenhand.formats.results.ledger import append

    place = shelve(tmp_path / "work" / "results")
    ledger = tmp_path / "work" / "ledger.jsonl"
    called = example()["study"]["name"]
    for study in (called, "other", called):
        append(
            ledger, kind="look", study=study, at="2026-11-30T09:00:00Z", content=lambda _: {"note": HOSTILE}
        )
    browser = owner(store, place)
    page = browser.get(f"{address(browser)}/ledger.json").json()
    assert ([one["n"] for one in page["entries"]], page["others"], page["whole"]) == ([1, 3], 1, True)
    assert "<script>window" not in browser.get(f"{address(browser)}/ledger").text
    ledger.write_text(ledger.read_text().replace("hacked", "hucked"))
    assert browser.get(f"{address(browser)}/ledger.json").json()["whole"] is False
    assert json.dumps(page).count(str(tmp_path)) == 0


@pytest.mark.parametrize("room", [4, {"left": 4, "right": 4, "top": 4, "bottom": 4}])
def test_an_empty_picture_has_the_size_of_the_drawn_one_however_its_room_is_told(room):
    from evenhand.web.server.chart_cache import _empty

    made = _empty("x", {"padding": room, "width": 100, "height": 50}, "A", "b")
    assert 'width="108" height="58"' in made
    assert 'aria-label="A: b"' in made
