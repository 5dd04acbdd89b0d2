"""Where the shared reference data lie; tests that need them skip with the reason when they are absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data folder ../shared is absent")
