"""``python -m evenhand`` is the same as ``evenhand``."""

from evenhand.cli.main import run

if __name__ == "__main__":
    run()
