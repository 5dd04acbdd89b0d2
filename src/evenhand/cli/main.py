"""The front door. Heavy libraries are imported inside the commands, so that ``--help`` is quick.

A deliberate error becomes two lines (what is wrong, and the mend) and its exit code; an interrupt one line
and 130; anything else is our fault: a traceback, a line that says where to report it, and 70.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main", "run"]

ISSUES = "the issue tracker of evenhand"
UNEXPECTED = 70
INTERRUPTED = 130


def __getattr__(name: str) -> Any:
    if name == "app":
        from evenhand.cli.app import app

        return app
    raise AttributeError(name)


def _front(args: list[str], **options: Any) -> Any:
    """What the arguments ask for: at once where they are plain, else as typer understands them."""
    from evenhand.cli.shared import fast_arguments

    plain = fast_arguments.options(args)
    if plain is not None:
        from evenhand.cli.evaluate.evaluate import evaluate

        return evaluate(**plain)
    from evenhand.cli.app import app

    return app(args=args, **options)


def say(error: EvenhandError) -> None:
    """Two lines on standard error for each problem: what is wrong, and the mend."""
    from evenhand.report.output.terminal import clean

    for one in getattr(error, "problems", (error,)):
        print(f"evenhand: {clean(one.what)}", file=sys.stderr)
        print(f"  mend: {clean(one.mend)}", file=sys.stderr)


def main(argv: Sequence[str] | None = None, *, front: Callable[..., Any] = _front) -> int:
    """Run one command and return its exit code; never raises, and prints what went wrong."""
    from evenhand.cli.shared.offline import keep
    from evenhand.plugins import code
    from evenhand.report.output.terminal import mend_stream

    mend_stream(sys.stdout)
    mend_stream(sys.stderr)
    keep()
    try:
        args = list(sys.argv[1:] if argv is None else argv)
        with code(runs=False):  # but for the commands that say so: see `evenhand.cli.shared.runs_code`
            status = front(args=args, prog_name="evenhand", standalone_mode=False)
        sys.stdout.flush()
    except EvenhandError as error:
        say(error)
        return error.exit_code
    except RecursionError:
        say(InputError("a file that was given is nested too deeply", mend="look for one of many brackets"))
        return InputError.exit_code
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        return _unread()
    except SystemExit as leaving:
        # whoever read our output has gone (`| head`): typer swallows that and leaves with 1
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            return _unread()
        status = leaving.code
    except Exception as error:  # noqa: BLE001 - the last door: nothing is raised past it
        return _usage(error) if hasattr(error, "format_message") else _unexpected()
    if status == INTERRUPTED:  # typer turns the interrupt into a code
        print("evenhand: interrupted; what was finished is kept, run again to go on", file=sys.stderr)
    return status if isinstance(status, int) else 0


def _unread() -> int:
    """Nothing is wrong when nobody reads on; what is still in the buffers goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _usage(error: Any) -> int:
    """What typer has to say of the arguments, in our two lines."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        return 0
    where = error.ctx.command_path if getattr(error, "ctx", None) else "evenhand"
    known = list(getattr(error, "possibilities", None) or ())
    mend = f"did you mean {known[0]}? " if known else ""
    what = getattr(error, "message", "") if known else error.format_message()
    say(InputError(str(what).rstrip("."), mend=f"{mend}`{where} --help` says what there is"))
    return 2


def _unexpected() -> int:
    import traceback

    traceback.print_exc()
    print(
        "evenhand: this is a fault of evenhand, not of yours\n"
        f"  mend: please report it with the lines above and `evenhand doctor --json` to {ISSUES}",
        file=sys.stderr,
    )
    return UNEXPECTED


def run() -> None:
    """The entry point of the ``evenhand`` program."""
    sys.exit(main())
