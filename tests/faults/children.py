"""Commands in processes of their own, forked from one that has loaded everything: a start takes milliseconds.

This process must not compute with Polars before, since its threads do not exist in a fork. So also checks run in a fork.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from faults.interposed import Failing, calls_made, let_fail

SLOWEST = 600.0  # seconds that a small run may take on a busy machine
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TEMPORARY = "tmp"  # next to the directory of the command
WHOLE = "whole"  # name of the file with the calls of a run that came to its end


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, or the signal that ended it as a negative number; what it printed; how long it took."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def died(self) -> bool:
        """Whether it had no chance to remove anything: killed, or ended by a library that got no memory."""
        return self.code < 0


@dataclass
class Child:
    """A process that was started, with the directory for what it prints."""

    pid: int
    aside: Path
    began: float

    def signal_after(self, seconds: float, number: int) -> bool:
        """Send a signal after some time; false if the process had ended before."""
        time.sleep(seconds)
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return False
        os.kill(self.pid, number)
        return True

    def end(self) -> Ended:
        """Wait for the end; a process that hangs is killed, which shows as a failure."""
        late = self.began + SLOWEST
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > late:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise TimeoutError(f"a run had not ended after {SLOWEST:.0f} s")
            time.sleep(0.002)
        code = os.waitstatus_to_exitcode(status)
        out, err = ((self.aside / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
        return Ended(code, out, err, time.monotonic() - self.began)


def command(words: Sequence[str], directory: Path, aside: Path, failing: Failing | None = None) -> Child:
    """Start `shoal WORDS` in a directory, with temporary files and what it prints in another."""

    def run() -> int:
        from shoal.cli import start
        from shoal.cli.interrupts import interrupts

        interrupts.install()  # a signal before this moment would come before the program has begun
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        sys.argv = ["shoal", *words]
        let_fail(failing, directory.parent)
        try:
            start.main()
        except SystemExit as leaving:
            code = leaving.code
        else:
            code = 0
        (aside / WHOLE).write_text(json.dumps(calls_made()), encoding="utf-8")
        return code if type(code) is int else 1

    return _forked(run, directory, aside)


def load_all(words: Sequence[str], directory: Path, aside: Path) -> None:
    """Load the modules that a command uses, so that forks need not. They are named by a fork that runs it."""

    def names() -> list[str]:
        from shoal.cli.main import run

        run(list(words))
        return sorted(sys.modules)

    for name in answer(names, directory, aside):
        with suppress(ImportError):
            import_module(name)


def answer(action: Callable[[], Any], directory: Path, aside: Path) -> Any:
    """The result of an action in a fork, as JSON gives it back."""

    def run() -> int:
        (aside / "answer").write_text(json.dumps(action()), encoding="utf-8")
        return 0

    (aside / "answer").unlink(missing_ok=True)
    ended = _forked(run, directory, aside).end()
    if ended.code:
        raise RuntimeError(f"a check ended with {ended.code}: {ended.err}")
    return json.loads((aside / "answer").read_text(encoding="utf-8"))


def _forked(run: Callable[[], int], directory: Path, aside: Path) -> Child:
    for path in (aside, directory.parent / TEMPORARY):
        path.mkdir(exist_ok=True)
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        return Child(pid, aside, time.monotonic())
    code = 99
    try:
        _settle_in(directory, aside)
        code = run()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _settle_in(directory: Path, aside: Path) -> None:
    """Give the process its directory, its streams and its place for temporary files."""
    os.chdir(directory)
    os.environ["TMPDIR"], tempfile.tempdir = str(directory.parent / TEMPORARY), None
    for fd, name, flags in ((0, os.devnull, os.O_RDONLY), (1, aside / "out", -1), (2, aside / "err", -1)):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if flags == -1 else flags, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    sys.stdout, sys.stderr = (open(fd, "w", encoding="utf-8", closefd=False) for fd in (1, 2))  # noqa: SIM115 - until the process ends
