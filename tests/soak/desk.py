"""The desk under strain: a hundred kills of the server, and fifty judges at once.

    python -m tests.soak.desk [LOG]

Prints, and appends to LOG when one is named: what was done, what was acknowledged, what is in the store, and
the times of a save (50 judges on SQLite, each with a second between two answers on average). Takes some
minutes; not part of the tests.
"""

import os
import platform
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.e2e.serving import Program, held_against, judge, killed
from tests.web.house import AT, stocked

KILLS = 50  # twice: on two desks, and on one desk in two tabs
JUDGES = 50
SECONDS = 40
PAUSE = 1.0
GOAL = 50  # ms, p95 of a save


def hundred_kills(folder):
    for shared in (False, True):
        where = folder / f"kills-{shared}.sqlite"
        told, desks = killed(where, kills=KILLS, shared=shared, seconds=(0.05, 0.5), seed=7)
        stored = held_against(where, told, desks)
        yield (
            f"SQLite, two judges {'in two tabs of one desk' if shared else 'at two desks'}: {KILLS} kills with -9, "
            f"{sum(map(len, told.values()))} acts acknowledged, {stored} entries stored, none lost, none doubled"
        )


def fifty_judges(folder):
    where = folder / "load.sqlite"
    names = [f"judge{i:02d}" for i in range(JUDGES)]
    store, desks = stocked(where, [f"text {i} " + "word " * 80 for i in range(200)], judges=tuple(names))
    tokens = {name: store.grant(name, "judge", at=AT)[1] for name in names}
    tasks = {name: [task.id for task in store.tasks(desks[name])] for name in names}
    store.close()
    program, stop = Program(where).start(), threading.Event()
    told, times, faults = {name: [] for name in names}, {name: [] for name in names}, []

    def run(name):
        try:
            judge(
                program, tokens[name], desks[name], name, tasks=tasks[name], told=told[name], stop=stop,
                times=times[name], pause=PAUSE,
            )  # fmt: skip
        except BaseException as error:  # noqa: BLE001 - told below
            faults.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in names]
    try:
        for thread in threads:
            thread.start()
        time.sleep(SECONDS)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        program.kill()
    assert faults == [], faults[0]
    stored = held_against(where, told, desks)
    spent = sorted(1000 * second for each in times.values() for second in each[2:])
    at = {q: spent[min(len(spent) - 1, len(spent) * q // 100)] for q in (50, 95, 99)}
    met = "met" if at[95] < GOAL else "NOT met"
    yield (
        f"SQLite, {JUDGES} judges at once for {SECONDS} s: {len(spent)} saves, {stored} entries stored; "
        f"p50 {at[50]:.1f} ms, p95 {at[95]:.1f} ms, p99 {at[99]:.1f} ms; p95 < {GOAL} ms: {met}"
    )


def main():
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    head = (
        f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for step in ([head], fifty_judges(Path(folder)), hundred_kills(Path(folder))):
            for line in step:
                print(line, flush=True)
                if log:
                    with log.open("a", encoding="utf-8") as file:
                        file.write(line + "\n")


if __name__ == "__main__":
    main()
