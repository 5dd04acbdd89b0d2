"""What a notebook shows: numbers as they are, never without interval and n; hostile words as words."""

import dataclasses
import html
import json
import re

import numpy as np
import pytest
from tests.report.example import example

import evenhand as eh
from evenhand.errors import InputError
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.text import Span
from evenhand.report.notebook import cards
from evenhand.report.notebook.cards import html as card

HOSTILE = "</td></table><script>window.hacked=1</script><img src=x onerror=alert(1)>{{7*7}}\"' \u202ex"
QRELS = eh.Qrels.of({f"q{i}": {"a": 1.0, "b": 2.0 * (i % 2)} for i in range(12)})
RUNS = [
    eh.Run.of(name, {f"q{i}": [("a", 2.0), ("b", 1.0)] if (i + k) % 3 else [("b", 2.0)] for i in range(12)})
    for k, name in enumerate(("one", "two"))
]


@pytest.fixture(scope="module")
def m():
    return eh.measure(QRELS, RUNS, ["nDCG@10", "Success@1", "R(rel=2)@5"])


def words(shown):
    bare = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", shown, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", bare)).split())


def gold(word="", split="dev"):
    quote = Quote(span=Span("d.md", 0, 5), quote="quote" + word)
    questions = tuple(
        Question(
            id=f"q{i}",
            text=f"What {i}?{word}",
            type="numeric" + word,
            evidence=(Nugget(name="n", spans=(quote,)),),
        )
        for i in range(7)
    )
    return GoldSet(questions, split=split)


def nouns(m):
    comparison = eh.compare(m, primary="nDCG@10", resamples=200, signs=200)
    part = eh.Slice(
        by="type", value="numeric", n=5, estimates=comparison.estimates, note="one question moves this"
    )
    alone = [
        m.estimate("one", "nDCG@10", resamples=200),
        m.contrast("one", "two", "nDCG@10", resamples=200, signs=200),
    ]
    interval = eh.Interval(low=0.1, high=0.2, level=0.95, method="Wilson")
    cell = m.measurement("one", "R(rel=2)@5", "q0")
    return [comparison, comparison.standing, part, *alone, interval, cell, m, RUNS[0], QRELS, gold()]


def test_every_noun_shows_itself_and_needs_nothing_else(m):
    shown = [one._repr_html_() for one in nouns(m)]
    kinds = {type(one) for one in nouns(m)}
    assert kinds == set(cards._MAKERS)
    for text in shown:
        assert text.startswith('<div class="evenhand-card">')
        assert not re.search(r"\b(src|href|url\()", text)
        assert "#" not in re.sub(
            r"&#\d+;", "", text
        )  # no colour of its own: light and dark are the notebook's
        assert "background: none" in text


def test_a_number_stands_with_its_interval_and_n(m):
    one = m.estimate("two", "nDCG@10")
    said = words(one._repr_html_())
    assert f"{one.point:.3f} [{one.low:.3f}, {one.high:.3f}]" in said
    assert "n = 12" in said
    assert "10,000 resamples, seed 20241009" in said
    pair = m.contrast("one", "two", "nDCG@10")
    said = words(pair._repr_html_())
    assert f"{pair.wins} / {pair.ties} / {pair.losses}" in said
    assert "sign-flip" in said
    assert pair.verdict in said
    table = words(m._repr_html_())
    for system in m.systems:
        for metric in m.metrics:
            one = m.estimate(system, metric)
            assert f"{system} {metric} {one.point:.3f}" in table
            assert (
                f"[{one.low:.3f}, {one.high:.3f}]" if one.low is not None else f"none: {one.reason}"
            ) in table
    assert "6 undefined" in table  # q with no unit of grade 2


def test_a_reason_stands_in_place_of_a_number(m):
    alone = eh.measure(QRELS, [eh.Run.of("x", {"q0": [("a", 1.0)]})], ["nDCG@10"])
    one = eh.Estimate(
        system="x", metric="nDCG@10", point=None, low=None, high=None, n=0, level=0.95, method="none", reason="nothing is defined"
    )  # fmt: skip
    assert "nothing is defined" in words(one._repr_html_())
    assert "<svg" not in one._repr_html_()
    assert "nan" not in alone._repr_html_().lower().replace("nan>", "")


def test_the_picture_of_an_interval_is_where_the_numbers_are(m):
    one = dataclasses.replace(m.estimate("one", "nDCG@10"), point=0.5, low=0.25, high=1.0)
    shown = one._repr_html_()
    assert 'cx="150.00"' in shown
    assert "M78.00 8H294.00" in shown
    assert f'aria-label="{one}"' in shown


def test_many_values_are_not_resampled_unasked(m):
    many = 70_000
    large = eh.Measurements(
        systems=("one", "two"), metrics=("nDCG@10", "R@5"), questions=tuple(map(str, range(many))),
        value=np.zeros((2, 2, many)), why=np.zeros((2, 2, many), dtype=np.int16),
    )  # fmt: skip
    said = words(large._repr_html_())
    assert "70,000" in said
    assert "not resampled unasked" in said


def test_hostile_words_are_shown_and_do_nothing(m):
    named = dataclasses.replace(m, systems=(f"one{HOSTILE}", "two"))
    run = eh.Run.of(f"one{HOSTILE}", {f"q{HOSTILE}": [(f"u{HOSTILE}", 1.0)]}, provenance={HOSTILE: HOSTILE})
    report = {**example(), "headline": HOSTILE}
    for shown in (named._repr_html_(), run._repr_html_(), gold(HOSTILE)._repr_html_(), card(report)):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown
        assert "&lt;script&gt;window.hacked=1" in shown
    pair = named.contrast(f"one{HOSTILE}", "two", "nDCG@10")
    assert "<script" not in pair._repr_html_()


def test_a_holdout_is_counted_and_not_shown():
    shown = gold(split="holdout")._repr_html_()
    assert "7 holdout questions" in words(shown)
    for word in ("What", "quote", "numeric"):
        assert word not in words(shown)
    assert "What 0?" in gold()._repr_html_()


def test_a_report_shows_how_it_stands():
    report = example()
    said = words(card(report))
    assert "provisional, dev" in said
    assert report["headline"] in said
    for row in report["estimates"]:
        assert f"{row['system']} {row['metric']} {row['point']:.3f}" in said
    with pytest.raises(InputError, match="no card for int"):
        card(3)


def test_a_page_is_a_document_of_its_own(tmp_path):
    from evenhand.report.output.assemble import dumps

    (tmp_path / "report.json").write_bytes(dumps({**example(), "headline": HOSTILE}))
    page = eh.page(tmp_path)
    frame = page._repr_html_()
    assert frame.count("<") == 2  # the frame's own tag; the page is its attribute
    assert 'sandbox="allow-scripts"' in frame
    inner = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert inner == page.html
    assert inner.startswith("<!doctype html>")
    assert json.loads(json.dumps(page.report)) == page.report
    with pytest.raises(InputError):
        eh.page(tmp_path / "nothing")
