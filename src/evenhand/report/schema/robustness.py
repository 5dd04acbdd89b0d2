"""Rows of report.json on a stress test."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evenhand.report.schema.panel import NumberRow
from evenhand.report.schema.shared import Row

__all__ = ["StressRow"]


class StressSheetRow(Row):
    """The suite under one sheet; ``rows``: see `evenhand.judge.robustness.rates.rows`."""

    sheet: str
    sheet_seal: str
    prompt: str
    yes: float
    base: dict[str, dict[str, int]]
    skipped: dict[str, int]
    judges: list[dict[str, str]]
    rows: list[dict[str, Any]]
    numbers: dict[str, NumberRow]


class StressRow(Row):
    """What ``stress.json`` says, but for its warnings, which stand with the others of the report.

    ``not_run`` names every perturbation without a trial, and why.
    """

    form: str = Field(alias="schema")
    suite: str
    level: float
    judges: list[dict[str, str]]
    sheets: list[StressSheetRow]
    given: dict[str, list[dict[str, Any]]]
    not_run: list[dict[str, str]]
    votes: dict[str, int]
    complete: bool
    numbers: dict[str, NumberRow]
    sentences: list[str]
