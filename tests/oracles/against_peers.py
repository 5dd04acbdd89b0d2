"""Random data, and the names of ir_measures and ranx beside ours: what the peers are compared on.

``python -m tests.oracles.against_peers INTERPRETER`` records their values in peers_recorded.json.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from tests.oracles.peers import binary

HERE = Path(__file__).parent
RECORDED = HERE / "peers_recorded.json"
# theirs -> ours, where it is not the same text
IR_MEASURES = {
    **{name: name for name in ("nDCG", "nDCG@5", "nDCG@10", "RR", "RR@3", "AP", "AP@5", "AP(rel=2)", "P@5")},
    **{
        name: name
        for name in ("P(rel=2)@10", "R@5", "R(rel=3)@10", "R@1000", "Success@1", "Success(rel=2)@3")
    },
    **{name: name for name in ("Rprec", "Rprec(rel=2)", "Bpref", "infAP", "IPrec@0.0", "IPrec@0.3", "SetR")},
    **{name: name for name in ("SetP", "SetF", "SetF(beta=0.5)", "SetAP", "NumRet", "NumRel", "RR(rel=2)@5")},
    **{f"{m}(judged_only=True)@5": f"{m}(judged_only=true)@5" for m in ("nDCG", "P", "R", "AP", "Success")},
    "RR(judged_only=True)": "RR(judged_only=true)",
    "nDCG(gains={0:1,1:4,2:3})@5": "nDCG(gains={0:1,1:4,2:3})@5",
    "nDCG(dcg='exp-log2')@5": "nDCG(gain=exp)@5",
    "ERR@10": "ERR@10",
    "Judged@5": "Judged(denom=retrieved)@5",
    "RBP(p=0.8,rel=1)": "RBP",
    "RBP(p=0.95,rel=2)": "RBP(p=0.95,rel=2)",
    **{f"Compat(p={p})": f"Compat(p={p})" for p in (0.8, 0.95)},
    "Compat(p=0.9,normalize=False)": "Compat(p=0.9,normalize=false)",
    **{name: name for name in ("INST(T=1.0,max_rel=3)", "INST(T=2.5,min_rel=1,max_rel=3)")},
    **{name: name for name in ("INSQ(T=1.0,max_rel=3)", "INSQ(T=2.0,max_rel=2)", "BPM(T=1.5,max_rel=3)@5")},
    **{f"NERR{i}(max_rel=3)@10": f"NERR{i}(max_rel=3)@10" for i in (8, 9)},
    **{name: name for name in ("NERR10(p=0.8,max_rel=3)", "NERR11(T=2.0,max_rel=4)", "SDCG(max_rel=3)@10")},
    **{name: name for name in ("alpha_nDCG@5", "alpha_nDCG(alpha=0.3)@10", "StRecall@5")},
}
RANX = {
    name: name
    for name in (
        "ndcg",
        "ndcg@5",
        "ndcg_burges@10",
        "mrr",
        "mrr@3",
        "map",
        "map@5",
        "precision@5",
        "precision@10-l2",
        "recall@5",
        "recall@10-l3",
        "hit_rate@1",
        "r-precision",
        "bpref",
    )
}
RANX_BINARY = {
    "rbp.80": "RBP",
    "rbp.95": "RBP(p=0.95)",
}  # ranx multiplies by the grade: alike for 0 and 1 only
# gdeval prints five digits
LOOSE = {"ERR@10": 5.1e-6, "nDCG(dcg='exp-log2')@5": 5.1e-6}
NAMES = {"ir_measures": IR_MEASURES, "ranx": RANX, "ranx, grades 0 and 1": RANX_BINARY}


def made(seed, questions):
    """Complete runs without ties or repeats; every question has a relevant unit of each grade, and subtopics."""
    rng = np.random.default_rng(seed)
    qrels, run, subtopics = {}, {}, {}
    for q in range(1, questions + 1):
        units = [f"d{i:02d}" for i in rng.permutation(40)]
        judged = rng.permutation(units)[: int(rng.integers(6, 25))].tolist()
        grades = [1, 2, 3, *rng.integers(0, 4, len(judged) - 3).tolist()]
        qrels[str(q)] = dict(zip(judged, grades, strict=True))
        size = int(rng.integers(12, 40))
        score = np.cumsum(rng.integers(1, 9, size))[::-1] / 8.0  # exact as float32
        run[str(q)] = dict(zip(units[:size], score.tolist(), strict=True))
        subtopics[str(q)] = {
            unit: [str(t) for t in range(1, 5) if rng.random() < 0.4] or ["1"] for unit in judged[:8]
        }
    return {"qrels": qrels, "run": run, "subtopics": subtopics}


def ask(interpreter, data):
    """What the peers that *interpreter* has say about *data*."""
    return ask_for(interpreter, data, {peer: list(of) for peer, of in NAMES.items()})


def ask_for(interpreter, data, names):
    """What the peers say of *names*, by peer."""
    done = subprocess.run(
        [interpreter, str(HERE / "peers.py")],
        input=json.dumps({**data, "names": names}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout)


def ours(data, names):
    """Our values of *names*, by name and question."""
    from evenhand.metrics.catalogue.names import parse
    from evenhand.metrics.measure.measure import measure
    from evenhand.model.run import Qrels, Run

    run = Run.of("s", {q: list(of.items()) for q, of in data["run"].items()})
    graded = Qrels.of(data["qrels"])
    found = {}
    for name in names:
        metric = parse(name)
        qrels = with_topics(data) if metric.name in ("alphaNDCG", "NuggetCoverage") else graded
        m = measure(qrels, run, metric, ties="trec")
        found[name] = dict(zip(m.questions, m.value[0, 0].tolist(), strict=True))
    return found


def with_topics(data):
    """Qrels whose nuggets are the subtopics."""
    from evenhand.model.run import Qrels

    qrels = Qrels.of({q: dict.fromkeys(of, 1) for q, of in data["subtopics"].items()})
    count, covers = [], []
    for q, question in enumerate(qrels.questions):
        of = data["subtopics"][question]
        every = sorted({t for topics in of.values() for t in topics})
        count.append(len(every))
        for row in range(int(qrels.offsets[q]), int(qrels.offsets[q + 1])):
            covers += [(row, every.index(t)) for t in of[qrels.table[qrels.unit[row]]]]
    return Qrels(
        questions=qrels.questions,
        offsets=qrels.offsets,
        unit=qrels.unit,
        grade=qrels.grade,
        table=qrels.table,
        nugget_offsets=np.concatenate([[0], np.cumsum(count)]),
        vital=np.ones(sum(count), dtype=bool),
        covers=np.array(covers, dtype=np.int32),
    )


def differences(data, values):
    """The largest difference by peer and name."""
    found = {}
    for peer, by_name in values.items():
        of = {**data, "qrels": binary(data["qrels"])} if peer.endswith("0 and 1") else data
        mine = ours(of, [NAMES[peer][name] for name in by_name])
        for name, theirs in by_name.items():
            own = mine[NAMES[peer][name]]
            assert set(own) == set(theirs), (peer, name)
            found[peer, name] = max(abs(own[q] - theirs[q]) for q in own if theirs[q] is not None)
    return found


if __name__ == "__main__":
    table = {"seed": 7, "questions": 8, "data": made(7, 8)}
    table |= ask(sys.argv[1], table["data"])
    text = json.dumps(table, sort_keys=True, allow_nan=False).replace("}, ", "},\n")
    RECORDED.write_text(text + "\n")
    print(f"recorded {sum(map(len, table['values'].values()))} measures of {table['versions']}")
