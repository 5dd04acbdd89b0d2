"""``[panel]``: which models judge, by which sheet, what they judge, and what it may cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.formats.labels.sheet import read_sheet
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.judge.panel.prompt_spec import OWN, PROMPTS, brief_of
from evenhand.judge.sheets.built_in import built_in
from evenhand.model.plan.sections import JudgePlan, PanelPlan

if TYPE_CHECKING:
    from evenhand.model.sheet import Sheet

__all__ = ["JUDGE_KEYS", "LIMIT", "OF", "SHEETS", "read", "sheet_of"]

LIMIT = "max_tokens"  # of a panel's replies, or of one judge's
OF = ("pool", "threshold")
JUDGE_KEYS = ("base_url", "key_env", "parameters", "rung", "price", "api_version")
# sheets on one question and one text, which is what a study has
SHEETS = tuple(name for name in OWN if brief_of(built_in(name)).subject == "question")
SHEETS = tuple(name for name in SHEETS if brief_of(built_in(name)).text and not brief_of(built_in(name)).more)
TOGETHER = "panel"  # in labels, votes and rows: what the judges decide together
EXAMPLE = '[panel.judge.NAME] with model = "provider:name"'


def read(
    book: Book,
    content: Any,
    folder: Path,
    *,
    systems: Sequence[str],
    section: str = "panel",
    sheet: str = "",
) -> PanelPlan | None:
    """The plan of a panel; fewer than three judges or kin among them is for the run to warn of.

    *sheet*: the section has no choice of one.
    """
    if not isinstance(content, Mapping):
        book.wrong(section, "", f"found {content!r}, expected a section", mend=f"write [{section}]")
        return None
    judges = tuple(_judges(book, content.get("judge", {}), section))
    if not judges and not book.problems:
        book.wrong(section, "", "the panel has no judge", mend=f"add {EXAMPLE.replace('panel', section)}")
    table = Table(book, section, {key: value for key, value in content.items() if key != "judge"})
    plain = PanelPlan.__dataclass_fields__
    if not sheet:
        sheet = table.take("sheet", str, plain["sheet"].default)
        try:
            sheet_of(sheet, folder)
        except InputError as error:
            table.wrong("sheet", error.what, mend=error.mend)
    settings: dict[str, Any] = {}
    if table.has("systems"):
        settings["systems"] = list(table.texts("systems"))
        for name in settings["systems"]:
            if name not in systems:
                table.wrong("systems", f"there is no system {name!r}", mend=nearest(name, systems))
    for key, kind, least in (
        ("call_timeout", float, 0.1),
        ("tries", int, 1),
        (LIMIT, int, 16),
        ("seed", int, 0),
    ):
        if table.has(key):
            settings[key] = table.take(key, kind, None, least=least)
    if table.has("prompt"):
        settings["prompt"] = table.name("prompt", PROMPTS, PROMPTS[-1])
    made = PanelPlan(
        judges=judges,
        sheet=sheet,
        of=table.name("of", OF, "pool"),
        depth=table.take("depth", int, plain["depth"].default, least=1),
        votes=table.take("votes", str, plain["votes"].default),
        repeats=table.take("repeats", int, plain["repeats"].default, least=1),
        concurrency=table.take("concurrency", int, plain["concurrency"].default, least=1),
        budget=table.take("budget", float, None, least=0),
        deadline=table.take("deadline", float, None, least=0.1),
        settings=settings,
    )
    if not made.votes.endswith(".jsonl"):
        table.wrong("votes", f"found {made.votes!r}, expected a .jsonl file", mend='votes = "votes.jsonl"')
    table.known.add("judge")
    table.close(
        elsewhere={"model": f"a model is a judge's: {EXAMPLE}", "trust": "trust belongs to [calibration]"}
    )
    return made


def sheet_of(name: str, folder: Path) -> Sheet:
    """The sheet of a panel by name, or of a file in TOML beside the study."""
    if name.endswith(".toml"):
        return read_sheet(folder / name)
    if name not in SHEETS:
        raise InputError(
            f"no sheet on one question and one text is called {name!r}",
            mend=f"{nearest(name, SHEETS)}; or give a file in TOML",
        )
    return built_in(name)


def _judges(book: Book, content: Any, section: str = "panel") -> Iterator[JudgePlan]:
    if not isinstance(content, Mapping) or any(not isinstance(one, Mapping) for one in content.values()):
        example = EXAMPLE.replace("panel", section)
        book.wrong(f"{section}.judge", "", "needs a name for each judge", mend=f"write {example}")
        return
    for name, inner in content.items():
        table = Table(book, f"{section}.judge.{name}", inner)
        if not name.strip() or any(ord(letter) < 33 for letter in name) or "/" in name:
            book.wrong(table.section, "", f"{name!r} cannot be a name", mend="no blank, '/' or control sign")
        if name == TOGETHER:
            book.wrong(
                table.section,
                "",
                f"found a judge named {name!r}, expected another name: that is what all of them are together",
                mend=f"call it by its model: [{section}.judge.MODEL]",
            )
        model = table.take("model", str, "")
        if not model.strip():
            if "model" not in table or isinstance(inner["model"], str):
                book.wrong(table.section, "", "has no model", mend='write model = "provider:name"')
            continue
        family = table.take("family", str, "")
        door = model.partition(":")[0]
        # an object of the user's has settings of its own; paths to recordings and programs have none
        known = () if door in ("recorded", "command") else JUDGE_KEYS
        table.known.update(known)
        settings = (
            table.rest() if door == "python" else {k: v for k, v in table.content.items() if k in known}
        )
        if door != "python" and table.has(LIMIT):  # of its calls; an object of the user's may have its own
            settings[LIMIT] = table.take(LIMIT, int, None, least=16)
        table.close()
        yield JudgePlan(name=name, model=model, family=family, settings=settings)
