"""A corpus, its units and two runs over them, small enough to check by hand."""

from evenhand.corpus.fixed import Fixed
from evenhand.model.run import Run
from evenhand.model.text import Corpus, DocId, Document

QUESTIONS = {"q1": "What floats?", "q2": "What sinks?"}


def corpus():
    texts = {
        "a.md": "# Boats\n\nA boat floats on water.\n\n## Wood\n\nWood floats, oak hardly.\n\n## Iron\n\nIron sinks.\n",
        "b.md": "# Stones\n\nStones sink at once.\n\n## Pumice\n\nPumice floats for a while.\n",
    }
    return Corpus(
        tuple(
            Document(id=DocId(name), text=text, title=name[0].upper(), kind="markdown")
            for name, text in texts.items()
        )
    )


def units(documents, size=20):
    return Fixed(size=size, overlap=0, count="characters").cut(documents)


def run(name, cut, rankings, **provenance):
    """A run by positions of units, best first."""
    made = Run.of(
        name,
        {
            q: [(cut.ids[i], float(len(order) - r)) for r, i in enumerate(order)]
            for q, order in rankings.items()
        },
    )
    codes = [cut.position[made.table[c]] for c in made.unit]
    import numpy as np

    return Run(
        system=name,
        questions=made.questions,
        offsets=made.offsets,
        unit=np.array(codes, dtype=np.int32),
        score=made.score,
        table=cut.ids,
        units=cut,
        provenance=provenance,
    )
