"""The site builds offline, its links lead somewhere, and it loads nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.runner import ROOT

OUTSIDE = ("http://", "https://", "mailto:")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [Path(sys.executable).with_name("mkdocs"), "build", "-q", "--strict", "-d", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_builds_strictly(site):
    assert (site / "index.html").is_file()
    assert (site / "reference" / "python.html").read_text().count("doc-object") > 40


def test_the_site_loads_nothing_from_elsewhere(site):
    loaded = []
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded += re.findall(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(https?:[^\"]*)", text)
        loaded += [
            link
            for link in re.findall(r"<link\b[^>]*>", text)
            if "http" in link and 'rel="canonical"' not in link and 'rel="icon"' not in link
        ]
    for sheet in (ROOT / "docs").rglob("*.css"):
        loaded += re.findall(r"url\([^)]*http[^)]*\)|@import", sheet.read_text())
    assert loaded == []


def links(text):
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not target.startswith(OUTSIDE)]


def anchors(path):
    """Anchors of a page, as GitHub and the site make them."""
    made = []
    for line in re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL).split("\n"):
        if line.startswith("#"):
            words = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower())
            made.append(re.sub(r"[\s]+", "-", words).strip("-"))
    return made


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md")),
    ],
)
def test_links_and_anchors_lead_somewhere(page):
    here = ROOT / page
    for target in links(here.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        there = (here.parent / path).resolve() if path else here
        assert there.exists(), f"{page}: {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page}: {target}"


def test_the_picture_is_there_and_small():
    picture = ROOT / "docs" / "img" / "report.png"
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size < 300_000


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"(\S+\.md)\s*$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE))
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert listed == pages


def test_no_page_names_a_machine_path():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(^|[\s\"'(=])/(work|tmp|root|home)/", text), page
