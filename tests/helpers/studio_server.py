"""A studio in a process of its own, as a user starts it; on machines that do much other work too."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers.cli import clean_environment

START_SECONDS = 300.0  # until the address is printed
END_SECONDS = 120.0  # from the signal to the end of the process: the workers have 5 s, but wait for a processor


@dataclass
class Served:
    """A server that is running, its address with the token, and its process."""

    address: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].partition("/")[0])

    def end(self) -> None:
        """End it as Ctrl-C does, and insist that it ends well."""
        self.process.terminate()
        assert self.process.wait(END_SECONDS) == 0


@contextmanager
def served(*options: str, place: Path | None = None) -> Iterator[Served]:
    """Start a studio, and wait until it listens. A server that still runs at the end is killed."""
    words = [sys.executable, "-m", "shoal", "studio", "--no-browser", *options]
    with tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaints, text=True, env=clean_environment(), cwd=place)
        late = threading.Timer(START_SECONDS, process.kill)
        late.start()
        try:
            assert process.stdout is not None
            address = next((line.split()[-1] for line in process.stdout if "?token=" in line), None)
            late.cancel()
            if address is None:
                process.wait()
                complaints.seek(0)
                raise AssertionError(f"the studio did not start: exit code {process.returncode}, {complaints.read()}")
            yield Served(address, process)
        finally:
            late.cancel()
            process.kill()
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]
