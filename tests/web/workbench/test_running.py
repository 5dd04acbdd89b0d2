"""What runs beside the studies that are shown: who may ask, what is told, whose results it makes."""

from dataclasses import fields

import pytest
from tests.report.example import example
from tests.web.house import client
from tests.web.workbench.test_studies import owner, shelve

from evenhand.cli.server.inputs import opened, something_in
from evenhand.store.open import create_store
from evenhand.store.progress_file import Live
from evenhand.web.workbench.running_contexts import RunLine, RunningPage

STUDY = example()["study"]["name"]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def store(tmp_path):
    made = create_store(tmp_path / "s.sqlite")
    yield made
    made.close()


@pytest.fixture
def work(tmp_path):
    """A folder of a study with its results."""
    return shelve(tmp_path / "work" / "results").parent


def live(work, study=STUDY, **more):
    given = {"what": "run", "split": "dev", "out": "results", "command": "evenhand run study.toml"}
    return Live(work / ".evenhand", study=study, **{**given, **more})


def told(browser):
    return browser.get("/running.json").json()["runs"]


def test_a_run_is_told_with_stage_time_left_wait_cost_and_cache(store, work):
    browser = owner(store, work / "results")
    with live(work) as at_work:
        at_work(
            "judge",
            1_200,
            5_000,
            "waiting 12 s: qwen, rate limit · $0.12 · 30 from cache · 2 min left",
        )
        [one] = told(browser)
        assert set(one) == {field.name for field in fields(RunLine)}
        assert set(browser.get("/running.json").json()) == {field.name for field in fields(RunningPage)}
        assert (one["name"], one["state"], one["done"], one["total"]) == (
            browser.get("/studies.json").json()["studies"][0]["name"], "running", 1_200, 5_000,
        )  # fmt: skip
        assert one["words"] == (
            "run: judge, 1,200 of 5,000 · waiting 12 s: qwen, rate limit · $0.12 · 30 from cache · 2 min left"
        )
        assert one["brief"] == f"{STUDY}: judge, waiting for qwen, rate limit"
        page = browser.get(f"/studies/{one['name']}").text
        assert 'data-state="running"' in page
        assert "judge, 1,200 of 5,000" in page
        assert "1 at work" in browser.get("/studies").text
    [one] = told(browser)
    assert one["state"] == "done"
    assert one["words"].startswith("run finished 20")


def test_what_was_stopped_says_where_and_how_to_go_on(store, work):
    browser = owner(store, work / "results")
    with pytest.raises(KeyboardInterrupt), live(work) as at_work:  # noqa: PT012
        at_work("embed", 3, 10)
        raise KeyboardInterrupt
    [one] = told(browser)
    assert one["state"] == "stopped"
    assert "UTC at embed, 3 of 10 · what was done is kept; go on with" in one["words"]
    assert "<code>evenhand run study.toml</code>" in browser.get(f"/studies/{one['name']}").text


def test_a_study_without_results_is_shown_while_it_runs_and_one_that_is_done_elsewhere_is_not(store, work):
    browser = owner(store, work)
    with live(work, study=HOSTILE, out="elsewhere"):
        page = browser.get("/studies").text
        assert "no results yet" in page
        assert HOSTILE not in page
        assert "&lt;img src=x" in page
        assert [one["name"] for one in told(browser)] == [""]
    assert told(browser) == []


def test_what_is_at_work_comes_before_what_was_last(store, work):
    browser = owner(store, work / "results")
    with live(work) as at_work:
        at_work("embed", 1, 2)
        with live(work, what="judge panel", command="evenhand judge panel study.toml"):
            pass
        assert [one["what"] for one in told(browser)] == ["run"]


def test_a_first_run_can_be_watched_where_there_is_neither_a_store_nor_a_result(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text("", encoding="utf-8")
    assert not something_in([file])
    with live(tmp_path):
        assert something_in([file])
        with opened([str(tmp_path / "judgements.sqlite")], results=[file]) as (made, called):
            assert called is None
            assert [one["study"] for one in told(owner(made, file))] == [STUDY]


def test_nobody_but_an_owner_is_told(store, work):
    with live(work):
        assert client(store, "ann", "judge", results=[work]).get("/running.json").status_code == 403
        assert client(store, results=[work]).get("/running.json").status_code == 401
