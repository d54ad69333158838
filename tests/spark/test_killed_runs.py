"""kill -9 of a run on Spark at any moment: the next run removes all that is left, and nobody else could read any of it.

One of three moments is tried at each commit; `--all-signals` tries 20.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helpers.cli import Shell
from helpers.cluster import PATIENCE, SHORT_RUNS
from helpers.rotation import current_turn
from shoal.io import partial_outputs as unfinished

PEOPLE, WORDS = 60, ("apple", "river", "piano", "doctor", "garden", "horse", "window")
LIBRARY = re.compile(r"lib[\w.-]+\.so(\.lck)?")  # of Java, unpacked into its directory for temporary files: no rows
TEMPORARY = {"tmp", "java"}
METHODS = {
    "rows move in Java": ["--method", "dp-queries", "--mechanism", "weighted", "--epsilon", "20", "--delta", "0.01"],
    "rows move in Python": ["--method", "clump", "--k", "3"],
}
ENTRIES = {"rows move in Java": 480, "rows move in Python": 90}  # files and directories that a run writes, about


def command(method: list[str], out: str = "release") -> list[str]:
    return ["anonymize", "log.tsv", *method, "--force", "--out", out]


@dataclass
class Run:
    """A run on Spark, with all that it starts, and every file that it was seen to write."""

    place: Path
    method: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    seen: set[Path] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        java = f"{SHORT_RUNS} -Djava.io.tmpdir={self.place / 'java'}"
        more = {"PYSPARK_PYTHON": sys.executable, "TMPDIR": str(self.place / "tmp"), "JAVA_TOOL_OPTIONS": java, **self.environment}
        words = [sys.executable, "-m", "shoal", *command(self.method), "--engine", "spark", "--master", "local[2]"]
        self.process = subprocess.Popen(
            words, cwd=self.place, env=os.environ | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, umask=0, start_new_session=True
        )

    def look(self) -> None:
        """Note what is there now, and what of it others could read."""
        for entry in _entries(self.place):
            if entry.name != "log.tsv" and entry.parent.name != "release":
                with suppress(FileNotFoundError):
                    self._note(entry)

    def _note(self, entry: Path) -> None:
        if entry in self.seen:
            return
        mode = entry.lstat().st_mode
        inside = entry.relative_to(self.place)
        if len(inside.parts) > 1 and inside.parts[0] not in TEMPORARY:
            self.seen.add(entry)
        private = any(parent.lstat().st_mode & 0o077 == 0 for parent in list(entry.parents)[: len(inside.parts) - 1])
        if (
            mode & 0o077
            and not private
            and entry.name != "release"
            and not LIBRARY.fullmatch(entry.name)
            and not _is_visible_directory(entry)
        ):
            self.exposed.add(f"{inside} {mode & 0o777:o}")

    def until(self, entries: int) -> bool:
        """Wait until the run has written so many files and directories; whether it did before it ended."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.look()
            if len(self.seen) >= entries:
                return True
            time.sleep(0.03)
        return False

    def kill(self, *, java: bool) -> None:
        """Kill the program alone, whose Java ends a little later, or all processes at once."""
        if java:
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def _entries(place: Path) -> Iterator[Path]:
    for directory, directories, files in os.walk(place):
        yield from (Path(directory, name) for name in [*directories, *files])


def _is_visible_directory(entry: Path) -> bool:
    """Whether it is a directory that is not hidden; what is in one is examined separately."""
    return entry.is_dir() and not entry.is_symlink() and not entry.name.startswith(".")


def rows_in(place: Path) -> list[Path]:
    """Files that a run left in directories for temporary files, but for libraries of Java."""
    found = [path for name in TEMPORARY for path in (place / name).rglob("*") if path.is_file() and path.stat().st_size]
    return [path for path in found if not LIBRARY.fullmatch(path.name)]


@pytest.fixture
def log(shell: Shell) -> Shell:
    asked = [f"{n}\t{WORDS[n * m % len(WORDS)]}\t2006-03-0{m} 07:17:12\t\t\n" for n in range(PEOPLE) for m in range(1, 6)]
    shell.file("log.tsv", "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(asked))
    for name in TEMPORARY:
        (shell.directory / name).mkdir()
    return shell


def moments(config: pytest.Config) -> list[tuple[str, float, bool]]:
    """Methods, the part of the run after which it is killed, and whether all of its processes are killed at once."""
    names = list(METHODS)
    if config.getoption("all_signals"):
        return [(names[n % 2], (n + 0.5) / 20, n // 2 % 2 == 1) for n in range(20)]
    usual = [(names[0], 0.02, False), (names[0], 0.6, False), (names[1], 0.5, True)]
    return [usual[current_turn() // 2 % len(usual)]]  # halved, as this test itself runs at every other turn


def test_the_next_run_removes_what_a_killed_one_left(log: Shell, pytestconfig: pytest.Config) -> None:
    remains, told = 0, []
    inputs = {"log.tsv", *TEMPORARY}
    for n, (name, part, java) in enumerate(moments(pytestconfig)):
        run = Run(log.directory, METHODS[name])
        try:
            running = run.until(max(1, int(part * ENTRIES[name])))
            run.kill(java=java)
            left = log.names() - inputs - {"release"}
            remains += bool(left)
            case = f"{n}: {name}, killed {'while it ran' if running else 'when it had ended'}, after {len(run.seen)} entries"
            told.append(f"{case}; left {len(left)}")
            again = log(*command(["--method", "threshold", "--k", "3"]))
            assert again.code == 0, f"{case}: {again.err}"
            assert log.names() == inputs | {"release"}, case
            assert all(f"{one}, left by a killed run, was " in again.err for one in left), case
            assert run.exposed == set(), case
        finally:
            run.end()
        assert rows_in(log.directory) == [], case
    time.sleep(1)  # whatever a process that was not killed may still write
    assert log.names() == inputs | {"release"}
    print(*told, sep="\n")
    assert remains, "no run was killed while it was working"


@pytest.mark.parametrize(
    "configured", ["", pytest.param("variable", marks=pytest.mark.slow), pytest.param("spark.local.dir", marks=pytest.mark.slow)]
)
def test_nobody_else_can_read_what_a_run_writes_before_it_is_judged(log: Shell, configured: str) -> None:
    """A whole run under an umask that forbids nothing; the files of the release itself are for others once it has its name.

    The local directories of Spark are inside the directory of the run, or in marked ones where the user wants them, in which leftovers
    are removed.
    """
    disk = log.directory / "disk"
    disk.mkdir()
    (disk / "conf").mkdir(mode=0o700)
    (disk / "conf" / "spark-defaults.conf").write_text(f"spark.local.dir {disk}\n")
    settings = {"": {}, "variable": {"SPARK_LOCAL_DIRS": str(disk)}, "spark.local.dir": {"SPARK_CONF_DIR": str(disk / "conf")}}
    killed = disk / f".shoal-spark.0123abcd.{unfinished.machine()}.partial"
    killed.mkdir(mode=0o700)
    (killed / "blockmgr").mkdir()
    (killed / unfinished.MARKER).write_bytes(unfinished._marker(killed.name))
    run = Run(log.directory, METHODS["rows move in Java"], settings[configured])
    try:
        run.until(1 << 30)
        out = run.process.communicate(timeout=PATIENCE)[0].decode()
        assert run.process.returncode == 0, out
    finally:
        run.end()
    blocks = [path.relative_to(log.directory).parts for path in run.seen if path.name.startswith("blockmgr-")]
    assert blocks
    for parts in blocks:
        if configured:
            assert parts[0] == "disk"
            assert parts[1].startswith(".shoal-spark.")
        else:
            assert parts[1:3] == ("work", "spark")
    assert killed.exists() is not bool(configured)
    assert run.exposed == set()
    assert log.names() == {"log.tsv", "release", "disk", *TEMPORARY}
    assert {path.name for path in disk.iterdir()} == {"conf", *([] if configured else [killed.name])}
    assert rows_in(log.directory) == []
    print(len(run.seen), "entries")
