"""Lines added to a file that another process writes anew at the same time: none is lost."""

import threading

from evenhand.formats.append_lines import alone, append_lines
from evenhand.formats.raw_bytes import write_bytes


def test_lines_that_come_while_a_file_is_written_anew_stand_in_the_new_one(tmp_path):
    path = tmp_path / "votes.jsonl"
    append_lines(path, b'{"n": 2}\n{"n": 1}\n')
    adding = threading.Thread(target=append_lines, args=(path, b'{"n": 3}\n'))
    with alone(path):
        before = path.read_bytes()
        adding.start()
        adding.join(0.3)
        assert adding.is_alive()  # it waits
        write_bytes(path, b"".join(sorted(before.splitlines(keepends=True))))
    adding.join(10)
    assert path.read_bytes() == b'{"n": 1}\n{"n": 2}\n{"n": 3}\n'


def test_what_was_torn_is_cut_away_and_a_whole_line_without_an_end_is_kept(tmp_path):
    path = tmp_path / "votes.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 2}\n{"n"')
    append_lines(path, b'{"n": 3}\n')
    assert path.read_bytes() == b'{"n": 1}\n{"n": 2}\n{"n": 3}\n'
    path.write_bytes(b'{"n": 1}\n{"n": 2}')
    append_lines(path, b'{"n": 3}\n')
    assert path.read_bytes() == b'{"n": 1}\n{"n": 2}\n{"n": 3}\n'
