"""Where work runs, and nothing else: the engine never changes a result.

`Local` is the processes of this machine, `Dask` and `Ray` are clusters by address. `engine_of` makes one of
what a study file or ``--engine`` says.
"""

from __future__ import annotations

from evenhand.engine.dask import Dask
from evenhand.engine.local import Local
from evenhand.engine.named import at_work, checked, engine_of
from evenhand.engine.ray import Ray

__all__ = ["Dask", "Local", "Ray", "at_work", "checked", "engine_of"]
