"""Where work runs, and nothing else: the engine never changes a result.

`evenhand.engine.local` is the processes of this machine, `evenhand.engine.dask` and `evenhand.engine.ray` are
clusters by address; `evenhand.engine.factory` makes one of what a study file or ``--engine`` says.
"""
