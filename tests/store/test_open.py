"""Making, opening and upgrading a store; what is damaged is found; a copy while it is in use."""

import json
import sqlite3
import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text
from sqlalchemy.exc import DatabaseError

from evenhand.cli.main import main
from evenhand.errors import InputError, Unreachable
from evenhand.model.judging import Task
from evenhand.store import open as opening
from evenhand.store import schema
from evenhand.store.desks import save
from evenhand.store.open import create_store, engine_of, open_store, upgrade
from evenhand.store.pools import add_pool
from evenhand.testing import SHEET, TEXTS, entry, filled, small_pool, worked


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a store can be made, on each database."""
    if request.param == "sqlite":
        return tmp_path / "judgements.sqlite"
    return request.getfixturevalue("postgres").database()


def test_an_absent_store_is_two_lines_and_nothing_is_made(tmp_path, capsys):
    where = tmp_path / "none.sqlite"
    assert main(["store", "check", str(where)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "there is no store" in said[0]
    assert "evenhand store init" in said[1]
    assert list(tmp_path.iterdir()) == []


def test_an_absent_store_in_postgresql_is_refused_and_no_table_is_made(postgres):
    where = postgres.database()
    with pytest.raises(InputError, match="there is no store"):
        open_store(where)
    engine = engine_of(where)
    with engine.connect() as connection:
        assert opening.revision(connection) is None
    engine.dispose()


def test_a_server_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(Unreachable) as caught:
        open_store("postgresql://ann:hunter2@127.0.0.1:1/x?connect_timeout=2")
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1" in caught.value.what


@pytest.mark.parametrize(
    ("where", "said"),
    [("mysql://u@h/d", "mysql"), ("postgresql://h:port/d", "URL"), ("sqlite://x", "sqlite")],
)
def test_other_databases_are_refused(where, said):
    with pytest.raises(InputError, match=said):
        open_store(where)


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("not a database")
    for act in (open_store, create_store):
        with pytest.raises(InputError, match="not a store"):
            act(other)
    assert other.read_text() == "not a database"
    with pytest.raises(InputError, match="folder"):
        create_store(tmp_path / "none" / "x.sqlite")


def test_a_database_of_something_else_is_no_store(tmp_path):
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(InputError, match="there is no store"):
        open_store(other)


def test_making_a_store_again_keeps_what_is_in_it(place):
    store = create_store(place)
    filled(store)
    store.close()
    again = create_store(place)
    assert len(again.desks()) == 2
    again.close()


def test_two_that_make_the_same_store_at_once_both_succeed(place):
    wrong = []

    def make():
        try:
            create_store(place).close()
        except Exception as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    store = open_store(place)
    assert store.check() == []
    store.close()


def test_the_newest_revision_is_the_one_this_evenhand_writes():
    assert ScriptDirectory.from_config(opening._config()).get_current_head() == opening.REVISION


def test_the_revisions_make_the_tables_of_the_schema(place):
    store = create_store(place)
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "eh_revision"})
        differences = [
            one
            for one in compare_metadata(context, schema.metadata)
            if not (one[0] == "remove_table" and one[1].name == "eh_revision")
        ]
    store.close()
    assert differences == []


def test_a_store_of_the_first_revision_is_refused_then_brought_up_to_date_with_all_that_is_in_it(place):
    engine = engine_of(place, make=True)
    pool = small_pool()
    with engine.execution_options(eh_write=True).begin() as connection:
        upgrade(connection, "0001")
        add_pool(connection, pool, TEXTS, at="2026")
        connection.execute(
            schema.content.insert(),
            [{"seal": SHEET.seal, "kind": "sheet", "body": json.dumps(SHEET.as_json())}],
        )
        desk = {"id": "old", "pool": pool.seal, "judge": "ann", "kind": "judge", "sheet": SHEET.seal}
        connection.execute(schema.desk.insert(), [{**desk, "total": 1, "at": "2026", "body": "{}"}])
        task = {
            "id": "t",
            "desk": "old",
            "position": 0,
            "item": pool.items[0].id,
            "kind": "main",
            "body": "[]",
        }
        connection.execute(schema.task.insert(), [task])
        save(connection, entry(Task(id="t", desk="old", position=0, item=pool.items[0].id), token="a"))  # noqa: S106
    engine.dispose()
    with pytest.raises(InputError, match="older form") as caught:
        open_store(place)
    assert "evenhand store init" in caught.value.mend
    store = create_store(place)
    assert store.check() == []
    assert [one.grade for one in store.book("old")] == [1.0]
    ann, token = store.grant("Ann", "judge", at="2026")
    assert store.admit(token) == ann
    store.close()


def test_a_store_of_a_newer_evenhand_is_refused(tmp_path):
    where = tmp_path / "judgements.sqlite"
    store = create_store(where)
    with store.engine.execution_options(eh_write=True).begin() as connection:
        connection.execute(text("UPDATE eh_revision SET version_num = '9999'"))
    store.close()
    for act in (open_store, create_store):
        with pytest.raises(InputError, match="newer"):
            act(where)


def test_the_database_itself_refuses_to_change_or_delete_a_row(place):
    store = create_store(place)
    worked(store)
    for table in schema.metadata.sorted_tables:
        column = next(iter(table.columns))
        for statement in (table.update().values({column.name: column}), table.delete()):
            with (
                pytest.raises(DatabaseError, match="only ever adds"),
                store.engine.execution_options(eh_write=True).begin() as connection,
            ):
                connection.execute(statement)
    assert store.check() == []
    store.close()


DAMAGE = {
    "text": ("UPDATE eh_text SET body = 'forged' WHERE sha256 = (SELECT min(sha256) FROM eh_text)", "text "),
    "item": ("UPDATE eh_item SET doc = 'other'", "item "),
    "payload": ("UPDATE eh_content SET body = '{}' WHERE kind = 'card'", "payload "),
    "pool": ("UPDATE eh_pool_item SET probability = 0.25", "pool "),
    "gap": ("DELETE FROM eh_entry WHERE number = 2", "follows number"),
    "grade of evidence": (
        """UPDATE eh_entry SET body = replace(body, '"evidence":[[0,2,', '"evidence":[[1,3,')""",
        "evidence of entry",
    ),
    "count": ("UPDATE eh_entry SET done = 7 WHERE number = 1", "counts 7"),
    "task": ("DELETE FROM eh_task WHERE position = 9", "should have 10 tasks"),
    "orphan": ("DELETE FROM eh_text WHERE sha256 = (SELECT min(sha256) FROM eh_text)", "is not there"),
    "spare text": ("INSERT INTO eh_text VALUES ('ab', x'00')", "belong to no item"),
    "log": ("DELETE FROM eh_line WHERE log = 'gold' AND number = 1", "the last is number 2"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_check_finds_what_was_changed_behind_its_back(what, tmp_path):
    where = tmp_path / "judgements.sqlite"
    store = create_store(where)
    worked(store)
    store.append("gold", {"edit": 2})
    assert store.check() == []
    store.close()
    statement, said = DAMAGE[what]
    connection = sqlite3.connect(where)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    assert connection.execute(statement).rowcount >= 1
    connection.commit()
    connection.close()
    store = open_store(where)
    faults = store.check()
    store.close()
    assert any(said in fault for fault in faults), faults
    assert main(["store", "check", str(where)]) == 3


def test_a_copy_made_while_others_write_is_whole(tmp_path):
    store = create_store(tmp_path / "judgements.sqlite")
    tasks = filled(store)["desk-ann"]
    stop = threading.Event()

    def write():
        i = 0
        while not stop.is_set():
            store.save(entry(tasks[i % 10], float(i // 10 % 2), token=f"t{i}"))
            i += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        store.backup(tmp_path / "copy.sqlite")
    finally:
        stop.set()
        writer.join()
    copy = open_store(tmp_path / "copy.sqlite")
    book, whole = list(copy.book("desk-ann")), list(store.book("desk-ann"))
    assert copy.check() == []
    assert book == whole[: len(book)]
    copy.close()
    with pytest.raises(InputError, match="exists already"):
        store.backup(tmp_path / "copy.sqlite")
    store.close()
    assert sorted(p.name for p in tmp_path.iterdir() if "tmp" in p.name) == []


def test_an_export_of_one_database_is_the_export_of_the_other_to_the_byte(tmp_path, postgres):
    places = [str(tmp_path / "one.sqlite"), postgres.database()]
    first = create_store(places[0])
    worked(first)
    first.close()
    create_store(places[1]).close()
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    assert main(["store", "export", places[0], "--to", str(files[0])]) == 0
    assert main(["store", "import", places[1], "--from", str(files[0])]) == 0
    assert main(["store", "export", places[1], "--to", str(files[1])]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert main(["store", "backup", places[1], "--to", str(tmp_path / "three.jsonl")]) == 0
    assert (tmp_path / "three.jsonl").read_bytes() == files[0].read_bytes()
    assert main(["store", "export", places[1], "--to", str(files[1])]) == 2


def test_a_broken_line_of_an_export_is_named_and_nothing_is_taken_in(tmp_path, capsys):
    store = create_store(tmp_path / "one.sqlite")
    worked(store)
    store.close()
    create_store(tmp_path / "two.sqlite").close()
    file = tmp_path / "x.jsonl"
    main(["store", "export", str(tmp_path / "one.sqlite"), "--to", str(file)])
    lines = file.read_text().splitlines()
    lines[5] = lines[5][:-3]
    file.write_text("\n".join(lines))
    capsys.readouterr()
    assert main(["store", "import", str(tmp_path / "two.sqlite"), "--from", str(file)]) == 2
    assert "line 6" in capsys.readouterr().err
    two = open_store(tmp_path / "two.sqlite")
    with two.engine.connect() as connection:
        assert connection.execute(select(schema.content)).first() is None
    two.close()
