"""What `evenhand serve` is given: the store that is meant, documents to write about, results."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.cli.shared.authoring_sources import library_of
from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evenhand.protocols import Store
    from evenhand.web.authoring.library import Library

__all__ = ["found_in", "opened", "something_in"]


def something_in(results: Sequence[Path]) -> bool:
    """Is there a study to show in these places: results, or a run that told how far it is?"""
    from evenhand.store.progress_file import watched_in
    from evenhand.web.workbench.results_index import reports_in

    homes = {place if place.is_dir() else place.parent for place in results}
    return bool(reports_in(results)) or any(True for home in homes for _ in watched_in(home / ".evenhand"))


def found_in(
    places: Sequence[str], corpus: Path | None, gold: Path | None
) -> tuple[Library | None, tuple[Path, ...]]:
    """The library of the first place that has one, and the places where results lie or may come to lie.

    Raises InputError for a place that is not there beside results: they are not what was asked for. (A store
    that is not there is said where stores are opened.)
    """
    from evenhand.cli.server.command import STORE
    from evenhand.web.workbench.results_index import reports_in

    here = [Path(place) for place in places if "://" not in place]
    for path in here:
        if path.name != STORE and not path.exists() and reports_in([path]):
            raise InputError(
                f"there is no {path}", mend="name a store, a study file or results that are there"
            )
    library = None
    for place in places:
        library = library or library_of(place, corpus, gold)
    return library, tuple(here)


@contextmanager
def opened(stores: Sequence[str], *, results: Sequence[Path]) -> Iterator[tuple[Store, str | None]]:
    """The first of *stores* that is there, and how it is called.

    Where none is there but results are, or a run, one that lasts as long as the server (its name is None):
    somebody has to be let in.
    """
    from evenhand.store.open import create_store, open_store, shown

    there = next((one for one in stores if "://" in one or Path(one).is_file()), None)
    if there is None and something_in(results):
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="evenhand-") as folder:
            store = create_store(Path(folder) / "serving.sqlite")
            try:
                yield store, None
            finally:
                store.close()
        return
    chosen = there if there is not None else stores[0]
    store = open_store(chosen)
    try:
        yield store, shown(chosen)
    finally:
        store.close()
