"""Files that may be damaged are read by another process first (`parquet_trial.py`), which stays for the next one: starting it takes long.

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

PROGRAM = Path(__file__).with_name("parquet_trial.py")
ANSWER = b"read\n"
LARGE = 64 << 20  # bytes of a file, after which the process has taken memory that it should not keep


class Trials:
    """A process that reads files on trial, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
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
        self._begun_by = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(PROGRAM)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _reads(self, line: bytes) -> bool:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            return self._process.stdout.readline() == ANSWER
        except BrokenPipeError:
            return False
        except BaseException:  # an interrupt: its answer must not be taken for that of another file
            self.end()
            raise

    def end(self) -> None:
        """End the process, where there is one."""
        process, self._process = self._process, None
        if process is None or self._begun_by != os.getpid():
            return
        process.kill()
        with suppress(BrokenPipeError), process:
            pass


TRIALS = Trials()
atexit.register(TRIALS.end)
