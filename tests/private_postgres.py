"""A throwaway PostgreSQL cluster on a Unix socket, also when the tests run as root (which initdb refuses)."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


def binaries():
    """The folder of initdb and postgres, or None."""
    named = os.environ.get("PG_BINDIR")
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True
    )
    for folder in [*([Path(named)] if named else []), *found]:
        if (folder / "initdb").exists():
            return folder
    which = shutil.which("initdb")
    return Path(which).resolve().parent if which else None


@contextlib.contextmanager
def private_postgres():
    """Yields the URL of an empty database; nothing is left behind."""
    folder = binaries()
    if folder is None:
        raise FileNotFoundError("no PostgreSQL server (on Debian: apt-get install postgresql)")
    # not in pytest's folder: root's may not be entered by user postgres, and a socket's path is short
    base = Path(tempfile.mkdtemp(prefix="ehpg", dir=os.sep + "tmp"))
    who = {}
    if os.geteuid() == 0:
        user = pwd.getpwnam(os.environ.get("PG_OS_USER", "postgres"))
        os.chown(base, user.pw_uid, user.pw_gid)
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(base)}
    server = None
    try:
        made = [folder / "initdb", "-D", base / "d", "-U", "evenhand", "-A", "trust", "-E", "UTF8"]
        subprocess.run(
            [*made, "--locale=C.UTF-8", "--no-sync"],
            check=True,
            env=env,
            cwd=base,
            capture_output=True,
            **who,
        )
        options = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "max_connections=60"]
        with (base / "log").open("wb") as log:
            server = subprocess.Popen(
                [folder / "postgres", "-D", base / "d", "-k", base, "-h", ""]
                + [word for option in options for word in ("-c", option)],
                env=env,
                cwd=base,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **who,
            )
        ready = [folder / "pg_isready", "-q", "-h", base, "-U", "evenhand", "-d", "postgres"]
        end = time.monotonic() + 20
        while subprocess.run(ready, env=env, check=False).returncode:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError((base / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.02)
        yield f"postgresql://evenhand@/postgres?host={base}"
    finally:
        if server is not None and server.poll() is None:
            server.send_signal(signal.SIGQUIT)  # at once: what is in it is thrown away
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(base, ignore_errors=True)


class Cluster:
    """One server for many tests, a fresh database for each."""

    def __init__(self, url):
        self.url = url
        self.count = 0

    def database(self):
        import psycopg

        self.count += 1
        name = f"test_{self.count}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url.replace("/postgres?", f"/{name}?")


@pytest.fixture(scope="session")
def postgres():
    """A running cluster; skipped where there is no server, but never where EVENHAND_CI is set."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        if os.environ.get("EVENHAND_CI"):
            raise
        pytest.skip(f"psycopg is not installed: {error}")
    if binaries() is None and not os.environ.get("EVENHAND_CI"):
        pytest.skip("no PostgreSQL server is installed")
    with private_postgres() as url:
        yield Cluster(url)
