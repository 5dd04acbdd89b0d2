"""Every table that is written is inert in a spreadsheet and comes back to the letter."""

import csv
import io
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.front import evenhand

from evenhand.errors import InputError
from evenhand.formats.answers.table import answers_csv
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.gold.export import export_gold
from evenhand.formats.gold.gold_set import gold_of_rows, read_gold
from evenhand.formats.guests.answers.registry import export_answers, import_answers
from evenhand.formats.guests.gold_registry import come
from evenhand.formats.guests.labels.registry import export_labels, import_labels
from evenhand.formats.runs.trec import read_qrels, read_run
from evenhand.formats.runs.write import write_qrels, write_run
from evenhand.formats.tables import bare, bare_column, inert, inert_column, rows_of, table_text
from evenhand.model.answer import Generation, Item, Passage
from evenhand.model.gold import GoldSet, Nugget, Question, QuestionId, Quote
from evenhand.model.label import Label, Shown
from evenhand.model.run import Qrels, Run
from evenhand.model.text import Corpus, DocId, Document, Span

HEADS = ("=", "+", "-", "@", "'", '"', "'=", '"=', "''-", " =", "\uff1d", "")
BARE = st.builds(lambda a, b: a + b, st.sampled_from(HEADS), st.text("ab1|=,;'\"", min_size=1, max_size=6))
CELLS = st.builds(
    lambda a, b: a + b, st.sampled_from((*HEADS, "\t", "\r", "\n=")), st.text("a1=,;\t\r\n'\"", max_size=6)
)
PLAIN = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def live(cell):
    """Whether a spreadsheet that reads quotes, or one that does not, begins a formula with this cell."""
    bare = cell.lstrip(" '\"\n") if cell[:1] != "'" else ""
    return bare[:1] in tuple("=+-@\t\r\uff1d") and not re.fullmatch(r"[+-]?[0-9.]+(e-?[0-9]+)?", bare)


def all_inert(text, tabs=False):
    rows = (
        [line.split("\t") for line in text.splitlines()]
        if tabs
        else csv.reader(io.StringIO(text, newline=""))
    )
    assert not [cell for row in rows for cell in row if live(cell)]


@given(CELLS)
def test_a_cell_comes_back_and_begins_no_formula(cell):
    assert bare(inert(cell)) == cell
    assert not live(inert(cell))
    column = inert_column(pl.Series("x", [cell]))
    assert column[0] == inert(cell)
    assert bare_column(column)[0] == cell


def test_numbers_stay_numbers():
    assert [inert(cell) for cell in ("-0.5", "+3", -2, 1e-9, "-1e-5", "'tis", "-5 EUR")] == [
        *("-0.5", "+3", -2, 1e-9, "-1e-5", "'tis"),
        "'-5 EUR",
    ]


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=3))
def test_a_table_comes_back(rows):
    text = table_text([("id", "text"), *rows])
    all_inert(text)
    header, back = rows_of(text, "t.csv", separator=",")
    assert header == ["id", "text"]
    assert [cells for _, cells in back] == [row for row in rows if any(cell.strip() for cell in row)]


def test_a_table_of_tabs_refuses_a_cell_with_one():
    with pytest.raises(InputError, match="does not fit"):
        table_text([("a\tb",)], tabs=True)


TEXT = "=A1 is a cell. Dogs are allowed."
DOCS = Corpus((Document(id=DocId("=d.md"), text=TEXT),))


def gold(name, ask):
    quote = Quote(Span(DocId("=d.md"), 0, 14), TEXT[:14])
    return GoldSet(
        (Question(id=QuestionId(name), text=ask, reference=ask, evidence=(Nugget(name="", spans=(quote,)),)),)
    )


@PLAIN
@given(BARE, BARE)
def test_gold_sets_come_back(tmp_path, name, ask):
    name, ask, path = name.strip() or "q", ask.strip() or "?", tmp_path / "gold.csv"
    for form in ("csv", "chroma", "promptfoo"):
        export_gold(path, form, gold(name, ask), DOCS)
        all_inert(path.read_bytes().decode())
        if form == "promptfoo":
            back = gold_of_rows(come(path, "promptfoo", DOCS).rows, DOCS, file="g")
        else:
            back = read_gold(path, DOCS)
        assert back[0].text == ask
        assert [one.quote for one in back[0].evidence[0].spans] == ["=A1 is a cell."]
        if form != "chroma":
            assert back.ids == (name,)
    export_gold(tmp_path / "beir", "beir", gold(name, ask), DOCS)
    table = (tmp_path / "beir" / "qrels" / "dev.tsv").read_text()
    all_inert(table, tabs=True)
    assert read_qrels(tmp_path / "beir" / "qrels" / "dev.tsv").judged(name) == {"=d.md": 1}


@PLAIN
@given(BARE, BARE)
def test_runs_and_judgements_come_back(tmp_path, name, unit):
    run = Run(
        system="=cmd|calc",
        questions=(name,),
        offsets=np.array([0, 2]),
        unit=np.array([0, 1], dtype=np.int32),
        table=(unit, "other"),
        score=np.array([-0.5, -1.5]),
    )
    qrels = Qrels.of({name: {unit: 2, "other": -1}})
    for form, ending in (("csv", "csv"), ("beir", "tsv")):
        path = tmp_path / f"r.{ending}"
        lost = write_run(path, run, form=form)
        all_inert(path.read_text(), tabs=form == "beir")
        back = read_run(path)
        assert (list(back.questions), [back.table[code] for code in back.unit.tolist()]) == (
            [name],
            [unit, "other"],
        )
        assert back.score.tolist() == [-0.5, -1.5]
        assert any("apostrophe" in one for one in lost) == (inert(name) != name or inert(unit) != unit)
        write_qrels(path, qrels, form=form)
        all_inert(path.read_text(), tabs=form == "beir")
        assert read_qrels(path).judged(name) == {unit: 2, "other": -1}


@PLAIN
@given(CELLS, BARE)
def test_labels_come_back(tmp_path, words, name):
    name = name.strip() or "q"
    place = {"question": name, "doc": "d", "start": 0, "end": 3, "text_sha256": "0"}
    shown = Shown(ask=words, text=words, **place)
    label = Label(judge=name, grade=-1.0, comment=words, **place)
    export_labels(tmp_path / "l.csv", "csv", [shown], [label])
    all_inert((tmp_path / "l.csv").read_bytes().decode())
    (back,) = import_labels(tmp_path / "l.csv", "csv", [shown]).labels
    assert (back.comment, back.judge, back.grade) == (words, name, -1.0)


@PLAIN
@given(BARE, CELLS)
def test_answers_come_back(tmp_path, name, words):
    name = name.strip() or "q"
    item = Item(topic=name, kind="answer", text=words or "x", system="=cmd|calc")
    made = Generation(
        topic=name,
        ask=name,
        system="=cmd|calc",
        state="made",
        passages=(Passage(unit="1", text=f"{words}x", marker="1"),),
        items=(item,),
    )
    text = answers_csv([made])
    all_inert(text)
    header, rows = rows_of(text, "items.csv")
    (_, cells) = next(rows)
    row = dict(zip(header, cells, strict=True))
    assert (row["system"], row["ask"], row["text"]) == ("=cmd|calc", name, words or "x")
    export_answers(tmp_path / "a.csv", "open-rag-eval", [made])
    all_inert((tmp_path / "a.csv").read_bytes().decode())
    (back,) = import_answers(tmp_path / "a.csv", "open-rag-eval").generations
    assert (back.ask, back.passages[0].text) == (name, f"{words}x")


def test_r30_tables_of_convert_and_gold_export_are_inert_and_come_back(tmp_path):
    (tmp_path / "run.json").write_text('{"=1+1": {"=cmd|calc": 2.5, "d2": -1.0}}')
    for name in ("run.csv", "run.tsv"):
        done = evenhand("convert", "run.json", name, cwd=tmp_path)
        assert done.returncode == 0
        assert "3 cells that a spreadsheet would take for a formula" in done.stderr
        all_inert((tmp_path / name).read_text(), tabs=name.endswith("tsv"))
        assert evenhand("convert", name, "back.json", cwd=tmp_path).returncode == 0
        assert (tmp_path / "back.json").read_text() == '{"=1+1": {"=cmd|calc": 2.5, "d2": -1.0}}\n'


def test_texts_that_are_never_written_here_keep_their_apostrophe(tmp_path):
    (tmp_path / "c.csv").write_text("id,text\na,'=SUM' adds cells.\n")
    assert read_corpus(tmp_path / "c.csv").documents[0].text == "'=SUM' adds cells."
    (tmp_path / "a.csv").write_text("user_input,response\nWhich?,'=SUM' adds.\n")
    (one,) = import_answers(tmp_path / "a.csv", "ragas").generations
    assert one.items[0].text == "'=SUM' adds."
