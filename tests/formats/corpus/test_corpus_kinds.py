"""Each kind of file, with what its authors say about it."""

import io
import zipfile

import pytest

from evenhand.errors import InputError
from evenhand.formats.corpus.read import read_corpus

MD = """---
title: "Travel: claims"
status: Superseded
version: 1.10
effective: 2020-03-01
superseded-by: [travel-claims.md]
Owner: Travel Desk
tags: [a, b]
draft: no
---
# Claims

Text.
"""


def one(tmp_path, name, content, **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_corpus(path, **options)


def folder(tmp_path, **files):
    for name, content in files.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    return tmp_path / "docs"


def test_front_matter_is_metadata_and_the_text_is_the_whole_file(tmp_path):
    root = folder(tmp_path, **{"t/old.md": MD, "t/travel-claims.md": "# New\n"})
    old, new = read_corpus(root)
    assert old.text == MD
    assert old.text[old.body :].startswith("# Claims")
    assert (old.title, old.status, old.version, old.date) == (
        "Travel: claims",
        "obsolete",
        "1.10",
        "2020-03-01",
    )
    assert old.superseded_by == ("t/travel-claims.md",)
    assert old.owner == "Travel Desk"
    assert dict(old.meta) == {"tags": "a, b", "draft": "no", "status": "Superseded"}
    assert (new.title, new.status, new.body) == ("New", "unknown", 0)


def test_front_matter_with_windows_line_ends_is_front_matter(tmp_path):
    corpus = one(tmp_path, "a.md", MD.replace("\n", "\r\n"))
    assert corpus.documents[0].text[corpus.documents[0].body :].startswith("# Claims\r\n")


def test_a_value_that_lacks_its_quotes_is_read_and_said(tmp_path):
    corpus = one(tmp_path, "a.md", "---\ntitle: Notice: *closed* today\nstatus: current\n---\ntext\n")
    assert corpus.documents[0].title == "Notice: *closed* today"
    assert corpus.documents[0].status == "current"
    assert "needs quotes" in corpus.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        "---\nA rule opens this.\n---\nmore\n",
        "---\n",
        "--- x\n---\n",
        "text\n---\na: b\n---\n",
        "---\n- a\n---\nb\n",
    ],
)
def test_a_rule_at_the_top_is_no_front_matter(tmp_path, text):
    corpus = one(tmp_path, "a.md", text)
    assert corpus.documents[0].body == 0
    assert not corpus.warnings


@pytest.mark.parametrize(
    "text",
    ["---\na: [b\n---\nc\n", "---\na: &x [1]\nb: [*x, *x]\n---\nc\n", "---\na: " + "[" * 1500 + "\n---\nc\n"],
)
def test_unreadable_or_explosive_front_matter_stays_in_the_text(tmp_path, text):
    corpus = one(tmp_path, "a.md", text)
    assert corpus.documents[0].body == 0
    assert "front matter" in corpus.warnings[0]


def test_an_unknown_status_and_a_dead_link_are_said(tmp_path):
    corpus = one(tmp_path, "a.md", "---\nstatus: sleeping\nsupersedes: gone.md\n---\nx\n")
    document = corpus.documents[0]
    assert (document.status, document.supersedes, document.meta["supersedes"]) == ("unknown", (), "gone.md")
    assert any("a.md (sleeping)" in w for w in corpus.warnings)
    assert any("gone.md" in w for w in corpus.warnings)


PEP = """PEP: 7
Title: An Old
 Way
Status: {status}
Superseded-By: 8
Created: 05-Jul-2001

Introduction
============

Words.
"""


@pytest.mark.parametrize(
    ("said", "status"),
    [("Final", "current"), ("Active", "current"), ("Accepted", "current"), ("Superseded", "obsolete"),
     ("Withdrawn", "obsolete"), ("Rejected", "obsolete"), ("Draft", "draft"), ("Deferred", "draft")],
)  # fmt: skip
def test_a_pep_header_is_metadata(tmp_path, said, status):
    root = folder(
        tmp_path, **{"pep-0007.rst": PEP.format(status=said), "pep-0008.rst": "Title\n=====\n\nx\n"}
    )
    old, new = read_corpus(root)
    assert (old.title, old.status, old.date) == ("An Old Way", status, "05-Jul-2001")
    assert old.superseded_by == ("pep-0008.rst",)
    assert old.text[old.body :].startswith("Introduction")
    assert (new.title, new.body, new.kind) == ("Title", 0, "rst")


def test_beir_joins_title_and_text_by_a_newline(tmp_path):
    lines = (
        '{"_id": "Geneva Durben", "title": "T", "text": "x\\u2028y", "metadata": {"status": "current", "n": 3}}\n'
        '{"_id": "007", "title": "", "text": "z"}\n\n{"id": 12, "contents": "w"}\n'
    )
    corpus = one(tmp_path, "corpus.jsonl", lines)
    assert {d.id: d.text for d in corpus} == {"Geneva Durben": "T\nx\u2028y", "007": "z", "12": "w"}
    assert corpus["Geneva Durben"].status == "current"
    assert corpus["Geneva Durben"].title == "T"
    assert corpus["Geneva Durben"].meta["n"] == "3"
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "q"}\n')
    assert len(read_corpus(tmp_path)) == 3  # a folder with a corpus.jsonl is BEIR's


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"_id": "a", "text": "b"}\n{"_id": "a"', "line 2"),
        ("a.jsonl", '{"_id": "a", "text": "b"}\n{"_id": "a", "text": "c"}', "line 1"),
        ("a.jsonl", '{"_id": "a"}', "no text"),
        ("a.jsonl", '{"text": "a"}', "no id"),
        ("a.jsonl", '{"_id": null, "text": "a"}', "None"),
        ("a.jsonl", '{"_id": "a", "text": 3}', "int"),
        ("a.jsonl", "[1]", "list"),
        ("a.csv", "name,words\na,b\n", "name, words"),
        ("a.csv", "id,text\na,b,c\n", "line 2"),
        ("a.csv", 'id,text\na,"b\n', "a.csv:2"),
        ("a.csv", "", "nothing"),
        ("a.json", '{"x": 1}', "SQuAD"),
        ("a.json", '{"data": [{"title": "t"}]}', "article 0"),
        ("a.json", "{", "not JSON"),
        ("a.trec", "<DOC><TEXT>x</TEXT></DOC>", "DOCNO"),
        ("a.trec", "words", "no <DOC>"),
    ],
)
def test_records_that_are_not_in_form_are_refused_with_file_and_line(tmp_path, name, content, says):
    with pytest.raises(InputError) as caught:
        one(tmp_path, name, content)
    assert says in caught.value.what
    assert name in caught.value.what


def test_tables_keep_ids_as_they_are_written(tmp_path):  # kind of case B021
    corpus = one(tmp_path, "a.tsv", 'docid\ttext\trole\n007\t"a\r\nb"\tguide\n7\tnull\t\n1e3\tNA\t\n')
    assert {d.id: d.text for d in corpus} == {"007": "a\r\nb", "7": "null", "1e3": "NA"}
    assert corpus["007"].role == "guide"
    assert one(tmp_path, "b.csv", "ID;Text\nx;a, b\n").documents[0].text == "a, b"


def test_squad_paragraphs_are_numbered_within_their_article(tmp_path):
    corpus = one(
        tmp_path,
        "s.json",
        '{"data": [{"title": "Big_Ben", "paragraphs": [{"context": "a", "qas": []}, {"context": "b", "qas": []}]}]}',
    )
    assert [(d.id, d.title, d.text) for d in corpus] == [
        ("Big_Ben/00", "Big Ben", "a"),
        ("Big_Ben/01", "Big Ben", "b"),
    ]


def test_trec_and_smart_collections_are_recognised(tmp_path):
    trec = "<DOC>\n<DOCNO> FT-1 </DOCNO>\n<TITLE>A &amp; B</TITLE>\n<TEXT>\nx < y\n</TEXT>\n</DOC>\n<DOC><DOCNO>2</DOCNO>z</DOC>"
    for name, options in (("a.trec", {}), ("a.txt", {}), ("b.dat", {"format": "trec"})):
        corpus = one(tmp_path, name, trec, **options)
        assert [d.id for d in corpus] == ["2", "FT-1"]
        assert corpus["FT-1"].title == "A & B"
        assert corpus["FT-1"].text == "A & B\n\nx < y"
    smart = ".I 1\n.T\nFirst\ntitle\n.A\nAda\n.W\nAbstract one.\n.X\n1 5 1\n.I 2\n.W\nOnly words\n"
    corpus = one(tmp_path, "cacm.all", smart)
    assert {d.id: d.text for d in corpus} == {"1": "First title\nAbstract one.", "2": "Only words"}
    assert corpus["1"].meta["author"] == "Ada"


PAGE = """<!doctype html><html><head><title>Refunds</title><meta charset="windows-1252">
<link rel="canonical" href="https://example.org/refunds"></head><body><nav><a href="/">Home</a></nav><main><article>
<h1>Refunds</h1><p>A refund is paid within thirty days of the purchase of a ticket for a guest called J\xfcrgen.</p>
<h2>Exceptions</h2><p>No refund is paid for tickets that were bought at a discount, or lost by the traveller.</p>
<ul><li>discount tickets</li><li>lost tickets</li></ul><script>alert(1)</script></article></main></body></html>"""


def test_a_page_keeps_title_address_headings_and_its_declared_encoding(tmp_path):
    pytest.importorskip("trafilatura")
    corpus = one(tmp_path, "a.html", PAGE.encode("cp1252"))
    document = corpus.documents[0]
    assert (document.title, document.source, document.kind) == (
        "Refunds",
        "https://example.org/refunds",
        "html",
    )
    assert "## Exceptions" in document.text
    assert "Jürgen" in document.text
    assert "alert" not in document.text
    assert "a.html (windows-1252)" in corpus.warnings[0]


def test_a_page_without_a_main_text_gives_all_its_text(tmp_path):
    pytest.importorskip("trafilatura")
    (tmp_path / "x").mkdir()
    root = folder(
        tmp_path, **{"a.html": "<html><body><span>tiny</span><script>no</script></body></html>", "b.html": ""}
    )
    corpus = read_corpus(root)
    assert "tiny" in corpus["a.html"].text
    assert "no" not in corpus["a.html"].text
    assert corpus["b.html"].text == ""


def pdf_of(*pages):
    """A minimal PDF, a line of text a page."""
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>"]
    font = "<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    for i, words in enumerate(pages):
        stream = f"BT /F 12 Tf 50 700 Td ({words}) Tj ET" if words else ""
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources{font}/Contents {4 + 2 * i} 0 R>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    objects.append("<</Title(The Title)>>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{at:010d} 00000 n \n" for at in places)
    trailer = f"trailer<</Size {len(objects) + 1}/Root 1 0 R/Info {len(objects)} 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def test_pages_of_a_pdf_are_parted_by_a_blank_line(tmp_path):
    pytest.importorskip("pypdfium2")
    corpus = one(tmp_path, "a.pdf", pdf_of("First page.", "", "Third page."))
    document = corpus.documents[0]
    assert document.text == "First page.\n\n\n\nThird page."
    assert document.title == "The Title"
    assert "a.pdf (1 of 3)" in corpus.warnings[0]
    with pytest.raises(InputError, match=r"a\.pdf"):
        one(tmp_path, "a.pdf", b"%PDF-1.4 broken")


def docx_of(*paragraphs):
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>'
        for style, words in paragraphs
    )
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{i}"><w:name w:val="{n}"/></w:style>'
        for i, n in (("Heading1", "heading 1"), ("Normal", "Normal"))
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        bundle.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{kind}.styles+xml"/></Types>',
        )
        bundle.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        bundle.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/styles" Target="styles.xml"/></Relationships>',
        )
        bundle.writestr("word/styles.xml", f'<w:styles xmlns:w="{word}">{styles}</w:styles>')
        bundle.writestr(
            "word/document.xml", f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>'
        )
    return out.getvalue()


def test_a_word_file_becomes_markdown(tmp_path):
    pytest.importorskip("markitdown")
    pytest.importorskip("mammoth")
    corpus = one(tmp_path, "a.docx", docx_of(("Heading1", "Travel"), ("Normal", "Grüße aus Köln.")))
    document = corpus.documents[0]
    assert document.text.startswith("# Travel")
    assert "Grüße aus Köln." in document.text
    assert document.title == "Travel"
    with pytest.raises(InputError, match=r"a\.docx"):
        one(tmp_path, "a.docx", b"PK broken")


def test_slides_become_markdown(tmp_path):
    pytest.importorskip("markitdown")
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Safety"
    slide.placeholders[1].text = "Wear a lifejacket."
    deck.save(tmp_path / "a.pptx")
    document = read_corpus(tmp_path / "a.pptx").documents[0]
    assert "Wear a lifejacket." in document.text
    assert document.title == "Safety"


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    import sys

    from evenhand.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtra) as caught:
        one(tmp_path, "a.pdf", pdf_of("x"))
    assert "evenhand[pdf]" in caught.value.mend


@pytest.mark.parametrize("end", [".X", ".X\n", ".X\n1\t5\t1\n", ".X 1 5 1\n", ".X\n1 5 1\n.X\n2 5 2\n"])
def test_r26_cross_references_of_cisi_are_no_words_of_a_document(tmp_path, end):
    corpus = one(tmp_path, "CISI.ALL", f".I 1\n.T\nTitle\n.W\nWords of it.\n{end}")
    assert [d.text for d in corpus] == ["Title\nWords of it."]
