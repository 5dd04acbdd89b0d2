"""The snippet: a Python file that searches as the study's system did, and says what was measured for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.output.escape import visible
from evenhand.study.export.code import Code, written

if TYPE_CHECKING:
    from evenhand.model.plan.study import CutPlan, Plan, SystemPlan

__all__ = ["snippet"]

HEAD = '''\
"""Search as a study did. Made by `evenhand take`, and yours to change.

    python search.py "a question"
"""
'''
UNITS = '''\
def units(path=CORPUS):
    """The documents, cut as they were when this was measured."""
    corpus = eh.read_corpus(path{options})
    if corpus.seal != MEASURED:
        print("note: these documents are not those that were measured", file=sys.stderr)
    return eh.chunk(corpus, {rule}, name={name}{tokens})
'''
SEARCH = '''\
def search(questions, found):
    """The rankings of {{id: text}} over the units `found`; hits are `run.ranking(id, k)`."""
    return eh.retrieve({system}, found, questions, depth=DEPTH{cache}, name={name})
'''
ABOVE = '''\
def above(hits, threshold=THRESHOLD):
    """The hits that pass the threshold of the study."""
    return [hit for hit in hits[:K] if hit.score >= threshold - 1e-9]
'''
DECIDE = '''\
def decide(questions, found):
    """To answer or to defer, for each of {{id: text}}: `decision`, `top` (a document) and `reason`."""
    runs = {{name: eh.retrieve(one, found, questions, depth=DEPTH{cache}) for name, one in ASKED.items()}}
    doc = {{unit.id: unit.doc for unit in found}}
    return {{
        q: GATE.decide(
            {{name: [(doc[hit.unit], hit.score) for hit in run.ranking(q)] for name, run in runs.items()}}
        )
        for q in questions
    }}
'''
MAIN = """\
if __name__ == "__main__":
    found = units()
    asked = {{str(i): text for i, text in enumerate(sys.argv[1:] or ["{ask}"])}}
    text = {{unit.id: " ".join(unit.text.split()) for unit in found}}
    run = search(asked, found)
    for q, question in asked.items():
        print(question)
        for hit in {hits}:
            print(f"{{hit.rank:>4}}  {{hit.score:8.4f}}  {{hit.unit}}  {{text.get(hit.unit, '')[:70]}}")
"""
GATED = """\
    for q, decision in decide(asked, found).items():
        print(f"{decision.decision}: {decision.top or decision.reason}  ({asked[q]})")
"""


def snippet(
    plan: Plan,
    system: str,
    *,
    code: Code,
    rule: str,
    cut: CutPlan | None,
    counter: SystemPlan | None,
    place: Callable[[str], Any],
    told: Mapping[str, Any],
    words: Sequence[str],
    gated: Sequence[str],
) -> str:
    """The whole file, as text."""
    threshold = told["threshold"]
    options = {key: plan.corpus[key] for key in ("format", "glob", "exclude") if key in plan.corpus}
    said = "".join(f", {key}={written(value)}" for key, value in options.items())
    tokens = ""
    if counter is not None:
        code.imports.add("from evenhand.retrieve.vectors.embed import as_embedder")
        named = {"embedder": counter.settings.get("embedder"), **counter.settings.get("options", {})}
        name = named.pop("embedder")
        tokens = f", tokens=as_embedder({written(name)}, **{written(named)}).tokens"
    # vectors take the longest, and are kept beside the snippet
    cache = ", cache=KEPT" if any("Dense(" in line or "ByModel(" in line for line in code.lines) else ""
    blocks = [
        HEAD + "\n".join(["", *_remarks(words), *_owed(code)]),
        "\n".join(
            ["import sys", "from pathlib import Path", "", "import evenhand as eh", *sorted(code.imports)]
        ),
        "\n".join(
            [
                "HERE = Path(__file__).resolve().parent",
                f"CORPUS = HERE / {written(str(place(plan.corpus['path'])))}  # the documents, or yours",
                f"MEASURED = {written(told['study']['seals']['corpus'])}  # their seal when it was measured",
                f"DEPTH = {plan.measure.depth}  # of each ranking, also of those that others are made from",
                *(['KEPT = eh.Blobs(HERE / ".evenhand")  # what is embedded once'] if cache else []),
                *([f"THRESHOLD, K = {threshold['primary']!r}, {threshold['k']!r}"] if threshold else []),
                "",
                *code.lines,
                *(
                    [
                        f"ASKED = {{{', '.join(f'{written(one)}: {code.names[one]}' for one in gated)}}}",
                        'GATE = eh.load_gate(HERE / "gate.json")',
                    ]
                    if gated
                    else []
                ),
            ]
        ),
        UNITS.format(options=said, rule=rule, name=written(cut.name if cut else "documents"), tokens=tokens),
        SEARCH.format(system=code.names[system], cache=cache, name=written(system)),
        *([ABOVE] if threshold else []),
        *([DECIDE.format(cache=cache)] if gated else []),
        MAIN.format(
            ask="What is asked most often?",
            hits="above(run.ranking(q))" if threshold else "run.ranking(q, 10)",
        )
        + (GATED if gated else ""),
    ]
    head, imports, constants, *rest = blocks
    return f"{head}\n\n{imports}\n\n{constants}\n\n\n" + "\n\n".join(rest)


def _remarks(lines: Sequence[str]) -> list[str]:
    return [f"# {line}".rstrip() for line in lines]


def _owed(code: Code) -> list[str]:
    lines = [f"Needs: pip install 'evenhand[{','.join(code.needs)}]'"] if code.needs else []
    lines += [f"To be brought: {visible(one)}" for one in code.brings]
    return ["#", *_remarks([line.replace("\n", " ") for line in lines])] if lines else []
