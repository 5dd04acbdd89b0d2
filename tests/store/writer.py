"""A judge at a desk who answers without pause: one line on standard output for each acknowledged act.

    python tests/store/writer.py STORE DESK NAME FIRST

Act number i is an undo when i % 7 is 6, else an answer; its token is NAME-i, so that a writer which was
killed goes on with the act that was not acknowledged and the store knows it again.
"""

import sys

from evenhand.model.judging import Entry
from evenhand.store.open import open_store


def act(store, desk, tasks, sheet, *, name, i):
    token = f"{name}-{i}"
    if i % 7 == 6:
        store.undo(desk, token=token, at="2026")
        return
    task = tasks[i % len(tasks)]
    grade = float((i // len(tasks)) % 3)
    comment = f"{name} {i}"  # no two answers say the same, so that each is an entry of its own
    store.save(
        Entry(
            desk=desk,
            task=task.id,
            token=token,
            kind="grade",
            grade=grade,
            comment=comment,
            sheet=sheet,
            at="2026",
        )
    )


def main():
    where, desk, name, first = sys.argv[1:]
    store = open_store(where)
    tasks = store.tasks(desk)
    sheet = store.desk(desk).sheet
    for i in range(int(first), int(first) + 1_000_000):
        act(store, desk, tasks, sheet, name=name, i=i)
        print(f"{name}-{i}", flush=True)


if __name__ == "__main__":
    main()
