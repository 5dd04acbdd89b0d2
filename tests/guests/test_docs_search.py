"""What docs/how-to/guests-search.md shows of frameworks is run here, where they are installed."""

import json
import re
import sys
from pathlib import Path

import pytest
from tests.docs.runner import ROOT, Page

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # the frameworks' own
PAGE = "docs/how-to/guests-search.md"


@pytest.fixture
def text():
    found = (ROOT / PAGE).read_text(encoding="utf-8")
    return found.replace("<!-- guests -->", "<!-- run -->")


def test_the_frameworks_of_the_page_are_systems_of_its_study(text, tmp_path, monkeypatch):
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    start, end = text.index("## LangChain"), text.index("## Databases")
    intro = text[: text.index("## What is the same for all")]
    shown = re.sub(
        r"```toml\n\[system", '```toml title="Add to mystudy/study.toml"\n[system', text[start:end]
    )
    run = "\n```console\n$ evenhand run mystudy/study.toml -q\n…\n```\n"
    page = Page(PAGE, tmp_path, intro + shown + run)
    page.go()
    assert page.failures == []
    report = json.loads((tmp_path / "mystudy" / "results" / "report.json").read_text())
    about = {one["name"]: one for one in report["systems"]}
    told = {name: about[name]["provenance"].get("framework") for name in ("chain", "llama", "stack")}
    assert told == {"chain": "LangChain", "llama": "LlamaIndex", "stack": "Haystack"}
    assert not any("unresolved" in about[name]["notes"] for name in told)
    for name in ("chain", "llama", "stack"):
        sys.modules.pop(name, None)
    assert Path(PAGE).name in {path.name for path in (ROOT / "docs/how-to").iterdir()}
