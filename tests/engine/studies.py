"""The miniature study with dense retrieval by letters, large enough that every kind of work is sent."""

from tests import miniature

from evenhand.formats.study import read_study
from evenhand.stats.resample import resampled_means
from evenhand.stats.signflip import signflips
from evenhand.study.conduct import conduct

STUDY = miniature.STUDY.replace(
    "[measure]\n",
    """[system.dense]
retriever = "dense"
embedder = "python:tests.engine.work:Letters"
[measure]
""",
)


def make(folder, *, engine=""):
    text = STUDY
    if engine:
        text = text.replace('name = "miniature"', f'name = "miniature"\nengine = "{engine}"')
    return miniature.make(folder, study=text)


def in_pieces(monkeypatch):
    """Let so little be sent at once that a miniature is many pieces of each kind of work."""
    monkeypatch.setattr("evenhand.retrieve.vectors.SEGMENT", 16)
    monkeypatch.setattr("evenhand.retrieve.spread.SPAN", 50)
    for function in (resampled_means, signflips):
        monkeypatch.setitem(function.__kwdefaults__, "cells", 17 * 200)


def outcome(folder, **options):
    """The bytes of all results of a study by name, but for what it cost."""
    made = conduct(read_study(folder / "study.toml"), folder, **options)
    files = {str(p.relative_to(made.folder)): p for p in sorted(made.folder.rglob("*")) if p.is_file()}
    return {name: file.read_bytes() for name, file in files.items() if name != "costs.json"}


class Watched:
    """An engine, with what was mapped on it."""

    def __init__(self, engine):
        self.engine, self.work = engine, []

    def map(self, work, items, **options):
        self.work.append(f"{work.__module__.rpartition('.')[2]}.{work.__name__}")
        return self.engine.map(work, items, **options)
