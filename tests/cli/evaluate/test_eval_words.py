"""What ``evenhand eval`` says of adjustment, and which methods it never uses on hit rates."""

import json

import pytest

from evenhand.cli.main import main


@pytest.fixture
def field(tmp_path, monkeypatch):
    """Twelve questions, three runs: a beats b on six and c on five, and never loses; b and c split one."""
    monkeypatch.chdir(tmp_path)
    qrels = "".join(f"q{i} 0 good{i} 1\n" for i in range(12))
    hits = {"a": set(range(12)), "b": set(range(6)), "c": set(range(1, 7)) | {11}}
    (tmp_path / "qrels.txt").write_text(qrels)
    for name, found in hits.items():
        rows = "".join(f"q{i} Q0 {'good' if i in found else 'bad'}{i} 1 1 {name}\n" for i in range(12))
        (tmp_path / f"{name}.run").write_text(rows)
    return tmp_path


def said(capsys, *args):
    assert main(["eval", "qrels.txt", "a.run", "b.run", "c.run", *args]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("metric", ["Success@1", "RR@10"])
def test_a_difference_significant_before_adjustment_and_not_after_is_said_in_words(field, capsys, metric):
    got = json.loads(said(capsys, "-m", metric, "--json"))
    lost = next(c for c in got["contrasts"] if (c["a"], c["b"]) == ("a", "b"))
    assert lost["p"] == pytest.approx(2 / 2**6)
    assert lost["p"] < 0.05 < lost["p_adjusted"]
    assert lost["verdict"] == "cannot tell"
    sentence = next(s for s in got["sentences"] if "cannot tell a and b apart" in s)
    assert "Alone, p=0.031 would pass at 0.05; after Holm over 3 tests it is 0.094" in sentence
    assert "not significant by the declared rule" in sentence
    assert any("significant alone and not after Holm over 3 tests" in w for w in got["warnings"])
    assert "not significant by the declared rule" in " ".join(said(capsys, "-m", metric).split())


def test_a_difference_significant_neither_way_loses_nothing(field, capsys):
    got = json.loads(said(capsys, "-m", "Success@1", "--json"))
    sentence = next(s for s in got["sentences"] if "b and c" in s)
    assert "Alone" not in sentence


def test_hit_rates_never_get_the_bootstrap(field, capsys):
    got = json.loads(said(capsys, "-m", "nDCG@10", "-m", "Success@1", "-m", "Success@5", "--json"))
    for row in [*got["estimates"], *got["contrasts"]]:
        if row["metric"].startswith("Success"):
            assert row["method"] in ("Wilson", "Newcombe method 10")
            assert row["resamples"] is None
            assert row["seed"] is None
        else:
            assert "bootstrap" in row["method"] or row["reason"]
    assert {c["test"] for c in got["contrasts"] if c["metric"].startswith("Success")} == {"McNemar, exact"}


def test_a_dozen_questions_are_warned_of_and_hit_rates_alone_are_not(field, capsys):
    got = json.loads(said(capsys, "-m", "nDCG@10", "--json"))
    assert any(
        "12 questions: the bootstrap intervals of nDCG@10 are too narrow" in w for w in got["warnings"]
    )
    alone = json.loads(said(capsys, "-m", "Success@1", "--json"))
    assert not any("too narrow" in w for w in alone["warnings"])


def test_how_it_settles_is_said_and_its_curve_is_in_the_json(field, capsys):
    got = json.loads(said(capsys, "-m", "RR@10", "--json"))
    settled = got["stability"]
    assert settled["metric"] == "RR@10"
    assert settled["sizes"] == list(range(5, 13))
    assert [one["run"] for one in settled["curves"]] == ["a", "c", "b"]
    first = settled["curves"][0]
    assert first["curve"]["mean"] == pytest.approx([1.0] * 8)
    assert first["rank"] == [1] * 8
    assert first["curve"]["seq_low"][-1] <= first["curve"]["low"][-1]
    assert settled["led"][-1] == 1.0
    gap = settled["gap"]
    assert (gap["a"], gap["b"]) == ("a", "c")
    assert gap["curve"]["mean"][-1] == pytest.approx(5 / 12)
    assert gap["seq_level"] == pytest.approx(1 - 0.05 / 3)
    lead, close = settled["sentences"]
    assert lead.startswith("Added in random order, a leads on RR@10 from the start")
    assert "would decide a gap of +0.417 at 80% power" in close
    printed = " ".join(said(capsys, "-m", "RR@10").split())
    assert lead in printed
    assert close in printed


def test_the_seed_orders_the_questions_and_the_same_one_gives_the_same_bytes(field, capsys):
    line = ("-m", "Success@1", "--json", "--seed", "7")
    first = said(capsys, *line)
    assert said(capsys, *line) == first
    other = json.loads(said(capsys, *line[:-1], "8"))["stability"]
    mine = json.loads(first)["stability"]
    assert mine["seed"] == 7
    assert other["curves"][2]["curve"]["mean"] != mine["curves"][2]["curve"]["mean"]
    assert other["curves"][2]["curve"]["mean"][-1] == mine["curves"][2]["curve"]["mean"][-1]


def test_one_run_has_a_curve_and_no_sentence_and_four_questions_have_neither(field, capsys):
    assert main(["eval", "qrels.txt", "b.run", "--json", "-m", "Success@1"]) == 0
    alone = json.loads(capsys.readouterr().out)["stability"]
    assert alone["sequence"] == "beta-binomial"
    assert alone["curves"][0]["curve"]["mean"][-1] == 0.5
    assert alone["gap"] is None
    assert alone["sentences"] == []
    lines = (field / "qrels.txt").read_text().splitlines(keepends=True)
    (field / "qrels.txt").write_text("".join(lines[:4]))
    assert json.loads(said(capsys, "-m", "Success@1", "--json"))["stability"] is None
    assert "random order" not in said(capsys, "-m", "Success@1")
