"""``evenhand answers``: generate or bring answers and study items, check, rate, diagnose and export them."""

from __future__ import annotations

from evenhand.cli import (
    answers_agree,
    answers_check,
    answers_diagnose,
    answers_files,
    answers_generate,
    answers_rate,
)
from evenhand.cli.code import runs_code
from evenhand.cli.group import group

__all__ = ["app"]

app = group(
    name="answers",
    help="Generated answers and study items: generate, import, check, rate, agree, diagnose, export.",
)
app.command("generate")(runs_code(answers_generate.generate))
app.command("import")(answers_files.import_)
app.command("check")(runs_code(answers_check.check))
app.command("rate")(runs_code(answers_rate.rate))
app.command("ratings")(answers_rate.ratings)
app.command("agree")(answers_agree.agree)
app.command("diagnose")(runs_code(answers_diagnose.diagnose))
app.command("export")(answers_files.export)
