"""Embeddings of the handbook, made once by whoever of a session's workers needs them first."""

import contextlib
import fcntl
import os
import shutil

import pytest


@pytest.fixture(scope="session")
def embedded(tmp_path_factory):
    """``with embedded(folder)``: *folder* of a cache holds what was embedded before; else it is kept from there.

    Vectors are named by their content, so that what another study made is found or not, and never wrong.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base

    @contextlib.contextmanager
    def held(folder):
        known = shared / "embedded"
        with (shared / "embedded.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if known.is_dir():
                fcntl.flock(lock, fcntl.LOCK_UN)
                shutil.copytree(known, folder)
                yield
                return
            yield
            if folder.is_dir():
                shutil.copytree(folder, known)

    return held
