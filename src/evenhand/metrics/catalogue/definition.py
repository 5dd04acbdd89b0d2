"""What a metric's name stands for, in words that change when its meaning does."""

from __future__ import annotations

from evenhand.errors import InputError
from evenhand.metrics.catalogue.metric_type import judged_only, spell
from evenhand.metrics.catalogue.names import here, kind

__all__ = ["definition"]


def definition(name: str) -> str:
    """The sentence of the catalogue, and every parameter with its value, defaults included.

    A name leaves out what is default, so that the name alone would hide a default that was changed. A
    metric that the catalogue does not know (measured elsewhere) is defined by its name.
    """
    try:
        metric = here(name)
        entry = kind(metric)
    except InputError:
        return f"{name}, measured elsewhere"
    inside = [f"{key}={spell(value)}" for key, value in entry.full(metric).items()]
    inside += ["judged_only=true"] if judged_only(metric) else []
    return f"{metric}: {entry.says} ({', '.join([*inside, f'summed up by {entry.total}'])})"
