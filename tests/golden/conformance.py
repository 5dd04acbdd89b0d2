"""The conformance entries of the reference data, each turned into an assertion.

``python tests/golden/conformance.py`` runs them all and prints what passed, failed and was skipped.
Entries about trec_eval go through ``evenhand eval --like``; those about ir_measures through the library.
"""

import contextlib
import io
import json
import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.shared import SHARED

FILE = SHARED / "golden" / "conformance.json"
# ids and grades of ir_measures' test_judged and test_gdeval, to which the entries refer by name
INLINE = {
    "qrels": {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}},
    "run": {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
    },
}
UNKNOWN = {"runid", "relstring", "relstring_20", "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}


def entries():
    return json.loads(FILE.read_text())["entries"] if FILE.exists() else []


def title(entry):
    return f"{entry['id']} {entry['metric']}"


@cache
def printed(qrels, run, like, *, level, complete, depth):
    """What ``evenhand eval --like`` prints for all measures of trec_eval, by (name, question)."""
    from evenhand.cli.main import main

    args = ["eval", str(SHARED / "data" / qrels), str(SHARED / "data" / run), "--like", like, "-q"]
    args += ["-m", "all_trec", "--level", str(level)]
    args += ["--complete"] if complete else []
    args += ["--max-depth", str(depth)] if depth else []
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(args)
    assert code == 0, f"evenhand {' '.join(args)} ended with {code}"
    return table(out.getvalue())


def table(text):
    """trec_eval's lines, by (name, question)."""
    rows = (line.split() for line in text.splitlines() if line.strip())
    return {(name, question): value for name, question, value in (row[:3] for row in rows)}


def trec_eval(entry):
    """Every value of an expected file, or the one value that the entry names; gives how many were compared."""
    qrels, run, expected = entry["inputs"]
    options = entry.get("options") or {"level": 1, "complete": False, "M": None}
    nine = "v9.0.7" in expected or not expected.startswith("trec_eval_tests")
    ours = printed(
        qrels,
        run,
        "trec_eval" if nine else "trec_eval10",
        level=options["level"],
        complete=options["complete"],
        depth=options["M"],
    )
    if "n_values" not in entry:
        near(float(ours[entry["metric"], "all"]), entry["expected"], entry["tol"], entry["metric"])
        return 1
    theirs = table((SHARED / "data" / expected).read_text())
    count = 0
    for (name, question), value in theirs.items():
        if name in UNKNOWN:
            continue
        assert (name, question) in ours, f"{name} of {question} is not printed"
        near(float(ours[name, question]), float(value), entry["tol"], f"{name} of {question}")
        count += 1
    assert count >= entry["n_values"], f"{count} values compared, the entry counts {entry['n_values']}"
    return count


def near(ours, theirs, tolerance, what):
    assert abs(ours - theirs) <= tolerance, f"{what}: {ours!r}, expected {theirs!r} ± {tolerance}"


def value(qrels, run, metric, question):
    """One question's value by the library; undefined is 0, as in the tools compared with."""
    from evenhand.metrics.measure.measure import measure

    found = measure(qrels, run, metric, ties="trec")
    return float(found.value[0, 0, found.questions.index(question)])


def from_dicts(qrels, run):
    from evenhand.model.run import Qrels, Run

    return Qrels.of(qrels), Run.of("run", {q: list(of.items()) for q, of in run.items()})


def from_text(qrels, run):
    def rows(text, at):
        found = {}
        for line in filter(str.strip, text.splitlines()):
            cells = line.split()
            found.setdefault(cells[0], {})[cells[2]] = float(cells[at])
        return found

    return from_dicts(rows(qrels, 3), rows(run, 4))


@cache
def from_files(qrels, run):
    from evenhand.formats.runs.trec import read_qrels, read_run

    return read_qrels(SHARED / "data" / qrels), read_run(SHARED / "data" / run)


def ir_measures(entry):
    """One value that ir_measures or a tool behind it gives; gives how many were compared."""
    if "fixtures" in entry:
        count = 0
        for fixture in entry["fixtures"]:
            data = from_text(fixture["qrels"], fixture["run"])
            for one in fixture["values"]:
                ours = value(*data, one["measure"], one["query_id"])
                near(ours, one["expected"], entry["tol"], f"{one['measure']} of {one['query_id']}")
                count += 1
        assert count == entry["n_values"]
        return count
    name, question = re.fullmatch(r"(.+)\[(.+)\]", entry["metric"]).groups()
    name = name.removeprefix("gdeval ")
    if "gdeval" in entry["id"]:
        name = name.replace("nDCG", "nDCG(gain=exp)")
    elif name.startswith("Judged"):  # ir_measures divides by the units returned; the name says so here
        name = name.replace("Judged", "Judged(denom=retrieved)")
    inline = entry["inputs"][0].startswith("inline")
    data = from_dicts(INLINE["qrels"], INLINE["run"]) if inline else from_files(*entry["inputs"])
    near(value(*data, name, question), entry["expected"], entry["tol"], entry["metric"])
    return 1


def check(entry):
    """Assert one entry; gives how many values were compared."""
    return ir_measures(entry) if entry["id"].startswith("ir_measures") else trec_eval(entry)


def main():
    passed = failed = values = 0
    for entry in entries():
        try:
            values += check(entry)
            passed += 1
        except Exception as error:  # noqa: BLE001 - every failure is told, whatever it is
            failed += 1
            print(f"FAILED {title(entry)}: {error}")
    skipped = 0 if FILE.exists() else 1
    print(f"{values} values compared in {passed + failed} entries")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or skipped else 0


if __name__ == "__main__":
    sys.exit(main())
