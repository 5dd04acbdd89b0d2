"""Tokens of a block are those that `bytes.split` finds line by line, however the blocks fall."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.formats.runs.row_tokens import Scanner

TOKEN = st.binary(min_size=1, max_size=9).map(
    lambda b: bytes(c for c in b if c not in b" \t\n\r\x0b\x0c") or b"x"
)
BLANK = st.sampled_from([b" ", b" ", b"\t", b"  ", b" \x0b", b"\t\t"])


@st.composite
def files(draw):
    lines = []
    for _ in range(draw(st.integers(0, 10))):
        tokens = draw(st.lists(TOKEN, min_size=0, max_size=8) | st.lists(TOKEN, min_size=6, max_size=6))
        line = draw(BLANK).join(tokens)
        if draw(st.integers(0, 9)) == 0:
            line = b" " + line + b"\r"
        lines.append(line)
    end = draw(st.sampled_from([b"", b"\n", b"\n\n"]))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + b"\n".join(lines) + end


@settings(max_examples=300, deadline=None)
@given(files(), st.sampled_from([4, 16, 64, 1000]), st.randoms(use_true_random=False))
def test_rows_are_lines_of_six_tokens_and_others_stand_aside(data, size, dice):
    scanner, rows, aside = Scanner(io.BytesIO(data), 6, size=size), [], {}

    def judge(at, line):
        aside[at] = line
        return False

    while (block := scanner.read(judge)) is not None:
        done = len(block) if block.last or dice.random() < 0.5 else dice.randint(0, len(block))
        for i in range(done):
            rows.append((int(block.line[i]), [block.ids(c).bytes_of(i) for c in range(6)]))
            assert block.text(i).split() == rows[-1][1]
        scanner.done(block, done)
    lines = list(enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1))
    assert rows == [(at, line.split()) for at, line in lines if len(line.split()) == 6]
    assert {at: line.split() for at, line in aside.items()} == {
        at: line.split() for at, line in lines if len(line.split()) not in (0, 6)
    }


def test_lines_put_aside_can_be_taken_as_rows():
    data = b"a b c d e f\na b c d e f g\na b c\n"
    scanner = Scanner(io.BytesIO(data), 6)
    block = scanner.read(lambda _at, line: len(line.split()) > 6)
    assert block.line.tolist() == [1, 2]
    assert block.ids(5).bytes_of(1) == b"f"
