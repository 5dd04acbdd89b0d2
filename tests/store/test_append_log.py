import os
import threading
import time

import pytest

from evenhand.errors import InputError
from evenhand.store import append_log
from evenhand.store.append_log import Appended, checked, marked


@pytest.fixture
def file(tmp_path):
    made = Appended(tmp_path / "calls" / "calls.jsonl")
    yield made
    made.close()


def lines_of(file):
    return [line for _, line in file.lines() if line != b"\n"]


def test_every_line_is_told_where_it_stands_in_the_order_of_the_file(file):
    told = []
    lines = [marked(b"line %d " % n + b"x" * (n % 700)) for n in range(2000)]

    def work(first):
        for line in lines[first::8]:
            file.add(line, lambda start, end, line=line: told.append((start, end, line)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 2000
    assert sorted(lines_of(file)) == sorted(lines)
    assert told == sorted(told)
    assert all(file.at(start) == line and end - start == len(line) for start, end, line in told)


def test_one_write_serves_all_who_came_while_another_was_under_way(file, monkeypatch):
    write, held, go, writes = os.write, threading.Event(), threading.Event(), []

    def slow(where, data):
        writes.append(data)
        held.set()
        assert go.wait(5)
        return write(where, data)

    monkeypatch.setattr(os, "write", slow)
    order = []
    threads = [
        threading.Thread(target=file.add, args=(marked(b"%d" % n), lambda *_, n=n: order.append(n)))
        for n in range(5)
    ]
    threads[0].start()
    assert held.wait(5)
    for n in range(1, 5):
        threads[n].start()
        while len(file._waiting) <= n:
            time.sleep(0.001)
    assert order == []  # no line is in the file, and nobody was told that it is
    assert all(thread.is_alive() for thread in threads)
    go.set()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
    assert [data.count(b"\n") for data in writes] == [2, 5]  # a blank line before each group
    assert [checked(line) for line in lines_of(file)] == [b"0", b"1", b"2", b"3", b"4"]


def test_what_could_not_be_written_is_kept_and_written_when_there_is_room(file, monkeypatch):
    def full(_file, _data):
        raise OSError(28, "No space left on device")

    told = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        for n in (1, 2):
            with pytest.raises(InputError, match="No space left on device"):
                file.add(marked(b"%d" % n), lambda start, _end: told.append(start))
        with pytest.raises(InputError, match="No space left on device"):
            file.sync()
    assert told == []
    file.sync()
    assert [checked(line) for line in lines_of(file)] == [b"1", b"2"]
    assert len(told) == 2
    assert file.flushes == 1


def test_half_a_write_is_an_error_and_the_lines_come_again_whole(file, monkeypatch):
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda where, data: write(where, data[: len(data) // 2]))
        with pytest.raises(InputError, match="no room is left"):
            file.add(marked(b"a line of some length"), lambda *_: None)
    file.add(marked(b"another"), lambda *_: None)
    assert [checked(line) for line in lines_of(file)] == [None, b"a line of some length", b"another"]


def test_a_flush_covers_what_was_added_before_it_and_serves_all(file):
    for n in range(5):
        file.add(marked(b"%d" % n), lambda *_: None)
    file.sync()
    file.sync()
    assert file.flushes == 1
    file.add(marked(b"5"), lambda *_: None)
    file.sync()
    assert file.flushes == 2


def test_two_threads_that_open_it_at_once_leave_no_second_lock_behind(file, monkeypatch):
    lock, locking = append_log._lock, threading.Event()

    def slow(where, *, exclusive):
        locking.set()
        time.sleep(0.05)
        return lock(where, exclusive=exclusive)

    monkeypatch.setattr(append_log, "_lock", slow)
    first = threading.Thread(target=file.add, args=(marked(b"one"), lambda *_: None))
    first.start()
    assert locking.wait(5)
    assert file.size in (0, 1 + len(marked(b"one")))  # made, and not yet opened by the other
    first.join()
    file.close()
    other = Appended(file.path)
    other.rewrite(iter([marked(b"two")]))
    assert [checked(line) for line in lines_of(other)] == [b"two"]
