"""On the build machine nothing that needs a browser is skipped in silence."""

import os

import pytest

NEEDED = ("chromium", "playwright", "browser")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With EVENHAND_CI set, a test that skips for a missing browser fails."""
    outcome = yield
    report = outcome.get_result()
    if not (report.skipped and os.environ.get("EVENHAND_CI")) or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if any(word in reason.lower() for word in NEEDED):
        report.outcome = "failed"
        report.longrepr = f"{reason} (EVENHAND_CI is set: a browser must be there)"
