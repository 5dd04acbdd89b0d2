"""These tests need the packages of guests: `make guests` runs them in a venv of their own (requirements/guests.txt)."""

from importlib.util import find_spec

# the test suite's own venv has none of them: nothing here is collected there
collect_ignore_glob = [] if find_spec("lancedb") else ["test_*.py"]
