"""On the build machine nothing that needs a browser or a database is skipped in silence."""

import functools
import os
import signal

import pytest
import typer
from tests.embedded import embedded  # noqa: F401 - a fixture
from tests.private_postgres import postgres  # noqa: F401 - a fixture

# Output is as wide as in a pipe, in processes of their own too: reading the terminal's size, readline, which
# pytest brings, leaves COLUMNS=80 in the environment of each worker.
os.environ["COLUMNS"] = "110"

# No test writes into the user's own folders; what one looks at is not known to the next.
os.environ["EVENHAND_STATE"] = "off"

# A process parses one command; this one parses thousands, and the tree of commands is the same each time.
typer.main.get_command = functools.cache(typer.main.get_command)

# Where the tests run in the background of a shell, Ctrl+C is ignored, and what they start would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

NEEDED = ("chromium", "playwright", "browser", "postgres")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With EVENHAND_CI set, a test that skips for a missing browser or database fails."""
    outcome = yield
    report = outcome.get_result()
    if not (report.skipped and os.environ.get("EVENHAND_CI")) or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if any(word in reason.lower() for word in NEEDED):
        report.outcome = "failed"
        report.longrepr = f"{reason} (EVENHAND_CI is set: it must be there)"


# Files that take longest, longest first: two workers then end together (`--dist loadfile`, as in `make test`).
LONGEST = (
    "docs/test_pages.py",
    "e2e/test_desk.py",
    "e2e/test_demo.py",
    "e2e/test_workbench.py",
    "e2e/test_run.py",
    "e2e/test_desk_killed.py",
    "study/test_panel_real.py",
    "study/generation/test_answers_real.py",
    "e2e/test_canaries.py",
    "study/verification/test_verify.py",
    "e2e/test_rubric.py",
    "cli/answers/test_rate.py",
    "examples/test_public_collections.py",
    "store/test_kill.py",
)


def pytest_collection_modifyitems(items):
    place = {f"tests/{name}": i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(place)))
