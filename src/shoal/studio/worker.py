"""The process that does one task of a studio: it reads `job.toml` in its folder and writes `events.jsonl` and `result.json` there.

    echo FOLDER | python -m shoal.studio.worker

It waits until the first line of standard input names the folder. A second line cancels the task. When standard input ends, the task is
interrupted: a worker does not outlive its server, however that ends, and what it had begun to write is removed. The last event says how
the task ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal import kernels
from shoal.errors import Cancelled, ShoalError
from shoal.io.studio_folder import RESULT, EventFile, read_toml, save_json
from shoal.pipeline.events import Cancel, Events
from shoal.studio.attack_task import attack_task
from shoal.studio.compare_task import compare_task
from shoal.studio.input_lines import read_line
from shoal.studio.spelling import on_page
from shoal.studio.states import ADVISE, ATTACK, AUDIT, CANCELLED, COMPARE, COVERAGE, DONE, FAILED, INTERRUPTED, JOB, LOOK, PUBLISH, TAXONOMY
from shoal.studio.tasks import advise_task, audit_task, described, look_task, publish_task
from shoal.studio.taxonomy_tasks import coverage_task, taxonomy_task

SECONDS_BETWEEN = 0.2  # progress events
LOWER_PRIORITY = 5  # so that pages are answered at once while a task uses all cores

Task = Callable[[Path, Mapping[str, Any], Events, Cancel], Any]
TASKS: Mapping[str, Task] = {
    LOOK: look_task,
    ADVISE: advise_task,
    COMPARE: compare_task,
    PUBLISH: publish_task,
    AUDIT: audit_task,
    ATTACK: attack_task,
    TAXONOMY: taxonomy_task,
    COVERAGE: coverage_task,
}


class FileEvents(Events):
    """Writes what a job reports to the file of its events; of progress, a few lines a second at most."""

    def __init__(self, file: EventFile) -> None:
        self._file, self._next, self._lock = file, 0.0, threading.Lock()
        self._last: tuple[str, int, int, str] | None = None

    def write(self, **event: Any) -> None:
        """Append an event; several threads may do so."""
        with self._lock:
            self._file.write(event)

    def stage(self, name: str, index: int, count: int) -> None:
        """A stage begins."""
        self._next = 0.0
        self.write(event="stage", name=name, index=index, count=count)

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        """A part of the work is complete."""
        now, event = time.monotonic(), (label, done, total, remark)
        if now < self._next or event == self._last:  # work that waits for others reports the same again and again
            return
        self._next, self._last = now + SECONDS_BETWEEN, event
        self.write(event="progress", label=label, done=int(done), total=int(total), remark=remark)

    def note(self, line: str) -> None:
        """Something worth knowing."""
        self.write(event="note", text=on_page(line))

    def warn(self, line: str) -> None:
        """Something that the user should act on."""
        self.write(event="warn", text=on_page(line), code=getattr(line, "code", ""))


def main(folder: Path) -> int:
    """Do the task of a folder.

    Returns:
        0 if it is done, 1 if it failed or was cancelled. The last event has the reason.
    """
    events, stop = FileEvents(EventFile(folder)), Stop()
    threading.Thread(target=stop.listen, daemon=True).start()
    end = run_task(folder, events, stop)
    events.write(event="end", **end)
    return 0 if end["state"] == DONE else 1


class Stop(Cancel):
    """Ends a task on request, or when the server has ended; `state` says which it was."""

    state = CANCELLED

    def listen(self) -> None:
        """Wait for a line of standard input, or its end."""
        if not read_line():
            self.state = INTERRUPTED
        self.cancel()


def run_task(folder: Path, events: FileEvents, stop: Stop) -> dict[str, Any]:
    """Run the task of a folder; how it ended."""
    begun, task = time.monotonic(), dict[str, Any]()
    try:
        task = read_toml(folder / JOB)
        result = TASKS[task["kind"]](folder, task, events, stop)
        save_json(folder / RESULT, result)
    except Cancelled:
        return {"state": stop.state}
    except ShoalError as error:
        return {"state": FAILED, **described(error, task)}
    except MemoryError:
        return {"state": FAILED, "code": "out-of-memory", "message": "out of memory", "hint": ""}
    except Exception as error:  # its message may quote the data, so only its kind is shown
        if os.environ.get("SHOAL_DEBUG"):
            raise
        return {"state": FAILED, "code": "unexpected", "message": f"an unexpected error of kind {type(error).__name__}", "hint": ""}
    return {"state": DONE, "seconds": round(time.monotonic() - begun, 2)}


if __name__ == "__main__":
    line = read_line()
    if hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)
    kernels.share_heaps()
    sys.exit(main(Path(os.fsdecode(line.rstrip(b"\n")))) if line else 0)
