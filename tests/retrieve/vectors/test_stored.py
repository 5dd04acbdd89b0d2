"""Vectors kept in a file: cosines as those of the model, and no model needed."""

from dataclasses import dataclass

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.model.plan.study import SystemPlan
from evenhand.protocols import quiet
from evenhand.retrieve.build import build
from evenhand.retrieve.vectors.stored import Stored, stored_bytes


@dataclass
class Toy:
    name: str = "toy"
    seal: str = "toy/1"

    def embed(self, texts):
        return np.array(
            [np.random.default_rng([len(t), *t.encode()[:20]]).normal(size=64) for t in texts],
            dtype=np.float32,
        )


TEXTS = ["A boat floats.", "An anchor holds.", "Fog.", "A boat floats.", "  "]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "kept.npz").write_bytes(stored_bytes(Toy(), TEXTS))
    return tmp_path / "kept.npz"


def test_cosines_are_those_of_the_model_but_for_a_hundredth(file):
    held, real = Stored(str(file)).embed(TEXTS[:3]), Toy().embed(TEXTS[:3])

    def cosines(rows):
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit @ unit.T

    assert np.abs(cosines(held) - cosines(real)).max() < 0.01
    assert not Stored(str(file)).embed(["  "]).any()


def test_equal_vectors_make_equal_bytes_and_each_text_is_kept_once(file):
    assert stored_bytes(Toy(), reversed(TEXTS)) == file.read_bytes()
    assert len(np.load(file)["vector"]) == 3


def test_a_text_that_was_changed_is_told_and_not_guessed(file):
    with pytest.raises(InputError, match=r"kept.npz has no vector of 'A boat sinks.'"):
        Stored(str(file)).embed(["A boat sinks."])


@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\x03\x04"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(InputError, match="no file of vectors"):
        Stored(str(tmp_path / "x.npz")).embed(["a"])


def test_a_missing_file_and_no_file_are_told(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Stored(str(tmp_path / "none.npz")).embed(["a"])
    with pytest.raises(InputError, match="need a file"):
        Stored()


def test_the_file_lies_beside_the_study_and_no_path_is_in_the_settings(file):
    plan = SystemPlan(
        name="dense",
        kind="retriever",
        what="dense",
        settings={"embedder": "stored", "options": {"file": "kept.npz"}},
    )
    made = build(plan, base_folder=file.parent)
    assert made.model.embed(["Fog."], progress=quiet).shape == (1, 64)
    assert str(file.parent) not in str(made.settings())
    assert made.model.name == "toy (stored)"
