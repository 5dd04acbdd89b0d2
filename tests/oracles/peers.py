"""What ir_measures and ranx say: run by an interpreter that has them, not by the project's own.

Reads ``{"qrels": .., "run": .., "subtopics": .., "names": {peer: [name, ..]}}`` from standard input and
prints ``{"versions": .., "values": {peer: {name: {question: value}}}}``; what is not installed is left out.
"""

import contextlib
import io
import json
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version
from math import isfinite


def ir_measures_values(data, names):
    import ir_measures

    qrels = [ir_measures.Qrel(q, d, int(g)) for q, of in data["qrels"].items() for d, g in of.items()]
    topics = [
        ir_measures.Qrel(q, d, 1, t)
        for q, of in data["subtopics"].items()
        for d, topics in of.items()
        for t in topics
    ]
    run = [ir_measures.ScoredDoc(q, d, s) for q, of in data["run"].items() for d, s in of.items()]
    found = {}
    for name in names:
        measure = ir_measures.parse_measure(name)
        known = topics if name.startswith(("alpha", "StRecall")) else qrels
        try:
            found[name] = {one.query_id: one.value for one in ir_measures.iter_calc([measure], known, run)}
        except ValueError as error:  # the tool behind this one is not installed
            print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
    return found


def ranx_values(data, names):
    from ranx import Qrels, Run, evaluate

    qrels = Qrels({q: {d: int(g) for d, g in of.items()} for q, of in data["qrels"].items()})
    run = Run(data["run"])
    evaluate(qrels, run, names, make_comparable=True)
    # NaN (bpref where nothing is judged not relevant) is no number: none is told
    return {
        name: {q: float(x) if isfinite(x) else None for q, x in run.scores[name].items()} for name in names
    }


def ranx_binary_values(data, names):
    return ranx_values({**data, "qrels": binary(data["qrels"])}, names)


def binary(qrels):
    return {q: {d: int(g >= 1) for d, g in of.items()} for q, of in qrels.items()}


PEERS = {"ir_measures": ir_measures_values, "ranx": ranx_values, "ranx, grades 0 and 1": ranx_binary_values}


def main():
    warnings.simplefilter("ignore")
    data = json.load(sys.stdin)
    versions, values = {}, {}
    for peer, names in data["names"].items():
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                values[peer] = PEERS[peer](data, names)
            versions[peer.partition(",")[0]] = version(peer.partition(",")[0])
        except ImportError as error:
            print(f"{peer}: {error}", file=sys.stderr)
    for package in ("cwl-eval", "pyndeval", "pytrec_eval-terrier"):
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    json.dump({"versions": versions, "values": values}, sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main()
