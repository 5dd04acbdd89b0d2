"""`conduct` from Python: names, progress, caches, costs."""

import json

import pytest
from tests.miniature import STUDY, make

import evenhand as eh


def conducted(study, **more):
    return eh.conduct(eh.read_study(study), study.parent, **more)


NAMES = [
    "org:embed_v1",
    "Lauf 2024-05-01T10:00:00",
    "CON",
    "a?b*c",
    "trailing. ",
    "..",
    "x" * 300,
    "Ärger",
    "Arger",
]


def test_whatever_a_system_is_called_its_run_has_a_file_of_its_own_inside_the_folder(tmp_path):
    """Case B079."""
    more = "".join(f'[system.{json.dumps(name)}]\nretriever = "tfidf"\n' for name in NAMES)
    outcome = conducted(make(tmp_path / "s", study=STUDY + more))
    runs = outcome.folder / "runs"
    files = [path.name for path in runs.iterdir()]
    assert len({name.casefold() for name in files}) == len(files) == len(NAMES) + 5
    for name in files:
        assert len(name) < 100
        assert not set(name) & set('<>:"/\\|?*')
        assert not name.removesuffix(".parquet").endswith((".", " "))
    assert {system["name"] for system in outcome.report["systems"]} >= set(NAMES)


def test_progress_tells_each_stage_to_its_end(tmp_path):
    told = {}
    conducted(
        make(tmp_path / "s"), progress=lambda stage, done, total, note="": told.update({stage: (done, total)})
    )
    assert {"read", "cut small", "bm25", "tfidf", "measure", "compare", "write the page"} <= set(told)
    assert all(done == total for done, total in told.values())


def test_results_and_cache_go_where_they_are_asked_to(tmp_path):
    study = make(tmp_path / "s")
    outcome = conducted(study, out=tmp_path / "out", cache=tmp_path / "cache")
    assert outcome.page == tmp_path / "out" / "report.html"
    assert (tmp_path / "cache").is_dir()
    assert sorted(p.name for p in study.parent.iterdir()) == ["docs", "gold.jsonl", "study.toml"]


def test_costs_hold_the_latency_of_every_system_and_the_report_holds_no_time(tmp_path):
    outcome = conducted(make(tmp_path / "s"))
    systems = outcome.costs["systems"]
    assert systems["bm25"]["questions"] == 18
    assert systems["both"]["mean_ms"] >= systems["bm25"]["mean_ms"] > 0
    assert systems["bm25"]["p95_ms"] >= systems["bm25"]["p50_ms"] > 0
    assert b"_ms" not in outcome.text
    assert b"seconds" not in outcome.text


def test_a_changed_question_asks_again_and_an_unchanged_chunking_is_kept(tmp_path):
    study = make(tmp_path / "s")
    conducted(study)
    gold = study.parent / "gold.jsonl"
    gold.write_text(gold.read_text().replace("what has one to pay", "what does one pay", 1))
    fresh = conducted(study).fresh
    assert "run/bm25" in fresh
    assert "units/small" not in fresh


def test_a_changed_comparison_asks_no_system_again(tmp_path):
    study = make(tmp_path / "s")
    conducted(study)
    study.write_text(STUDY.replace("resamples = 500", "resamples = 600"))
    assert conducted(study).fresh == ("report", "page")


def test_a_deleted_cache_changes_no_byte(tmp_path):
    study = make(tmp_path / "s")
    first = conducted(study, cache=tmp_path / "one").text
    assert conducted(study, cache=tmp_path / "two").text == first


def test_a_null_system_leads_no_field_and_widens_no_family(tmp_path):
    report = conducted(make(tmp_path / "s")).report
    assert {c["family"] for c in report["contrasts"] if not c["exploratory"]} == {6}
    assert "random" not in report["standing"]["best"]
    against = [c for c in report["contrasts"] if c["b"] == "random"]
    assert len(against) == 4
    assert all(c["exploratory"] for c in against)
    assert "random" in {e["system"] for e in report["estimates"]}


def test_a_system_that_beats_no_null_system_is_said_so(tmp_path):
    study = make(tmp_path / "s", study=STUDY + '[system.same]\nretriever = "constant"\n')
    study.write_text(study.read_text().replace('null = ["random"]', 'null = ["constant"]'))
    more = '[system.noise]\nretriever = "python:noise_retriever:Noise"\n'
    (study.parent / "noise_retriever.py").write_text(
        "class Noise:\n"
        "    def index(self, units): self.ids = [u.id for u in units]\n"
        "    def search(self, question, k): return [(i, 1.0) for i in self.ids[-k:]]\n"
    )
    study.write_text(study.read_text() + more)
    report = conducted(study).report
    assert [w for w in report["warnings"] if w["kind"] == "null system not beaten" and "noise" in w["text"]]


def test_rankings_that_are_the_same_are_said_to_be(tmp_path):
    study = make(tmp_path / "s", study=STUDY + '[system.twin]\nretriever = "bm25"\n')
    report = conducted(study).report
    (told,) = [w for w in report["warnings"] if w["kind"] == "identical rankings"]
    assert "bm25 and twin" in told["text"]


@pytest.mark.parametrize("word", ["random", "popular", "constant"])
def test_each_null_system_is_one_line(tmp_path, word):
    study = make(tmp_path / "s", study=STUDY.replace('null = ["random"]', f'null = ["{word}"]'))
    assert word in {e["system"] for e in conducted(study).report["estimates"]}


def test_another_seed_draws_another_random_system(tmp_path):
    points = set()
    for seed in (1, 2, 3):
        study = make(tmp_path / str(seed), study=STUDY.replace("[study]", f"[study]\nseed = {seed}"))
        rows = conducted(study).report["estimates"]
        points |= {e["point"] for e in rows if e["system"] == "random" and e["metric"] == "nDCG@10"}
    assert len(points) > 1


def test_a_guest_that_cuts_for_itself_may_be_held_against_a_chunking_of_the_study(tmp_path):
    more = '[system.ours]\nretriever = "python:own_guest:search"\nchunking = "small"\n'
    study = make(tmp_path / "s", study=STUDY + more + '[system.on]\nrerank = "ours"\nby = "status"\n')
    (study.parent / "own_guest.py").write_text(
        "def search(question, k):\n"
        "    return [{'doc': 'alder.md', 'start': 0, 'end': 30}, {'text': FACT, 'doc': 'alder.md'}]\n"
        f"FACT = {eh.chunk(eh.read_corpus(study.parent / 'docs'), eh.Sentences(size=160)).text(0)!r}\n"
    )
    report = conducted(study).report
    systems = {one["name"]: one for one in report["systems"]}
    assert systems["ours"]["chunking"] == systems["on"]["chunking"] == "small"
    assert systems["ours"]["notes"]["unresolved"] == 18
    study.write_text(study.read_text().replace("own_guest", "stray_guest"))
    (study.parent / "stray_guest.py").write_text(
        "def search(q, k): return [{'doc': 'alder.md', 'start': 0, 'end': 3}]\n"
    )
    with pytest.raises(eh.InputError, match="none of which is a unit of 'small'"):
        conducted(study)


@pytest.mark.parametrize("plots", [True, False])
def test_pictures_may_be_left_out_of_the_page(tmp_path, monkeypatch, plots):
    drawn = []
    monkeypatch.setattr("evenhand.report.output.html.draw", lambda report: drawn.append(report) or {})
    study = STUDY.replace("plots = false", f"plots = {str(plots).lower()}")
    assert conducted(make(tmp_path / "s", study=study)).page.is_file()
    assert len(drawn) == plots


def test_each_stage_names_its_chunking_where_a_system_is_asked_on_several(tmp_path):
    stages = []
    two = STUDY.replace("[chunking.small]", '[chunking.large]\nrule = "fixed"\nsize = 900\n[chunking.small]')
    conducted(make(tmp_path / "s", study=two), progress=lambda stage, *_: stages.append(stage))
    assert {"bm25 (small)", "bm25 (large)"} <= set(stages)
    assert "bm25" not in stages


def test_a_share_of_a_batch_is_no_latency_of_a_question(tmp_path):
    from evenhand.cli.study.run import latency

    outcome = conducted(make(tmp_path / "s"))
    for name, one in outcome.costs["systems"].items():
        if one["measured"] == "batch":
            assert one["p50_ms"] is None is one["p95_ms"]
            assert "(batch mean)" in latency([name], outcome.costs)
    assert outcome.costs["systems"]["both"]["measured"] == "batch"
    assert outcome.costs["systems"]["bm25"]["measured"] == "each question"
    assert "95%" in latency(["bm25"], outcome.costs)
