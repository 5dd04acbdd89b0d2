"""A finished report to look at where one works: its page in a notebook, its figures as frames."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["Page", "page"]

TALL = 720  # pixels of the frame in a notebook


@dataclass(frozen=True)
class Page:
    """``report`` is the JSON of a report, checked; the page is made of it and of nothing else."""

    report: Mapping[str, Any]

    @cached_property
    def html(self) -> str:
        """The page, one self-contained file; without pictures where the extra ``plots`` is missing."""
        from importlib.util import find_spec

        from evenhand.report.output.html import render

        return render(self.report, plots=find_spec("vl_convert") is not None)

    def _repr_html_(self) -> str:
        # a document of its own, so that neither its style nor the notebook's reaches the other; no script
        # of it can touch the notebook
        return (
            f'<iframe title="Report" srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{TALL}px;border:1px solid currentColor"></iframe>'
        )


def page(results: str | os.PathLike[str]) -> Page:
    """The page of a results folder, or of a report.json.

    Raises InputError for what is no report, SealBroken where the manifest beside it names another content.
    """
    from evenhand.formats.results.folder import read_report
    from evenhand.report.schema.whole_report import check

    path, report, _ = read_report(Path(results))
    check(report, name=str(path))
    return Page(report)
