"""``evenhand answers``: generate or bring answers and study items, check, rate, diagnose and export them."""

from __future__ import annotations

from evenhand.cli.answers import agree, diagnose, generate, import_export, rate
from evenhand.cli.answers import check as answers_check
from evenhand.cli.shared.command_group import group
from evenhand.cli.shared.runs_code import runs_code

__all__ = ["app"]

app = group(
    name="answers",
    help="Generated answers and study items: generate, import, check, rate, agree, diagnose, export.",
)
app.command("generate")(runs_code(generate.generate))
app.command("import")(import_export.import_)
app.command("check")(runs_code(answers_check.check))
app.command("rate")(runs_code(rate.rate))
app.command("ratings")(rate.ratings)
app.command("agree")(agree.agree)
app.command("diagnose")(runs_code(diagnose.diagnose))
app.command("export")(import_export.export)
