"""A check for machines that run tests: JUnit XML, a Markdown summary, annotations of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.report.output.escape import visible
from evenhand.report.output.markdown import cell, tabled
from evenhand.report.sections.regression.tables import MARKS, grids, warned

__all__ = ["github_lines", "junit", "summary"]

# what XML 1.0 cannot hold at all
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(made: Mapping[str, Any]) -> bytes:
    """One test case a comparison and a criterion that counts; what is open is skipped, or fails by policy."""
    from xml.etree import ElementTree as ET

    cases = [*_rows(made), *_criteria(made)]
    counts = {kind: sum(one[2] == kind for one in cases) for kind in ("failure", "skipped")}
    sizes = {"tests": str(len(cases)), "failures": str(counts["failure"]), "errors": "0"}
    sizes["skipped"] = str(counts["skipped"])
    top = ET.Element("testsuites", {"name": "evenhand check", **sizes})
    suite = ET.SubElement(top, "testsuite", {"name": _xml(made["results"]["study"]), **sizes})
    for group, name, kind, told in cases:
        case = ET.SubElement(suite, "testcase", {"classname": _xml(group), "name": _xml(name)})
        if kind:
            inside = ET.SubElement(case, kind, {"message": _xml(told)})
            inside.text = _xml(told)
        else:
            ET.SubElement(case, "system-out").text = _xml(told)
    notes = ET.SubElement(suite, "system-out")
    notes.text = _xml("\n".join([*made["sentences"], *(f"! {line}" for line in warned(made))]))
    ET.indent(top)
    return bytes(ET.tostring(top, encoding="utf-8", xml_declaration=True)) + b"\n"


def _rows(made: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    open_ = {"fail": "failure", "pass": "", "4": "skipped"}[made["inconclusive"]]
    kinds = {"pass": "", "fail": "failure", "inconclusive": open_}
    for row in made["rows"]:
        who = (
            row["system"] if row["system"] == row["against"] else f"{row['system']} against {row['against']}"
        )
        yield f"evenhand.check.{row['metric']}", who, kinds[row["verdict"]], row["sentence"]


def _criteria(made: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    open_ = {"fail": "failure", "pass": "", "4": "skipped"}[made["inconclusive"]]
    kinds = {"met": "", "not met": "failure", "cannot be decided": open_}
    for row in (made["criteria"] or {}).get("rows", ()):
        if row["counts"]:
            yield "evenhand.criteria", row["name"], kinds[row["verdict"]], f"{row['name']}: {row['verdict']}"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def summary(made: Mapping[str, Any]) -> str:
    """Markdown for a pull request: the verdict, the tables, the warnings; texts mark nothing up."""
    first, *rest = made["sentences"]
    head = f"### {MARKS[made['status']]} evenhand check: {made['status']}\n\n**{cell(first)}**"
    parts = [head, *map(tabled, grids(made)), *map(cell, rest)]
    lines = "\n".join(f"- {cell(line)}" for line in warned(made))
    sides = ", ".join(
        f"{name} `{made[name]['report'][:12]}`{_state(made[name])}" for name in ("results", "baseline")
    )
    parts += [lines] if lines else []
    return "\n\n".join([*parts, f"Reports: {sides}."]) + "\n"


def _state(side: Mapping[str, Any]) -> str:
    return f" ({cell(side['state'])})" if side["state"] else ""


def github_lines(made: Mapping[str, Any], *, file: str, lines: Mapping[str, int]) -> Iterator[str]:
    """A line for each comparison that did not pass; *lines*: by metric, where its margin is in *file*."""
    open_ = {"fail": "error", "pass": "notice", "4": "warning"}[made["inconclusive"]]
    for row in made["rows"]:
        if row["verdict"] == "pass":
            continue
        kind = "error" if row["verdict"] == "fail" else open_
        at = f",line={lines[row['metric']]}" if row["metric"] in lines else ""
        title = _property(f"evenhand: {row['system']} {row['verdict']} on {row['metric']}")
        yield f"::{kind} file={_property(file)}{at},title={title}::{_data(row['sentence'])}"
    for row in (made["criteria"] or {}).get("rows", ()):
        if row["counts"] and row["verdict"] != "met":
            kind = "error" if row["verdict"] == "not met" else open_
            told = f"criterion {row['name']}: {row['verdict']}"
            yield f"::{kind} file={_property(file)},title=evenhand::{_data(told)}"


def _data(text: str) -> str:
    """A message on one line: what GitHub would read as an end or a command is escaped its way."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
