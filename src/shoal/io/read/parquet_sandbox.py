"""Files that may be damaged are read by another process first (`parquet_sandbox_worker.py`), which stays for the next file, because
starting it takes long.

Only what a fresh process cannot read is called damaged: one that has read other files may have ended for another reason.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO

PROGRAM = Path(__file__).with_name("parquet_sandbox_worker.py")
LARGE = 64 << 20  # bytes of a file, after which the process has taken memory that it should not keep


class Trials:
    """A process that reads files on trial, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: IO[bytes] | None = None
        self._begun_by = 0
        self._one_at_a_time = Lock()

    def can_read(self, path: Path, rows_at_once: int, *, first_are_enough: bool, names: list[str] | None) -> bool:
        """Whether these columns can be read, or the schema where there are none."""
        line = json.dumps([str(path), rows_at_once, first_are_enough, names]).encode() + b"\n"
        with self._one_at_a_time:
            readable = self._is_there() and self._reads(line)
            if not readable:
                self._begin()
                readable = self._reads(line)
            if not readable or path.stat().st_size > LARGE:
                self.end()
        return readable

    def _is_there(self) -> bool:
        """Whether a process of ours waits for a file; one that another process began, which this is a fork of, is not ours."""
        return self._process is not None and self._begun_by == os.getpid() and self._process.poll() is None

    def _begin(self) -> None:
        self.end()
        here, there = os.pipe()  # for answers alone: whatever is loaded there may print something
        try:
            self._begun_by = os.getpid()
            self._answers = os.fdopen(here, "rb", buffering=0)
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM), str(there)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=[there],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        finally:
            os.close(there)

    def _reads(self, line: bytes) -> bool:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._answers is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            return len(self._answers.read(1)) == 1
        except BrokenPipeError:
            return False
        except BaseException:  # an interrupt: its answer must not be taken for that of another file
            self.end()
            raise

    def end(self) -> None:
        """End the process, where there is one."""
        process, self._process = self._process, None
        answers, self._answers = self._answers, None
        if answers is not None:
            answers.close()
        if process is None or self._begun_by != os.getpid():
            return
        process.kill()
        with suppress(BrokenPipeError), process:
            pass

    def after_fork(self) -> None:
        """In a process that was forked while another thread held the lock, nobody would let it go."""
        self._one_at_a_time = Lock()


TRIALS = Trials()
atexit.register(TRIALS.end)
os.register_at_fork(after_in_child=TRIALS.after_fork)
