"""All commands, mounted: what ``evenhand`` is when typer reads its arguments."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli.shared.command_group import group
from evenhand.cli.shared.runs_code import runs_code

__all__ = ["app"]

HELP = "The truth about your retrieval, and how sure you may be of it."


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"evenhand {version('evenhand')}")
        raise typer.Exit


def _open() -> typer.Typer:
    """All commands, mounted."""
    from evenhand.cli import report
    from evenhand.cli.answers import commands
    from evenhand.cli.evaluate import command as eval_
    from evenhand.cli.evaluate import convert, scores
    from evenhand.cli.gold import commands as gold
    from evenhand.cli.judge import commands as judge
    from evenhand.cli.power import audit
    from evenhand.cli.power import command as power
    from evenhand.cli.server import cache, doctor, store
    from evenhand.cli.server import command as serve
    from evenhand.cli.study import check, demo, new, run, take
    from evenhand.cli.study import commands as study

    app = group(name="evenhand", help=HELP)

    @app.callback()
    def front(
        version: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave."),
        ] = False,
    ) -> None:
        pass

    app.command("demo")(demo.demo)
    app.command("new")(new.new)
    app.command("run")(runs_code(run.run))
    app.command("report")(report.report)
    app.command("take")(take.take)
    app.command("eval")(eval_.eval_)
    app.command("convert")(convert.convert)
    app.command("scores")(scores.scores)
    app.add_typer(gold.app, name="gold")
    app.add_typer(judge.app, name="judge")
    app.add_typer(commands.app, name="answers")
    app.add_typer(store.app, name="store")
    app.add_typer(cache.app, name="cache")
    app.add_typer(study.app, name="study")
    app.command("check")(check.check)
    app.command("audit")(audit.audit)
    app.command("power")(power.power)
    app.command("serve")(serve.serve)
    app.command("doctor")(doctor.doctor)
    return app


app = _open()
