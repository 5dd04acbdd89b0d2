"""Work that tests send to workers."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "EVENHAND_TESTS_MARK"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def secret():
    return "a parrot"


def ends(folder, table, item):
    """The worker of each item ends once, together with that of the other, while both are at work."""
    mark = Path(folder) / f"ended-{item}"
    if item < 2 and not mark.exists():
        mark.touch()
        for _ in range(100):
            if len(list(Path(folder).glob("ended-*"))) == 2:
                break
            time.sleep(0.02)
        os._exit(1)
    return item + len(table)


@dataclass(frozen=True)
class Letters:
    """An embedder that counts letters. The first worker that meets a certain text ends at once.

    MARK in their environment says which process is none of them, and where it is noted.
    """

    name: str = "letters"
    seal: str = "letters/1"

    def embed(self, texts):
        import numpy as np

        whose, _, mark = os.environ[MARK].partition(" ")
        away = os.getpid() != int(whose)
        if away and any("lantern of Cedar" in text for text in texts) and not Path(mark).exists():
            Path(mark).touch()
            os._exit(1)
        return np.array([[text.count(letter) for letter in LETTERS] for text in texts], dtype=np.float32)


def fatal(_item):
    """Ends whatever worker it is given to, once that is fully there."""
    time.sleep(1.0)
    os._exit(1)
