"""From questions and units to runs."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """``evenhand.retrieve`` is this package and, called, the verb: loading a part of it hides no name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from evenhand.retrieve.search import retrieve

        return retrieve(*arguments, **options)


sys.modules[__name__].__class__ = _Package
