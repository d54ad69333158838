"""A PostgreSQL server for tests: Debian's package, in a directory of its own, on a Unix socket alone, by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path("/usr/lib/postgresql")
PASSWORD = "hunter2-canary"
USER = "reader_canary"
SETTINGS = ("listen_addresses=", "fsync=off", "max_connections=10", "shared_buffers=16MB")


@dataclass(frozen=True)
class Server:
    """A server that runs; `address` is for the user of the tests, who has a password."""

    directory: Path
    programs: Path

    @property
    def address(self) -> str:
        return self.address_of(f"{USER}:{PASSWORD}")

    def address_of(self, user: str) -> str:
        return f"postgresql://{user}@/postgres?host={self.directory}"

    def run(self, *statements: str) -> None:
        """Run statements as the owner of the database."""
        words = [word for statement in statements for word in ("-c", statement)]
        _run(self.programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U", "owner", "postgres", *words)


@contextmanager
def running() -> Iterator[Server]:
    """A server for the time of a test module; skips where the package is not installed."""
    found = sorted(PROGRAMS.glob("*/bin"))
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    if os.getuid() == 0 and not _has_user("postgres"):
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    programs = found[-1]
    place = Path(tempfile.mkdtemp(prefix="shoal-pg-", dir="/tmp"))  # the path of a socket must be short
    data = place / "data"
    try:
        if os.getuid() == 0:
            shutil.chown(place, "postgres")
        _run(programs / "initdb", "-D", data, "-U", "owner", "-A", "scram-sha-256", "--pwfile", _password(place), "-E", "UTF8", "--no-sync")
        (data / "pg_hba.conf").write_text("local all owner trust\nlocal all all scram-sha-256\n")
        options = " ".join(f"-c {setting}" for setting in (*SETTINGS, f"unix_socket_directories={place}"))
        _run(programs / "pg_ctl", "-D", data, "-o", options, "-l", place / "log", "-w", "start")
        try:
            yield Server(place, programs)
        finally:
            _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _password(place: Path) -> Path:
    file = place / "password"
    file.write_text("of the owner\n")
    file.chmod(0o644)
    return file


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _run(*words: str | Path) -> None:
    """A program of PostgreSQL, which refuses to run as root."""
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    done = subprocess.run([str(word) for word in words], capture_output=True, cwd="/", check=False, **user)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr.decode()
