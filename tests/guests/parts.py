"""Parts of packages that cannot be imported whole where no model hub is."""

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType


def ragas(name):
    """A module of Ragas without the package's own start, which needs ``huggingface_hub`` and Google's client.

    ``datasets`` is stood in for: what is used here does not touch it.
    """
    if "datasets" not in sys.modules:
        stand_in = ModuleType("datasets")
        stand_in.__spec__ = ModuleSpec("datasets", None)
        stand_in.Dataset = type("Dataset", (), {})
        stand_in.load_dataset = None
        sys.modules["datasets"] = stand_in
    if "ragas" not in sys.modules:
        spec = importlib.util.find_spec("ragas")
        package = ModuleType("ragas")
        package.__path__ = list(spec.submodule_search_locations)
        package.__spec__ = spec
        sys.modules["ragas"] = package
    return importlib.import_module(f"ragas.{name}")
