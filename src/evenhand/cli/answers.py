"""``evenhand answers``: generate or bring answers and study items, check, diagnose and export them."""

from __future__ import annotations

from evenhand.cli import answers_check, answers_diagnose, answers_files, answers_generate
from evenhand.cli.group import group

__all__ = ["app"]

app = group(
    name="answers", help="Generated answers and study items: generate, import, check, diagnose, export."
)
app.command("generate")(answers_generate.generate)
app.command("import")(answers_files.import_)
app.command("check")(answers_check.check)
app.command("diagnose")(answers_diagnose.diagnose)
app.command("export")(answers_files.export)
