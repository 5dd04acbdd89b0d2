"""The results folder and new folders: whole or not at all."""

import hashlib

import pytest

from evenhand.errors import InputError
from evenhand.formats.results.folder import write_new, write_results


def there(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_every_file_is_written_and_listed(tmp_path):
    write_results(
        tmp_path / "r", {"a.json": b"{}", "runs/b": b"x", "costs.json": b"1"}, unlisted=("costs.json",)
    )
    assert there(tmp_path / "r") == ["MANIFEST.sha256", "a.json", "costs.json", "runs/b"]
    lines = (tmp_path / "r" / "MANIFEST.sha256").read_text().splitlines()
    assert lines == [
        f"{hashlib.sha256(b'{}').hexdigest()}  a.json",
        f"{hashlib.sha256(b'x').hexdigest()}  runs/b",
    ]


def test_files_of_an_earlier_run_go_and_strangers_stay(tmp_path):
    write_results(tmp_path, {"a": b"1", "runs/old": b"2"})
    (tmp_path / "mine").write_text("3")
    write_results(tmp_path, {"a": b"4"})
    assert there(tmp_path) == ["MANIFEST.sha256", "a", "mine"]
    assert (tmp_path / "a").read_bytes() == b"4"


def test_a_manifest_cannot_make_us_delete_outside_the_folder(tmp_path):
    (tmp_path / "precious").write_text("x")
    folder = tmp_path / "r"
    folder.mkdir()
    lines = [f"{'0' * 64}  ../precious", f"{'0' * 64}  {tmp_path / 'precious'}"]
    (folder / "MANIFEST.sha256").write_text("\n".join(lines))
    write_results(folder, {"a": b"1"})
    assert (tmp_path / "precious").read_text() == "x"


def test_nothing_is_left_behind_when_a_file_cannot_be_written(tmp_path):
    (tmp_path / "runs").write_text("a file where a folder must be")
    with pytest.raises(InputError, match="cannot be written"):
        write_results(tmp_path, {"a": b"1", "runs/b": b"2"})
    assert there(tmp_path) == ["runs"]


def test_a_new_folder_is_there_whole(tmp_path):
    write_new(tmp_path / "x" / "new", {"a": b"1", "docs/b": b"2"})
    assert there(tmp_path) == ["x/new/a", "x/new/docs/b"]


def test_an_empty_folder_may_be_filled_and_another_may_not(tmp_path):
    (tmp_path / "empty").mkdir()
    write_new(tmp_path / "empty", {"a": b"1"})
    with pytest.raises(InputError, match="there already"):
        write_new(tmp_path / "empty", {"a": b"2"})
    assert (tmp_path / "empty" / "a").read_bytes() == b"1"
