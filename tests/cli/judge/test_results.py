"""evenhand judge adjudicate, agree, qrels, card: through the front door, over a store people worked in."""

import json

import pytest
from tests.judge.desked import at, worked

from evenhand.cli.main import main
from evenhand.formats.labels.judgements import read_labels
from evenhand.formats.runs.trec import read_qrels
from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.model.judging import Entry
from evenhand.store.open import open_store


def rule(judge, item, task):
    return "grade", 2.0 if judge == "ann" and item.start % 3 == 0 else 1.0, {}


@pytest.fixture
def pool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store, made = worked(tmp_path / "judgements.sqlite", rule)
    store.close()
    return made


def said(capsys, *words):
    code = main([str(word) for word in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_agreement_is_frozen_before_anything_is_adjudicated_and_stays(pool, capsys):
    before = json.loads(said(capsys, "judge", "agree", "--json")[1])
    assert before["frozen"] == ""
    code, out, _ = said(capsys, "judge", "adjudicate", "cyd", "--dry-run")
    assert code == 0
    assert "disagreement" in out
    assert json.loads(said(capsys, "judge", "agree", "--json")[1])["frozen"] == ""
    code, out, _ = said(capsys, "judge", "adjudicate", "cyd")
    assert code == 0
    assert "before adjudication: ann and ben agree on" in out
    store = open_store("judgements.sqlite")
    desk = store.desks(kind="adjudication")[0]
    tasks = store.tasks(desk.id)
    assert desk.settings["agreement"] in store.seals("agreement")
    # a judge changes an answer afterwards: the agreement that was frozen does not move
    ben = store.desks(judge="ben")[0]
    main_task = next(t for t in store.tasks(ben.id) if t.item == tasks[0].item and t.kind == "main")
    store.save(
        Entry(
            desk=ben.id,
            task=main_task.id,
            token="later",  # noqa: S106
            kind="grade",
            grade=2.0,
            sheet=CONTRIBUTION.seal,
            at=at(9000),
        )
    )
    for i, task in enumerate(tasks):
        store.save(
            Entry(
                desk=desk.id,
                task=task.id,
                token=f"r{i}",
                kind="grade",
                grade=0.0,
                sheet=CONTRIBUTION.seal,
                at=at(9001 + i),
            )
        )
    store.close()
    after = json.loads(said(capsys, "judge", "agree", "--json")[1])
    assert after["pairs"] == before["pairs"]
    assert after["frozen"] == desk.settings["agreement"]
    assert "stands as it was then" in said(capsys, "judge", "agree")[1]
    made = json.loads(said(capsys, "judge", "card", "--json")[1])
    assert made["agreement"]["frozen"] == after["frozen"]
    assert made["adjudication"]["rulings"] == len(tasks)
    assert made["labels"]["by_source"]["adjudicated"] == len(tasks)
    # what lies on one adjudicator's desk is not given to a second
    assert "in dispute: nothing" in said(capsys, "judge", "adjudicate", "dan")[1]


def test_qrels_hold_the_grade_that_stands_and_labels_hold_everything(pool, tmp_path, capsys):
    code, out, _ = said(capsys, "judge", "qrels", "--out", "qrels.txt", "--out", "judgements.jsonl")
    assert code == 0
    assert f"{len(pool)} of {len(pool)} items have a grade" in out
    labels = read_labels("judgements.jsonl")
    assert len(labels) == 2 * len(pool)
    assert {label.judge for label in labels} == {"ann", "ben"}
    qrels = read_qrels("qrels.txt")
    item = pool.items[0]
    assert qrels.judged(item.question)[item.unit] == 1.0  # the lower median
    code, _, err = said(capsys, "judge", "qrels", "--out", "qrels.txt")
    assert code == 2
    assert "nothing is overwritten" in err
    # a file of labels does as well as the store
    words = ["judge", "qrels", "--labels", "judgements.jsonl", "--out", "again.txt", "--json"]
    told = json.loads(said(capsys, *words)[1])
    assert told["by_source"] == {"human": len(pool)}
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "qrels.txt").read_bytes()
    said(capsys, "judge", "qrels", "--anonymous", "--out", "given.jsonl")
    assert {label.judge for label in read_labels("given.jsonl")} == {"judge-1", "judge-2"}


def test_agreement_and_card_of_a_file_of_labels(pool, tmp_path, capsys):
    said(capsys, "judge", "qrels", "--out", "judgements.jsonl")
    store = json.loads(said(capsys, "judge", "agree", "--json")[1])
    file = json.loads(said(capsys, "judge", "agree", "--labels", "judgements.jsonl", "--json")[1])
    assert file["pairs"] == store["pairs"]
    code, out, _ = said(capsys, "judge", "card", "--labels", "judgements.jsonl")
    assert code == 0
    assert "ann and ben agree" in out
    gold = tmp_path / "gold.jsonl"
    rows = [
        {"id": q, "text": "?", "type": kind, "expect": "abstain"} for q, kind in (("q1", "a"), ("q2", "b"))
    ]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    typed = json.loads(said(capsys, "judge", "agree", "--gold", gold, "--json")[1])
    assert [one["type"] for one in typed["pairs"][0]["by_type"]] == ["a", "b"]
    assert "type a" in said(capsys, "judge", "agree", "--gold", gold)[1]


def test_the_same_store_gives_the_same_card_to_the_byte(pool, tmp_path, capsys):
    for name in ("one", "two"):
        assert said(capsys, "judge", "card", "--out", f"{name}.json", "--out", f"{name}.md")[0] == 0
    for kind in ("json", "md"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert "# Data card: small" in (tmp_path / "one.md").read_text()


@pytest.mark.parametrize(
    ("words", "err"),
    [
        (["adjudicate", "ann"], "has judged"),
        (["adjudicate", "cyd", "--why", "splitt"], "did you mean"),
        (["agree", "--pool", "smal"], "small"),
        (["agree", "--store", "none.sqlite"], "evenhand store init"),
        (["qrels", "--labels", "none.jsonl", "--out", "x.txt"], "none.jsonl"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_mend(pool, capsys, words, err):
    code, _, told = said(capsys, "judge", *words)
    assert code == 2
    assert err in told
