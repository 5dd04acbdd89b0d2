"""Cases for tests of calibration."""

import numpy as np

from evenhand.judge.calibration.human_sample import draw
from evenhand.model.plan.calibration_sample import Case


def cases_from(panel, human, *, status=None, votes=None, per_question=1):
    """Cases of grades in order; None is no decision, or no label."""
    made = []
    for i, (a, b) in enumerate(zip(panel, human, strict=True)):
        how = "undecided" if a is None else status[i] if status else "unanimous"
        made.append(
            Case(
                item=f"i{i:04}",
                cluster=f"q{i // per_question}",
                panel=a,
                status=how,
                votes=votes[i] if votes else (a,) * 3,
                human=b,
            )
        )
    return made


def all_drawn(cases):
    """A sample that holds every item."""
    return draw({case.item: case.cluster for case in cases}, len(cases), seed=1)


def p1():
    """PROTOCOLS P1: 20 pairs, 13 agree, 7 differ, all of them panel no and person yes."""
    panel = [1.0] * 4 + [0.0] * 16
    human = [1.0] * 11 + [0.0] * 9
    return cases_from(panel, human)


def world(n=2000, seed=5, wrong=0.2):
    """Truth, three judges who err, and their majority."""
    dice = np.random.default_rng(seed)
    truth = (dice.random(n) < 0.35).astype(float)
    votes = [tuple(float(t if dice.random() > wrong else 1 - t) for _ in range(3)) for t in truth.tolist()]
    panel = [float(sum(row) >= 2) for row in votes]
    status = ["unanimous" if len(set(row)) == 1 else "split" for row in votes]
    return cases_from(panel, truth.tolist(), status=status, votes=votes, per_question=4)
