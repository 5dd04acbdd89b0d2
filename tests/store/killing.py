"""Two writers, killed with -9 again and again; then the books are held against what was acknowledged."""

import random
import subprocess
import sys
from pathlib import Path

from evenhand.store.open import create_store, open_store
from evenhand.testing import filled

WRITER = Path(__file__).with_name("writer.py")


def start(where, desk, name, first):
    return subprocess.Popen(
        [sys.executable, WRITER, where, desk, name, str(first)], stdout=subprocess.PIPE, text=True
    )


def killed(where, *, kills, desks=("desk-ann", "desk-ben"), least=15, most=60, seed=1):
    """What each writer was told is safe, after so many kills of both; writers may share a desk."""
    dice = random.Random(seed)  # noqa: S311
    store = create_store(where)
    filled(store)
    store.close()
    told = {f"w{k}": [] for k in range(len(desks))}
    for _ in range(kills):
        writers = {
            name: start(where, desk, name, len(told[name])) for name, desk in zip(told, desks, strict=True)
        }
        try:
            for name, writer in writers.items():
                for _ in range(dice.randint(least, most)):
                    told[name].append(writer.stdout.readline().strip())
        finally:
            for writer in writers.values():
                writer.kill()
        for name, writer in writers.items():
            # a line that was cut off by the kill was not acknowledged to anybody
            rest = writer.stdout.read()
            told[name] += [line for line in rest.split("\n")[:-1] if line]
            writer.stdout.close()
            writer.wait()
    return told


def held_against(where, told, *, desks=("desk-ann", "desk-ben")):
    """Nothing acknowledged is lost, nothing is doubled, nobody's order is broken."""
    store = open_store(where)
    try:
        assert store.check() == []
        for desk in set(desks):
            book = list(store.book(desk))
            assert [one.number for one in book] == list(range(1, len(book) + 1))
            for name in (name for name, at in zip(told, desks, strict=True) if at == desk):
                tokens = [one.token for one in book if one.token.startswith(f"{name}-")]
                assert len(tokens) == len(set(tokens)), "an act was stored twice"
                numbers = [int(token.split("-")[1]) for token in tokens]
                assert numbers == sorted(numbers)
                assert [token for token in told[name] if token not in set(tokens)] == [], "an act was lost"
                # each kill may have caught one act after it was stored and before it was acknowledged
                assert len(set(tokens) - set(told[name])) <= 1
        return sum(len(list(store.book(desk))) for desk in set(desks))
    finally:
        store.close()
