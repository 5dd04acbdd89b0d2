"""evenhand judge and evenhand store, through the front door, on the miniature study."""

import json

import pytest
from tests.miniature import make

from evenhand.cli.main import main
from evenhand.formats.labels.sheet import read_sheet, sheet_toml
from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY
from evenhand.store.open import open_store


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return make(tmp_path_factory.mktemp("study") / "s")


@pytest.fixture
def home(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return study


def said(capsys, *words):
    code = main([str(word) for word in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_size_and_cost_are_told_before_anything_is_kept(home, tmp_path, capsys):
    code, out, _ = said(capsys, "judge", "pool", home, "--dry-run", "--an-hour", "30", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["pool"] is None
    assert told["items"] > 100
    assert told["questions"] == 18
    assert told["cost"]["judgements"] > told["items"]
    assert {part["name"] for part in told["composition"]["kind"]} == {"lexical", "hybrid", "reranked"}
    assert list(tmp_path.iterdir()) == []


def test_null_systems_fill_no_pool(home, capsys):
    _, out, _ = said(capsys, "judge", "pool", home, "--dry-run", "--json")
    systems = {part["name"] for part in json.loads(out)["composition"]["system"]}
    assert systems == {"bm25", "tfidf", "both", "current"}
    _, out, _ = said(capsys, "judge", "pool", home, "--dry-run", "--json", "--system", "bm25")
    assert {part["name"] for part in json.loads(out)["composition"]["system"]} == {"bm25"}


def test_without_a_store_pooling_says_how_to_make_one(home, tmp_path, capsys):
    code, _, err = said(capsys, "judge", "pool", home)
    assert code == 2
    assert "evenhand store init" in err
    assert list(tmp_path.iterdir()) == []


def test_from_pool_to_desks_to_status(home, capsys):
    assert said(capsys, "store", "init")[0] == 0
    code, out, _ = said(capsys, "judge", "pool", home, "--name", "main")
    assert code == 0
    assert "kept:" in out
    code, out, _ = said(capsys, "judge", "assign", "--judge", "ann", "--judge", "ben", "--attention", "2")
    assert code == 0
    again = said(capsys, "judge", "assign", "--judge", "ben", "--judge", "ann", "--attention", "2")[1]
    assert again == out
    code, out, _ = said(capsys, "judge", "status", "--json")
    told = json.loads(out)
    assert [desk["judge"] for desk in told["desks"]] == ["ann", "ben"]
    assert {desk["done"] for desk in told["desks"]} == {0}
    assert "agree" not in out
    store = open_store("judgements.sqlite")
    desks = store.desks()
    tasks = store.tasks(desks[0].id)
    assert [task.kind for task in tasks[:5]] == ["warm-up"] * 5
    assert sum(task.kind == "attention" for task in tasks) == 2
    assert store.check() == []
    pool = store.pool(store.pools()[0][0])
    # warm-up spans what is known: items that hold evidence, and others
    holds = set(next(store.lines(f"pool/{pool.seal}"))[1]["holds_evidence"])
    assert len({task.item in holds for task in tasks[:5]}) == 2
    assert all(item.heading for item in pool)
    store.close()
    code, out, _ = said(capsys, "store", "check")
    assert (code, out.splitlines()[-1]) == (0, "no fault in judgements.sqlite")


def test_what_is_new_is_what_no_earlier_pool_had(home, capsys):
    said(capsys, "store", "init")
    said(capsys, "judge", "pool", home, "--depth", "3", "--name", "first")
    said(capsys, "judge", "pool", home, "--depth", "5", "--new", "--name", "second")
    store = open_store("judgements.sqlite")
    first, second = (store.pool(mark) for mark, *_ in store.pools())
    assert len(second)
    assert {item.id for item in first} & {item.id for item in second} == set()
    store.close()
    code, out, _ = said(capsys, "judge", "pool", home, "--depth", "3", "--new")
    assert code == 0
    assert "nothing is new" in out


@pytest.mark.parametrize("by", ["section", "document"])
def test_pools_by_section_and_document(home, capsys, by):
    code, out, _ = said(capsys, "judge", "pool", home, "--dry-run", "--json", "--by", by, "--depth", "3")
    assert code == 0
    told = json.loads(out)
    assert told["by"] == by
    assert told["settings"]["onto"]


@pytest.mark.parametrize("strategy", ["stratified", "active"])
def test_a_sample_of_so_many_items(home, capsys, strategy):
    words = ["judge", "pool", home, "--dry-run", "--json", "--strategy", strategy, "-n", "90"]
    told = json.loads(said(capsys, *words)[1])
    assert told["items"] == 90
    assert told["settings"]["strategy"] == strategy
    assert json.loads(said(capsys, *words)[1]) == told


def test_run_files_are_pooled_over_their_corpus(home, tmp_path, capsys):
    docs, gold = home.parent / "docs", home.parent / "gold.jsonl"
    name = min(path.name for path in docs.iterdir())
    spans = tmp_path / "spans.run"
    spans.write_text(f"q00 Q0 {name}#50-90 1 2.0 x\nq00 Q0 nowhere 2 1.0 x\n")
    whole = tmp_path / "whole.run"
    whole.write_text(f"q00 Q0 {name} 1 2.0 y\n")
    words = ["judge", "pool", spans, whole, "--corpus", docs, "--gold", gold, "--dry-run", "--json"]
    told = json.loads(said(capsys, *words)[1])
    assert told["items"] == 2
    assert told["settings"]["unresolved"] == 1
    assert said(capsys, "judge", "pool", spans, "--dry-run")[0] == 2
    assert said(capsys, "judge", "pool", home, spans, "--dry-run")[0] == 2


@pytest.mark.parametrize(
    ("words", "err"),
    [
        (["--strategy", "activ", "-n", "5"], "did you mean 'active'"),
        (["--strategy", "active"], "needs -n"),
        (["-n", "5"], "takes no -n"),
        (["--by", "sections"], "did you mean 'section'"),
        (["--system", "bm52"], "did you mean 'bm25'"),
        (["--depth", "0"], "depth 0"),
    ],
)
def test_a_pool_that_cannot_be_made_is_refused_in_two_lines(home, capsys, words, err):
    code, _, told = said(capsys, "judge", "pool", home, "--dry-run", *words)
    assert code == 2
    assert err in told


def test_a_token_is_shown_once_and_can_be_ended(home, capsys):
    said(capsys, "store", "init")
    code, out, _ = said(capsys, "judge", "invite", "Ann")
    assert code == 0
    token = out.splitlines()[-1]
    store = open_store("judgements.sqlite")
    assert store.admit(token).name == "Ann"
    assert token not in said(capsys, "judge", "status")[1]
    with store.engine.connect() as connection:
        raw = connection.exec_driver_sql("SELECT * FROM eh_access").all()
    assert token not in str(raw)
    assert said(capsys, "judge", "revoke", "Ann")[0] == 0
    assert store.admit(token) is None
    store.close()
    assert said(capsys, "judge", "revoke", "Ann")[0] == 2
    assert said(capsys, "judge", "invite", "Ann", "--role", "boss")[0] == 2


def test_a_sheet_is_edited_in_toml_and_a_change_needs_a_reason(home, tmp_path, capsys):
    for sheet in (CONTRIBUTION, SUFFICIENCY):
        _, out, _ = said(capsys, "judge", "sheet", sheet.name)
        file = tmp_path / f"{sheet.name}.toml"
        file.write_text(out, encoding="utf-8")
        assert read_sheet(file) == sheet
        assert read_sheet(file).seal == sheet.seal
    said(capsys, "store", "init")
    said(capsys, "judge", "pool", home)
    said(capsys, "judge", "assign", "--judge", "ann")
    file.write_text(out.replace("Judge the text", "Judge this text"), encoding="utf-8")
    assert said(capsys, "judge", "sheet", file, "--use", "main")[0] == 2
    code, out, _ = said(capsys, "judge", "sheet", file, "--use", "main", "--reason", "clearer")
    assert code == 0
    store = open_store("judgements.sqlite")
    mark = store.pools()[0][0]
    assert store.sheet_of(mark) == read_sheet(file)
    assert [line["reason"] for _, line in store.lines(f"sheet/{mark}")] == ["assigned", "clearer"]
    assert store.desks()[0].sheet == CONTRIBUTION.seal
    store.close()


@pytest.mark.parametrize(
    ("change", "err"),
    [
        (("grade = 1.0", "grade = 0.0"), "each grade above the last"),
        (('key = "1"', 'key = "0"'), "a key of its own"),
        (('evidence = "ask"', 'evidence = "asks"'), "did you mean 'ask'"),
        (("[[mode]]", "[[modes]]"), "modes"),
        (('label = "contributes"', 'lable = "contributes"'), "label"),
        (("ask = ", "asks = "), "ask"),
    ],
)
def test_a_wrong_sheet_names_its_fault(tmp_path, capsys, change, err):
    file = tmp_path / "s.toml"
    text = sheet_toml(CONTRIBUTION)
    assert change[0] in text
    file.write_text(text.replace(*change), encoding="utf-8")
    code, _, told = said(capsys, "judge", "sheet", file)
    assert code == 2
    assert err in told


def test_pools_are_named_by_name_or_seal(home, capsys):
    said(capsys, "store", "init")
    assert said(capsys, "judge", "assign", "--judge", "ann")[0] == 2
    said(capsys, "judge", "pool", home, "--depth", "2", "--name", "one")
    said(capsys, "judge", "pool", home, "--depth", "3", "--name", "one")
    code, _, err = said(capsys, "judge", "assign", "--judge", "ann", "--pool", "one")
    assert code == 2
    assert "2 pools" in err
    store = open_store("judgements.sqlite")
    mark = store.pools()[0][0]
    store.close()
    assert said(capsys, "judge", "assign", "--judge", "ann", "--pool", mark[:12])[0] == 0
    code, _, err = said(capsys, "judge", "assign", "--judge", "ann", "--pool", "ones")
    assert code == 2
    assert "did you mean 'one'" in err


def test_a_judge_has_one_desk_on_a_pool(home, capsys):
    said(capsys, "store", "init")
    said(capsys, "judge", "pool", home)
    assert said(capsys, "judge", "assign", "--judge", "ann")[0] == 0
    code, _, err = said(capsys, "judge", "assign", "--judge", "ann", "--seed", "5")
    assert code == 2
    assert "ann has a desk" in err
    assert said(capsys, "judge", "assign", "--judge", "ben", "--seed", "5")[0] == 0
    store = open_store("judgements.sqlite")
    assert [desk.judge for desk in store.desks()] == ["ann", "ben"]
    store.close()
