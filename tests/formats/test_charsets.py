"""Web pages are read in the encoding they declare, as browsers do, and what speaks against it is said."""

import pytest

from evenhand.errors import InputError
from evenhand.formats.charsets import charset, declared, decoded
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.encoding import decode, decode_page

# labels and the encodings that browsers mean by them
LABELS = {
    "iso-8859-1": "windows-1252",
    " Latin1\n": "windows-1252",
    "us-ascii": "windows-1252",
    "cp1252": "windows-1252",
    "x-user-defined": "windows-1252",
    "iso-8859-9": "windows-1254",
    "latin5": "windows-1254",
    "tis-620": "windows-874",
    "gb2312": "gbk",
    "sjis": "shift_jis",
    "ks_c_5601-1987": "euc-kr",
    "koi8-ru": "koi8-u",
    "iso-8859-8-i": "iso-8859-8-i",
    "utf-16": "utf-8",
    "x-cp1251": "windows-1251",
}


@pytest.mark.parametrize(("label", "name"), LABELS.items())
def test_a_label_means_what_browsers_mean_by_it(label, name):
    assert charset(label).name == name


def test_labels_that_browsers_do_not_know_or_refuse():
    assert charset("cp37") is None
    with pytest.raises(InputError, match="no browser reads"):
        charset("iso-2022-kr")


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("iso-8859-1", b"5 \x80 \x93a\x94", "5 \u20ac \u201ca\u201d"),
        ("windows-1252", b"\x81\x8d", "\x81\x8d"),
        ("gb2312", b"\x80", "\u20ac"),
        ("shift_jis", b"\x87\x40", "\u2460"),  # the first of NEC's row 13
        ("euc-kr", b"\xb0\xa1\x81\x41", "\uac00\uac02"),
        ("euc-jp", b"\xa1\xc1", "\uff5e"),
        ("koi8-u", b"\xae\xbe", "\u045e\u040e"),
        ("windows-1255", b"\xca", "\u05ba"),
        ("windows-1253", b"a\xd2", "a\ufffd"),
        ("utf-8", b"a\xe9b", "a\ufffdb"),
    ],
)
def test_bytes_mean_what_browsers_mean_by_them(label, data, text):
    assert decoded(data, charset(label))[0] == text


@pytest.mark.parametrize(
    ("page", "label"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META CharSet = 'koi8-r' />", "koi8-r"),
        (b"<!-- <meta charset=utf-8> --><meta charset=koi8-r>", "koi8-r"),
        (b"<p title='<meta charset=utf-8>'><meta charset=koi8-r>", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        (b'<meta name="x" content="text/html; charset=koi8-r">', ""),
        (b"<meta charset=cp37><meta charset=koi8-r>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?><html>", "koi8-r"),
        (b"<?xml version='1.0' encoding='utf-8'?><meta charset=koi8-r>", "koi8-r"),
        (b"<!doctype html><title>a", ""),
        (b"<meta" * 9999, ""),
    ],
)
def test_what_a_page_declares(page, label):
    assert declared(page) == label


def test_in_xml_the_declaration_of_xml_comes_first():
    assert declared(b"<?xml version='1.0' encoding='utf-8'?><meta charset=koi8-r>", xml=True) == "utf-8"
    assert decode_page(b"<p>caf\xe9", where="a.xhtml", xml=True)[:2] == ("<p>caf\ufffd", "utf-8")


def test_a_mark_wins_and_a_contradiction_is_said():
    text, name, said = decode_page(b"\xef\xbb\xbf<meta charset=koi8-r>\xc3\xa9", where="a")
    assert (text[-1], name) == ("\xe9", "utf-8")
    assert "the mark wins" in str(said)
    text, name, said = decode_page(b"<meta charset=windows-1252>\xc3\xa9", where="a")
    assert (text[-2:], name) == ("\xc3\xa9", "windows-1252")
    assert "bytes are UTF-8 though it declares" in str(said)


def test_r22_a_declared_encoding_is_never_guessed_against(tmp_path):
    body = b"<html><head><meta charset=windows-1252><title>A</title></head><body><p>He said \x93a\x81b\x94 to the "
    (tmp_path / "a.html").write_bytes(body + b"whole assembly of the town hall, twice.</p></body></html>")
    corpus = read_corpus(tmp_path)
    assert "He said \u201ca\ufffdb\u201d to the" in corpus.documents[0].text
    told = str(corpus.warnings)
    assert "bytes that mean nothing in its encoding" in told
    assert "a.html (windows-1252)" in told
    assert "mac" not in told


def test_an_undeclared_page_and_a_text_are_western_and_that_is_a_guess(tmp_path):
    assert decode(b"5 \x80 caf\xe9", where="a.txt") == ("5 \u20ac caf\xe9", "windows-1252")
    (tmp_path / "a.txt").write_bytes(b"5 \x80 caf\xe9")
    (tmp_path / "b.html").write_bytes(b"<p>He paid 5 \x80 at the caf\xe9 and left by the other door.</p>")
    told = str(read_corpus(tmp_path).warnings)
    assert "encoding was guessed: a.txt (windows-1252)" in told
    assert "declares no encoding: it was guessed: b.html (windows-1252)" in told
