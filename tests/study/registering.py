"""A registered miniature, and a clock that goes on by a second each time it is asked."""

from itertools import count

from tests.miniature import make_held

from evenhand.formats.study_file.read import read_study
from evenhand.study.registration.register import register


def clock():
    times = count()
    return lambda: f"2026-01-02T03:04:{next(times):02}.000Z"


def study(folder, **options):
    """The path of a study file with a holdout beside it."""
    return make_held(folder, **options)


def registered(folder, **options):
    """The path of a study file that is registered, and its clock."""
    file, now = study(folder, **options), clock()
    register(read_study(file), file.parent, now=now)
    return file, now


def changed(file, old, new):
    """Replace a text in a file, once; it must be there."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) >= 1, (file, old)
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def lines(file):
    """The entries of the ledger beside a study file."""
    from evenhand.formats.results.ledger import read_ledger

    return read_ledger(file.parent / "ledger.jsonl").entries
