"""evenhand judge export and import: out to a labelling tool, and back into the store."""

import json
from pathlib import Path

import pytest
from tests.judge.desked import worked

from evenhand.cli.main import main
from evenhand.formats.labels.judgements import read_labels
from evenhand.store.open import open_store


@pytest.fixture
def pool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store, made = worked(tmp_path / "judgements.sqlite", lambda judge, item, task: ("", None, {}))
    store.close()
    return made


def said(capsys, *words):
    code = main([str(word) for word in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def answered(path, judges=("cyd", "dan")):
    """What Label Studio would give back: every task with a choice of each judge; dan is more generous."""
    tasks = json.loads(path.read_text())
    for i, task in enumerate(tasks):
        task["annotations"] = [
            {
                "id": i,
                "completed_by": judge,
                "lead_time": 3.5,
                "created_at": "2026-11-30T08:00:00Z",
                "result": [
                    {
                        "from_name": "grade",
                        "type": "choices",
                        "value": {"choices": [str(i % 2 + (judge == "dan"))]},
                    }
                ],
            }
            for judge in judges
        ]
    path.write_text(json.dumps(tasks))


def test_a_pool_goes_out_is_labelled_and_comes_back_as_desks(pool, tmp_path, capsys):
    code, out, _ = said(capsys, "judge", "export", "--out", "tasks.json")
    assert code == 0
    assert "<Choices" in out
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert len(tasks) == len(pool)
    assert [task["data"]["item"] for task in tasks] != [item.id for item in pool]  # shuffled
    answered(tmp_path / "tasks.json")
    code, out, err = said(capsys, "judge", "import", "tasks.json")
    assert code == 0, err
    assert out.count(f"{len(pool)} labels") == 2
    again = said(capsys, "judge", "import", "tasks.json")
    assert again[:2] == (0, out)  # the same import stores nothing
    store = open_store("judgements.sqlite")
    assert store.check() == []
    assert len(store.desks()) == 4
    store.close()
    made = json.loads(said(capsys, "judge", "agree", "--json")[1])
    (pair,) = [one for one in made["pairs"] if one["judges"] == ["cyd", "dan"]]
    assert (pair["n"], pair["raw"]["value"]) == (len(pool), 0.0)
    card = json.loads(said(capsys, "judge", "card", "--json")[1])
    assert card["desks"][2]["settings"]["imported"] == "label-studio"
    assert card["judges"][0]["seconds"] == 3.5


def test_labels_go_into_a_file_instead_and_out_again(pool, tmp_path, capsys):
    said(capsys, "judge", "export", "--out", "tasks.json")
    answered(tmp_path / "tasks.json", judges=("cyd",))
    assert said(capsys, "judge", "import", "tasks.json", "--out", "j.jsonl")[0] == 0
    assert len(read_labels("j.jsonl")) == len(pool)
    assert said(capsys, "judge", "import", "tasks.json")[0] == 0
    words = ["judge", "export", "--labels", "--format", "argilla", "--out", "records.jsonl"]
    code, out, _ = said(capsys, *words)
    assert code == 0
    assert f"{len(pool)} labels lose their 'at'" in out
    assert said(capsys, "judge", "import", "records.jsonl", "--format", "argilla", "--out", "k.jsonl")[0] == 0
    assert {one.grade for one in read_labels("k.jsonl")} == {0.0, 1.0}


def test_choices_of_their_own_are_spelled_and_the_rest_is_counted(pool, capsys, tmp_path):
    item = pool.items[0]
    rows = [f"item,judge,grade\n{item.id},cyd,good\n", f"{pool.items[1].id},cyd,hm\n", "elsewhere,cyd,1\n"]
    (tmp_path / "l.csv").write_text("".join(rows))
    words = ["judge", "import", "l.csv", "--format", "csv", "--grade", "good=2"]
    code, out, _ = said(capsys, *words)
    assert code == 0
    assert "1 label" in out
    assert "not carried: 1 annotation has no grade that is understood ('hm')" in out
    assert "not carried: 1 annotation is of items that are not in the pool" in out


@pytest.mark.parametrize(
    ("rows", "words", "err"),
    [
        ("{id},ann,1", [], "ann has a desk on this pool already"),
        ("{id},cyd,7", [], "no grade of sheet"),
        ("{id},,1", [], "give --judge"),
        ("{id},cyd,1", ["--grade", "two"], "relevant=2"),
        ("{id},cyd,1", ["--pool", "mian"], "no pool is called"),
    ],
)
def test_an_import_that_cannot_be_is_refused_whole(pool, capsys, rows, words, err):
    Path("l.csv").write_text("item,judge,grade\n" + rows.format(id=pool.items[0].id) + "\n")
    code, _, told = said(capsys, "judge", "import", "l.csv", "--format", "csv", *words)
    assert code == 2
    assert err in told
    store = open_store("judgements.sqlite")
    assert len(store.desks()) == 2
    store.close()
