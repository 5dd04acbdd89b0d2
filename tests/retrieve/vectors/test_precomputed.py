import json

import numpy as np
import pytest
from tests.front import evenhand

from evenhand.engine.local import Local
from evenhand.errors import InputError
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.dense.dense import Dense
from evenhand.retrieve.search import retrieve
from evenhand.retrieve.vectors.precomputed import Vectors

TEXTS = {f"d{i:02}": f"text {i}" for i in range(30)}
QUESTIONS = {f"q{i}": f"what is {i}?" for i in range(4)}


@pytest.fixture
def there(tmp_path, units_of):
    """A folder with vectors of the units and of the questions, and these units."""
    units = units_of(TEXTS)
    rng = np.random.default_rng(3)
    held, asked = rng.normal(size=(30, 5)).astype("f4"), rng.normal(size=(4, 5)).astype("f4")
    held[[4, 9]] = held[2]
    held[7] = 0
    np.save(tmp_path / "units.npy", held)
    np.save(tmp_path / "questions.npy", asked)
    (tmp_path / "ids.txt").write_text("".join(f"{one}\n" for one in units.ids))
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in QUESTIONS.values()))
    return tmp_path, units, held, asked


def made(folder, **settings):
    whole = {"units": "units.npy", "questions": "questions.npy", **settings}
    return build(SystemPlan(name="v", kind="retriever", what="vectors", settings=whole), base_folder=folder)


def test_given_vectors_rank_as_an_embedder_that_gives_them(there):
    folder, units, held, asked = there
    by_text = dict(zip([*TEXTS.values(), *QUESTIONS.values()], [*held, *asked], strict=True))
    ordered = [by_text[units.text(i)] for i in range(30)]
    assert np.array_equal(ordered, held)
    own = retrieve(made(folder, unit_ids="ids.txt"), units, QUESTIONS, depth=12)
    other = retrieve(Dense(lambda texts: [by_text[t] for t in texts]), units, QUESTIONS, depth=12)
    assert own.unit.tolist() == other.unit.tolist()
    assert own.score.tolist() == other.score.tolist()
    assert own.notes == other.notes
    assert own.notes["no_embedding"] == 1
    assert own.provenance["units"]["rows"] == 30
    assert len(own.provenance["units"]["sha256"]) == 64


def test_workers_rank_as_this_process_does(there):
    folder, units, *_ = there
    plain = retrieve(made(folder), units, QUESTIONS, depth=12)
    spread = retrieve(made(folder), units, QUESTIONS, depth=12, engine=Local(1))
    assert spread.seal == plain.seal


def test_questions_are_found_by_their_text(there):
    folder, units, *_ = there
    turned = dict(reversed(QUESTIONS.items()))
    plain = retrieve(made(folder), units, QUESTIONS, depth=5)
    by_text = retrieve(made(folder, question_texts="texts.jsonl"), units, turned, depth=5)
    for question in QUESTIONS:
        assert plain.ranking(question) == by_text.ranking(question)
    with pytest.raises(InputError, match="4 vectors, and 3 questions are asked") as told:
        retrieve(made(folder), units, dict(list(QUESTIONS.items())[:3]))
    assert "question_texts" in told.value.mend
    with pytest.raises(InputError, match="no line for 'another'"):
        retrieve(made(folder, question_texts="texts.jsonl"), units, {"q": "another"})
    (folder / "texts.jsonl").write_text('{"text": "a"}\nb\n')
    with pytest.raises(InputError, match=r"texts.jsonl:2 is no object with a text"):
        retrieve(made(folder, question_texts="texts.jsonl"), units, QUESTIONS)
    (folder / "texts.jsonl").write_text('{"question": "a"}\n')
    with pytest.raises(InputError, match=r"1 lines, and questions\.npy 4 rows"):
        retrieve(made(folder, question_texts="texts.jsonl"), units, QUESTIONS)


def test_vectors_of_other_units_are_refused(there, units_of):
    folder, units, *_ = there
    with pytest.raises(InputError, match="holds 30 vectors, and chunking 'whole' has 29 units"):
        retrieve(made(folder), units_of(dict(list(TEXTS.items())[:29])), QUESTIONS)
    (folder / "ids.txt").write_text("".join(f"{one}\n" for one in ("d00#0-6", "d01#0-5")))
    with pytest.raises(InputError, match=r"ids.txt:2 is 'd01#0-5', and that unit is 'd01#0-6'"):
        retrieve(made(folder, unit_ids="ids.txt"), units, QUESTIONS)
    (folder / "ids.txt").write_text("".join(f"{one}\n" for one in units.ids[:29]))
    with pytest.raises(InputError, match=r"ids.txt:30 is None"):
        retrieve(made(folder, unit_ids="ids.txt"), units, QUESTIONS)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"units": ""}, "units names no file"),
        ({"memory": 0}, "memory is 0"),
        ({"device": "gpu"}, "device is 'gpu'"),
        ({"min_recall": 0.9}, "index is exact"),
        ({"index": "hnsw"}, "min_recall is 0.0"),
        ({"index": "hnws", "min_recall": 0.9}, "no index is called 'hnws'"),
        ({"unit": "x.npy"}, "no setting 'unit'"),
        ({"units": "none.npy"}, "none.npy cannot be read"),
    ],
)
def test_settings_that_cannot_be_are_told_before_a_run(tmp_path, settings, says):
    np.save(tmp_path / "units.npy", np.ones((2, 2)))
    np.save(tmp_path / "questions.npy", np.ones((2, 2)))
    with pytest.raises(InputError, match=says) as told:
        made(tmp_path, **settings)
    assert told.value.what.startswith("[system.v]")


def test_a_file_that_is_changed_meanwhile_is_told(there):
    folder, units, held, _ = there
    system = Vectors(units=str(folder / "units.npy"), questions=str(folder / "questions.npy"))

    def changed(stage, done, total, note=""):
        np.save(folder / "units.npy", held[:, :2])

    with pytest.raises(InputError, match=r"units\.npy was changed while it was read"):
        system.rank(units, list(QUESTIONS.values()), 5, progress=changed)


STUDY = """
[study]
name = "given"
[corpus]
path = "docs.jsonl"
[gold]
path = "gold.jsonl"
[chunking.whole]
rule = "document"
[system.exact]
retriever = "vectors"
units = "units.npy"
questions = "questions.npy"
[system.near]
retriever = "vectors"
units = "units.npy"
questions = "questions.npy"
index = "python:near:Half"
options = { step = STEP }
min_recall = 0.4
recall_at = 3
[measure]
primary = "R@3"
depth = 5
[report]
plots = false
"""
HALF = """
import numpy as np
class Half:
    def __init__(self, dimensions, step):
        self.rows, self.step = np.zeros((0, dimensions)), step
    def settings(self):
        return {"index": "half", "step": self.step}
    def add(self, vectors):
        self.rows = np.concatenate([self.rows, vectors])
    def search(self, vectors, k):
        product = vectors @ self.rows.T
        product[:, :: self.step] = -9
        return np.argsort(-product, axis=1, kind="stable")[:, :k]
"""


def study(folder, step):
    (folder / "study.toml").write_text(STUDY.replace("STEP", str(step)))
    (folder / "near.py").write_text(HALF)
    rows = [{"_id": f"d{i:02}", "text": f"text number {i}."} for i in range(40)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = [
        {
            "id": f"q{i}",
            "text": f"which is {i}?",
            "evidence": [{"nugget": "it", "spans": [{"doc": f"d{i:02}", "quote": f"text number {i}."}]}],
        }
        for i in range(20)
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    vectors = np.random.default_rng(1).normal(size=(40, 6)).astype("f4")
    np.save(folder / "units.npy", vectors)
    np.save(folder / "questions.npy", vectors[:20] + 0.1)


def test_a_study_tells_recall_beside_the_numbers_and_refuses_too_little(tmp_path):
    study(tmp_path, 5)
    done = evenhand("run", "study.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "results" / "report.json").read_text())
    found = {one["name"]: one["provenance"] for one in report["systems"]}
    assert "recall" not in found["exact"]
    recall = found["near"]["recall"]
    assert 0.4 < recall["low"] < recall["point"] < recall["high"] < 1
    assert (recall["at"], recall["questions"]) == (3, 20)
    told = f"approximate: recall@3 {recall['point']:.3f} [{recall['low']:.3f}, {recall['high']:.3f}]"
    assert told in done.stdout.replace("\n", " ")
    assert f"near: {told}" in done.stdout.replace("\n", " ")  # beside the difference
    assert "near searches approximately" in " ".join(done.stdout.split())
    assert "{system}" not in done.stdout
    page = (tmp_path / "results" / "report.html").read_text()
    assert page.count(told) >= 2
    again = (tmp_path / "results" / "report.json").read_bytes()
    assert evenhand("run", "study.toml", "--quiet", cwd=tmp_path, OMP_NUM_THREADS="1").returncode == 0
    assert (tmp_path / "results" / "report.json").read_bytes() == again
    study(tmp_path, 2)
    done = evenhand("run", "study.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "min_recall is 0.4" in done.stderr
    assert "search exactly" in done.stderr
