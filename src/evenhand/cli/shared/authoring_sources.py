"""What `evenhand serve` lets owners write about: the documents and the gold file, given or of the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.web.authoring.library import Library

__all__ = ["library_of"]


def library_of(where: str, corpus: Path | None, gold: Path | None) -> Library | None:
    """The documents and the questions about them: as given, or as the study names them."""
    from evenhand.errors import InputError

    asked: dict[str, Any] = {}
    study = _study_of(where)
    if study is not None and (corpus is None or gold is None):
        from evenhand.formats.study_file.read import read_study

        plan = read_study(study)
        home = study.parent
        if corpus is None and plan.corpus.get("path"):
            corpus = home / plan.corpus["path"]
            asked = {key: plan.corpus[key] for key in ("format", "glob", "exclude") if key in plan.corpus}
        named = plan.gold.get("path", "")
        # a guest's form is read by a study, and not written
        gold = home / named if gold is None and named.endswith(".jsonl") else gold
    if corpus is None or gold is None:
        if corpus is None and gold is None:
            return None
        if study is None:
            raise InputError(
                "questions are written about documents into a file", mend="give both --corpus and --gold"
            )
        return None
    from evenhand.formats.corpus.read import read_corpus
    from evenhand.web.authoring.library import Library

    root = corpus.resolve()
    # a gold set or a study file among the documents is none of them
    ours = [one.resolve() for one in (gold, study, *gold.parent.glob("*.toml")) if one is not None]
    inside = [one.relative_to(root).as_posix() for one in ours if one.is_relative_to(root)]
    kept = [*asked.pop("exclude", ()), *inside]
    return Library(corpus=read_corpus(corpus, exclude=kept, **asked), gold=gold)


def _study_of(where: str) -> Path | None:
    """The study that is meant, where one is."""
    if "://" in where:
        return None
    path = Path(where)
    if path.is_dir():
        return path / "study.toml" if (path / "study.toml").is_file() else None
    return path if path.suffix == ".toml" and path.is_file() else None
