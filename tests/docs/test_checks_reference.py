"""The reference of checks has every check and every setting, with its default."""

import re
from dataclasses import fields

from tests.docs.runner import ROOT

from evenhand.answer.checks.run_checks import CHECKS
from evenhand.answer.checks.settings import Settings
from evenhand.formats.guests.answers.registry import READS

TEXT = (ROOT / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
PARTS = {part.split("\n", 1)[0].strip(): part for part in TEXT.split("\n## ")[1:]}


def test_every_check_has_its_half_page():
    for name in CHECKS:
        assert "**Where it misleads.**" in PARTS[name], name
        assert f'show("{name}"' in PARTS[name] or f'show(\n    "{name}"' in PARTS[name], name
    assert list(CHECKS) == [name for name in PARTS if name in CHECKS]


def test_every_setting_stands_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", TEXT, re.MULTILINE))
    assert rows == {
        one.name: f'"{one.default}"' if isinstance(one.default, str) else str(one.default)
        for one in fields(Settings)
    }


def test_every_setting_is_named_by_the_checks_that_heed_it():
    for one in CHECKS.values():
        for name in one.settings:
            assert f"`{name}`" in PARTS[one.name] or name in ("look_in", "language"), (one.name, name)


def test_every_guest_is_named():
    for tool in READS[1:]:
        assert re.search(rf"^\| {tool}", PARTS["Files"], re.MULTILINE | re.IGNORECASE), tool
