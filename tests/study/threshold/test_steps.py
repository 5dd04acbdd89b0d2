"""Threshold studies end to end: the published figures that follow from given counts, through the commands."""

import json
import shlex
import zlib

import pytest
from tests.llm.faulty import faulty, says
from tests.study.threshold_study import STUDY, TYPES, graded, judged, make

from evenhand.cli.main import main
from evenhand.formats.study_file.read import read_study


def conducted(file, capsys, code=0):
    assert main(["run", str(file), "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The study judged, with twenty pairs graded: seven at odds, all in one direction."""
    home = tmp_path_factory.mktemp("threshold") / "s"
    file, truth = judged(home)
    store = home / "people.db"
    assert main(["store", "init", str(store)]) == 0
    assert main(["judge", "calibrate", str(file), "--draw", "20", "--store", str(store)]) == 0
    graded(file, truth, apart=7)
    assert main(["run", str(file), "-q"]) == 0
    report = json.loads((home / "results" / "report.json").read_text("utf-8"))
    return file, report["threshold"], report


def row_of(part, threshold, by="all", **which):
    found = [r for r in part["rates"] if r["threshold"] == threshold and r["by"] == by]
    return next(r for r in found if all(r[key] == value for key, value in which.items()))


def test_the_corpus_criterion_of_27_of_30_is_checked_and_reported(study):
    _, part, _ = study
    corpus = part["corpus"]
    assert (corpus["enough"], corpus["documents"], corpus["needed"], corpus["met"]) == (27, 30, 27, True)
    assert "27 of 30 documents give 500 clean words or more" in corpus["sentence"]
    assert part["numbers"]["corpus_words"]["point"] == 27
    assert corpus["roles"] == dict.fromkeys(("compare", "convert", "evaluate", "explain", "guide"), 6)


def test_the_pilot_shows_median_040_max_0645_and_9_of_166_at_06(tmp_path, capsys):
    file = make(tmp_path / "p")
    assert main(["study", "pilot", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["systems"]
    assert (row["questions"], found["k"]) == (166, 5)
    assert row["top1"][3] == pytest.approx(0.40)
    assert row["top1"][-1] == pytest.approx(0.645)
    at = {one["threshold"]: one["questions"] for one in row["grid"]}
    assert at == {0.3: 141, 0.4: 100, 0.6: 9, 0.7: 0}
    assert main(["study", "pilot", str(file)]) == 0
    said = capsys.readouterr().out
    assert "9 of 166 at 0.6; 0 of 166 at 0.7" in " ".join(said.split())
    assert "27 of 30 documents" in said
    assert not (tmp_path / "p" / "results").exists()


def test_a_relaxation_keeps_every_planned_value_in_every_table(study):
    _, part, _ = study
    grid = {one["threshold"]: one for one in part["grid"]}
    assert list(grid) == [0.3, 0.4, 0.6, 0.7]
    assert grid[0.6]["planned"]
    assert grid[0.6]["planned_primary"]
    assert not grid[0.6]["primary"]
    assert grid[0.4]["added"]
    assert grid[0.4]["primary"]
    for arm in part["arms"]:
        for by in ("all", "role", "type"):
            assert {r["threshold"] for r in part["rates"] if r["arm"] == arm["name"] and r["by"] == by} == {
                0.3,
                0.4,
                0.6,
                0.7,
            }
    assert row_of(part, 0.6)["sparse"] == ["n 9 below 30", "9 sources, below 10"]
    assert row_of(part, 0.7)["n"] == 0
    assert row_of(part, 0.7)["macro"]["point"] is None
    assert "primary moved from 0.6 to 0.4" in " ".join(part["sentences"])


def test_cohesion_of_the_panel_is_90_and_86_per_cent(study):
    _, part, _ = study
    assert part["cohesion"]["unanimity"]["point"] == pytest.approx(0.86)
    assert part["cohesion"]["pairwise"]["point"] == pytest.approx((1 + 2 * 0.86) / 3)
    assert round(part["cohesion"]["pairwise"]["point"], 1) == 0.9


def test_20_pairs_at_65_and_35_per_cent_withhold_the_headline_and_show_a_bracket(study):
    _, part, report = study
    head, panel = part["headline"], report["panel"]
    assert panel["population"]["items"] == 100  # the pairs at or above the primary threshold
    assert panel["sample"]["drawn"] == panel["sample"]["labelled"] == 20
    assert panel["numbers"]["human_agreement"]["point"] == pytest.approx(13 / 20)
    assert panel["numbers"]["disputed"]["point"] == pytest.approx(7 / 20)
    assert panel["agreement"]["low"] == pytest.approx(0.433, abs=5e-4)
    assert panel["agreement"]["high"] == pytest.approx(0.819, abs=5e-4)
    assert head["state"] == "withheld"
    assert head["point"] is None
    assert part["numbers"]["rate"]["point"] is None
    assert "withheld" in part["numbers"]["rate"]["reason"]
    strict, loose = head["bracket"]["ends"]
    assert (strict["who"], strict["end"], loose["who"], loose["end"]) == (
        "panel",
        "strict",
        "people",
        "loose",
    )
    row = row_of(part, 0.4)
    assert strict["value"] == row["pooled"]["point"]
    assert loose["value"] == pytest.approx(1 - panel["human_rate"]["point"])
    assert loose["method"] == "Wilson"
    assert (head["bracket"]["direction"]["lenient"], head["bracket"]["direction"]["strict"]) == (0, 7)
    assert head["bracket"]["direction"]["p"] == pytest.approx(2 / 2**7)
    said = " ".join(part["sentences"])
    assert "a false discovery rate; the study calls it false-positive rate" in said
    assert "neither people nor panel are ground truth" in said
    assert "how far people agree with each other is unknown" in said
    assert "People graded 20 of 100 pairs, which leaves ±" in said


def test_the_sentence_on_groups_and_what_is_not_claimed_stand_beside_the_tables(study):
    file, part, _ = study
    assert any("never by p-values" in line for line in part["sentences"])
    claims = " ".join(part["does_not_claim"])
    for words in ("ranking", "rerankers", "other embedders", "random sample of documents", "source alone"):
        assert words in claims
    page = (file.parent / "results" / "report.html").read_text("utf-8")
    assert "never by p-values" in page
    assert "Withheld as a settled figure" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_every_pair_is_exported_with_verdicts_grade_and_unit(study):
    file, part, _ = study
    rows = [json.loads(line) for line in (file.parent / "results" / "pairs.jsonl").read_text().splitlines()]
    assert len(rows) == part["pairs"]["of"] == 141
    assert all(row["similarity"] >= 0.3 and len(row["votes"]) == 3 and row["text"] for row in rows)
    assert sum(row["human"] is not None for row in rows) == sum(row["drawn"] for row in rows) == 20
    wrong = sum(row["sufficient"] is False and row["similarity"] >= 0.4 for row in rows)
    assert wrong == row_of(part, 0.4)["wrong"]


def test_rates_are_those_of_the_pairs(study):
    file, part, _ = study
    rows = [json.loads(line) for line in (file.parent / "results" / "pairs.jsonl").read_text().splitlines()]
    for at in (0.3, 0.4, 0.6):
        kept = [row for row in rows if row["similarity"] >= at]
        row = row_of(part, at)
        assert (row["n"], row["wrong"]) == (len(kept), sum(not one["sufficient"] for one in kept))
        by = {}
        for one in kept:
            by.setdefault(one["source"], []).append(not one["sufficient"])
        assert row["macro"]["point"] == pytest.approx(sum(sum(v) / len(v) for v in by.values()) / len(by))
        assert row["pooled"]["point"] == pytest.approx(row["wrong"] / row["n"])
        assert row["sources"] == len(by)
        for kind in TYPES:
            own = [one for one in kept if one["type"] == kind]
            assert row_of(part, at, "type", type=kind)["n"] == len(own)


def test_a_second_run_gives_the_same_bytes(study, tmp_path):
    file, _, _ = study
    held = (file.parent / "results" / "report.json").read_bytes()
    assert main(["run", str(file), "-q", "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "report.json").read_bytes() == held


def test_when_trust_holds_the_corrected_rate_stands(tmp_path, capsys):
    file, truth = judged(tmp_path / "s")
    store = tmp_path / "people.db"
    assert main(["store", "init", str(store)]) == 0
    assert main(["judge", "calibrate", str(file), "--draw", "40", "--store", str(store)]) == 0
    graded(file, truth, apart=1)
    capsys.readouterr()
    part = conducted(file, capsys)["threshold"]
    head = part["headline"]
    assert head["state"] == "corrected"
    assert head["bracket"] is None
    panel = json.loads((file.parent / "results" / "report.json").read_text())["panel"]
    assert head["point"] == pytest.approx(1 - panel["rate"]["point"])
    assert (head["low"], head["high"]) == pytest.approx((1 - panel["rate"]["high"], 1 - panel["rate"]["low"]))
    assert part["numbers"]["rate"]["point"] == head["point"]


def test_without_anybodys_grades_the_headline_is_withheld_and_says_so(tmp_path, capsys):
    file, _ = judged(tmp_path / "s")
    part = conducted(file, capsys)["threshold"]
    assert part["headline"]["state"] == "withheld"
    assert "There is no bracket yet" in " ".join(part["sentences"])


def test_a_corpus_that_fails_its_criterion_withholds_the_headline(tmp_path, capsys):
    file, _ = judged(tmp_path / "s", study=STUDY.replace("documents = 27", "documents = 28"))
    part = conducted(file, capsys)["threshold"]
    assert part["corpus"]["met"] is False
    assert "27 of 30 documents" in " ".join(part["headline"]["reasons"])


def test_criteria_refer_to_the_numbers(tmp_path, capsys):
    more = '[criteria]\ncorpus = { on = "threshold.corpus_words", at_least = 27, role = "trust" }\n'
    more += 'rate = { on = "threshold.rate", at_most = 0.5 }\n'
    file, _ = judged(tmp_path / "s", study=STUDY + more)
    found = conducted(file, capsys, code=4)["criteria"]
    verdicts = {row["name"]: row["verdict"] for row in found["rows"]}
    assert verdicts == {"corpus": "met", "rate": "cannot be decided"}


def test_another_corpus_than_the_one_named_by_its_seal_is_refused(tmp_path, capsys):
    seal = 'seal = "' + "0" * 64 + '"\ndocuments = 27'
    file = make(tmp_path / "s", study=STUDY.replace("documents = 27", seal))
    assert main(["study", "pilot", str(file)]) == 2
    assert "the plan names" in capsys.readouterr().err


def test_votes_without_a_verdict_are_counted_and_bounded(tmp_path, capsys):
    file, _ = judged(tmp_path / "s")
    for name in "ab":
        rows = [json.loads(one) for one in (file.parent / f"{name}.jsonl").read_text().splitlines()]
        for row in rows[:20]:
            row["reply"]["text"] = "I would rather not say"
        (file.parent / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    part = conducted(file, capsys)["threshold"]
    row = row_of(part, 0.3)
    assert row["undecided"] == 20
    assert row["pooled"]["least"] == pytest.approx(row["wrong"] / row["pairs"])
    assert row["pooled"]["most"] == pytest.approx((row["wrong"] + 20) / row["pairs"])


def test_b067_one_class_has_no_area_and_no_threshold_is_recommended(tmp_path, capsys):
    """B067: one class only is neither 0, 0.5 nor 1; nothing is recommended from it."""
    file, _ = judged(tmp_path / "s", yes=0.0, split=0)
    part = conducted(file, capsys)["threshold"]
    assert all(one["auc"] is None for one in part["areas"])
    assert part["numbers"]["auc"]["point"] is None
    assert "cannot answer" in part["numbers"]["auc"]["reason"]
    assert "No threshold can be recommended from one class" in " ".join(part["sentences"])


def test_the_judges_see_neither_similarity_nor_rank(tmp_path, capsys):
    file = make(tmp_path / "s")
    assert main(["judge", "panel", str(file), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "Entry" in said
    for word in ("similarity", "0.4", "rank", "dense", "threshold"):
        assert word not in said.split("--- schema")[0].split("--- user")[1]


def test_a_registered_value_stays_in_the_tables_after_it_was_dropped(tmp_path, capsys):
    file, _ = judged(tmp_path / "s")
    assert main(["study", "register", str(file)]) == 0
    file.write_text(STUDY.replace("grid = [0.6, 0.7]", "grid = [0.6]"), encoding="utf-8")
    capsys.readouterr()
    part = conducted(file, capsys)["threshold"]
    grid = {one["threshold"]: one for one in part["grid"]}
    assert grid[0.7]["withdrawn"]
    assert grid[0.7]["planned"]
    assert grid[0.3]["added"]
    assert row_of(part, 0.7)["by"] == "all"


def test_a_package_holds_what_a_reader_needs_to_derive_all_of_it_anew(study, tmp_path):
    file, _, _ = study
    assert main(["study", "package", str(file), "--out", str(tmp_path / "p"), "--run-code"]) == 0
    assert (tmp_path / "p" / "calibration.jsonl").is_file()
    assert (tmp_path / "p" / "results" / "pairs.jsonl").is_file()
    assert main(["study", "verify", str(tmp_path / "p" / file.name), "--run-code"]) == 0


TYPED = STUDY + '[threshold.typing]\nmodel = "recorded:typist.jsonl"\n'


def test_questions_without_a_type_are_asked_again_by_the_command_that_is_printed(tmp_path, capsys):
    file = make(tmp_path / "a study")
    file.write_text(TYPED, encoding="utf-8")
    lines = [
        json.dumps({"task": f"q{i:03}", "reply": {"text": json.dumps({"verdict": TYPES[i % 5]})}})
        for i in range(166)
    ]
    typist = file.parent / "typist.jsonl"
    typist.write_text("\n".join([*lines[:160], *(line.replace("verdict", "word") for line in lines[160:])]))
    assert main(["gold", "type", str(file), "--budget", "1"]) == 4
    said = capsys.readouterr().out
    assert "INCOMPLETE: 6 questions have no type" in said
    mend = next(line for line in said.splitlines() if "mend: evenhand" in line)
    command = shlex.split(mend.split("mend: evenhand ")[1])
    assert command == ["gold", "type", str(file), "--budget", "1"]
    for refused in (["judge", "panel"], ["run"], ["study", "register"]):
        assert main([*refused, str(file)]) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert (
            "160 of 166 of the questions have" if "register" in refused else "6 of 166 questions have no"
        ) in told
    typist.write_text("\n".join(lines))
    code = main(command)
    said = capsys.readouterr()
    assert code == 0, said.err
    assert "INCOMPLETE" not in said.out
    assert "166 questions typed" in said.out
    assert main(command) == 2
    assert "holds the types already" in capsys.readouterr().err


def test_a_reply_that_gave_no_type_is_no_answer_and_is_asked_for_again(tmp_path, capsys):
    seen, later = [], []

    def answer(sent):
        seen.append(sent)
        good = later or zlib.crc32(sent.prompt.encode()) % 8
        return says(json.dumps({"verdict": TYPES[0]} if good else {"word": "?"}))

    with faulty(answer) as server:
        file = make(tmp_path / "s")
        typist = f'[threshold.typing]\nmodel = "vllm:typist"\nbase_url = "{server.base_url}"\nfamily = "a"\n'
        file.write_text(STUDY + typist, encoding="utf-8")
        assert main(["gold", "type", str(file)]) == 4
        lacks = len(json.loads((file.parent / "types.json").read_text())["untyped"])
        assert lacks > 0
        later.append(len(seen))
        assert main(["gold", "type", str(file)]) == 0
        assert len(seen) - later[0] == lacks  # the others stand
        assert main(["gold", "type", str(file), "--anew"]) == 0
        assert len(seen) - later[0] - lacks == 166  # all, and not out of the journal


def test_types_come_from_one_pass_of_a_model_before_any_judging(tmp_path, capsys):
    home = tmp_path / "s"
    file, _ = judged(home)
    file.write_text(TYPED, encoding="utf-8")
    lines = [
        json.dumps({"task": f"q{i:03}", "reply": {"text": json.dumps({"verdict": TYPES[(i + 1) % 5]})}})
        for i in range(166)
    ]
    (home / "typist.jsonl").write_text("\n".join(lines) + "\n")
    assert main(["run", str(file), "-q"]) == 2
    assert "types come before any judging" in capsys.readouterr().err
    assert main(["gold", "type", str(file), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["types"]["q000"] == TYPES[1]
    part = conducted(file, capsys)["threshold"]
    assert part["types"]["by"] == "model"
    assert part["types"]["seal"] == made["seal"]
    assert main(["study", "register", str(file)]) == 0
    held = json.loads((home / "registration.json").read_text())
    assert held["fitted"]["threshold"]["types"] == made["seal"]
    capsys.readouterr()
    assert main(["gold", "type", str(file), "--anew"]) == 2
    assert "votes already" in capsys.readouterr().err


def test_spans_can_say_what_is_sufficient(tmp_path, capsys):
    text = STUDY.split("[panel]")[0].replace('evidence = "optional"\n', "")
    file = make(tmp_path / "s", study=text.replace("k = 5", 'k = 5\nsufficiency = "span"'))
    rows = [json.loads(line) for line in (file.parent / "gold.jsonl").read_text().splitlines()]
    for i, row in enumerate(rows):
        whole = (file.parent / "docs" / row["source"]).read_text()
        quote = f"Entry {i}." if i % 2 else "filler filler"
        start = whole.index(quote)
        span = {"doc": row["source"], "start": start, "end": start + len(quote), "quote": quote}
        row["evidence"] = [{"nugget": "n", "vital": True, "spans": [span]}]
    (file.parent / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    part = conducted(file, capsys)["threshold"]
    row = row_of(part, 0.3)
    assert part["headline"]["state"] == "spans"
    assert row["undecided"] == 0
    assert row["wrong"] == sum(one["sufficient"] is False for one in part["pairs"]["rows"])
    assert 0 < row["wrong"] < row["n"]
    assert "an upper bound" in " ".join(part["sentences"])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('of = "threshold"', 'of = "pool"', "no panel judges its pairs"),
        ("depth = 10", "depth = 3", "runs end at 3"),
        (
            'system = "dense"\nk = 5',
            'system = "dense"\nk = 5\nchunking = "nothing"',
            "does not rank the units",
        ),
    ],
)
def test_what_could_not_be_done_is_refused_before_anything_is_asked(tmp_path, capsys, before, after, said):
    file = make(tmp_path / "s", study=STUDY.replace(before, after))
    assert main(["run", str(file), "-q"]) == 2
    assert said in capsys.readouterr().err


def test_the_plan_is_read(tmp_path):
    plan = read_study(make(tmp_path / "s")).threshold
    assert plan.values == (0.3, 0.4, 0.6, 0.7)
    assert plan.main == 0.4


def test_the_report_says_which_rate_people_correct_and_which_they_do_not(study):
    _, part, _ = study
    (told,) = [one for one in part["sentences"] if "people's sample" in one and "uncorrected" in one]
    assert "can correct is one number: the rate of all pairs at or above 0.4 together" in told


def test_the_rates_are_verified_by_counting_the_pairs(study):
    pytest.importorskip("statsmodels", reason="the extra verify is not installed")
    from evenhand.study.verification.recompute_threshold import threshold_again

    file, part, _ = study
    pairs = [json.loads(x) for x in (file.parent / "results" / "pairs.jsonl").read_text("utf-8").splitlines()]
    faults, said = threshold_again(part, pairs)
    assert faults == []
    assert said.startswith(f"{len(part['rates']) + len(part['explorer'])} rates, macro and pooled")
    assert "3 of their intervals by scipy, 4 areas by scipy" in said
    for change, told in (
        (lambda row: row["macro"].update(point=row["macro"]["point"] + 1e-6), "the macro rate is"),
        (lambda row: row["pooled"].update(high=row["pooled"]["high"] + 1e-4), "high of the pooled rate"),
        (lambda row: row.update(wrong=row["wrong"] + 1), "wrong is"),
        (lambda row: row["macro"].update(low=0.0), "low of the macro rate"),
    ):
        bent = json.loads(json.dumps(part))
        change(next(row for row in bent["rates"] if row["by"] == "all" and row["threshold"] == 0.4))
        assert any(told in one for one in threshold_again(bent, pairs)[0]), told
    bent = json.loads(json.dumps(part))
    bent["areas"][1]["auc"] += 0.01
    assert any("by Mann and Whitney" in one for one in threshold_again(bent, pairs)[0])
    turned = [{**pairs[0], "sufficient": not pairs[0]["sufficient"]}, *pairs[1:]]
    assert threshold_again(part, turned)[0]


def test_verify_independently_holds_pairs_and_rates_against_the_ranking(study, capsys):
    pytest.importorskip("pytrec_eval", reason="the extra verify is not installed")
    import shutil

    file, _, _ = study
    home = file.parent
    copy = home.with_name("copy")
    shutil.copytree(home, copy)
    assert main(["study", "verify", str(copy / "study.toml"), "--independent", "--run-code"]) == 0
    assert "threshold by counting, statsmodels and scipy" in capsys.readouterr().out
    path = copy / "results" / "pairs.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[0]["similarity"] = 0.5
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    assert main(["study", "verify", str(copy / "study.toml"), "--independent", "--json", "--run-code"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert " is 0.5, and 0.6" in json.dumps(told)


COUNTED = """

class Words:
    name = "words"
    seal = "words-1"

    def offsets(self, text):
        return np.array([one.span() for one in re.finditer(r"\\S+", text)], dtype=np.int64).reshape(-1, 2)


Designed.tokens = Words()
"""
SIZES = """\
[chunking.standard]
rule = "fixed"
size = 512
count = "tokens"
[chunking.small]
rule = "fixed"
size = 256
count = "tokens"
[chunking.large]
rule = "fixed"
size = 1024
count = "tokens"
"""
ARMS = """\
[threshold.arms.small]
documents = ["d0*.md"]
[threshold.arms.large]
[panel]
"""


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    """A registered threshold study with arms of 256 and of 1,024 tokens, and its results."""
    from tests.study import threshold_study

    text = STUDY.replace('[chunking.sections]\nrule = "headings"\n', SIZES).replace("[panel]\n", ARMS, 1)
    text = text.replace("k = 5", 'k = 5\nchunking = "standard"').partition("[calibration]")[0]
    home = tmp_path_factory.mktemp("sized") / "s"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threshold_study, "EMBEDDER", threshold_study.EMBEDDER + COUNTED)
        file, _ = judged(home, study=text, split=0)
    assert main(["study", "register", str(file)]) == 0
    assert main(["run", str(file), "-q"]) == 0
    return file


def test_r23_two_chunk_sizes_are_verified_independently(sized, capsys):
    pytest.importorskip("pytrec_eval", reason="the extra verify is not installed")
    assert main(["study", "verify", str(sized), "--independent", "--run-code"]) == 0
    said = capsys.readouterr().out
    assert "ok     results: threshold by counting, statsmodels and scipy" in said
    assert said.endswith("verified: everything is as it was made and registered\n")


@pytest.mark.parametrize("arm", ["standard", "small", "large"])
def test_a_similarity_that_was_changed_is_found_in_every_arm(sized, tmp_path, capsys, arm):
    import shutil

    shutil.copytree(sized.parent, tmp_path / "s")
    path = tmp_path / "s" / "results" / "pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    row = next(one for one in rows if one["arm"] == arm)
    row["similarity"] += 0.01
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    verifying = ["study", "verify", str(tmp_path / "s" / "study.toml"), "--independent", "--run-code"]
    assert main(verifying) == 3
    assert f"the similarity of {row['question']} and {row['unit']} is" in capsys.readouterr().out
