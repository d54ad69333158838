"""Runs tasks in processes of their own, as many at once as there are cores; the others wait.

One process waits with everything loaded, so that a task begins at once. A process is stopped by a line to its standard input, or by
the end of it when the server ends. One that does not stop in time is killed; it wrote to an unfinished directory only, which is removed
then. A process that dies, as by a fault in a kernel, ends its job and not the server.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

from shoal.io.studio_folder import clear_leftovers, read_events
from shoal.studio.states import CANCELLED, CRASHED, INTERRUPTED, QUEUED, RUNNING
from shoal.studio.store import end_job

GRACE_SECONDS = 5.0
WORKER = "shoal.studio.worker"


class Processes:
    """The processes of this server by the IDs of their jobs."""

    def __init__(self, most: int | None = None) -> None:
        self._free = asyncio.Semaphore(most or os.cpu_count() or 1)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._unwanted: dict[str, str] = {}  # the states in which tasks are to end
        self._ending: list[asyncio.Task[None]] = []
        self._spare: asyncio.Task[asyncio.subprocess.Process] | None = None

    @property
    def alive(self) -> dict[str, str]:
        """The states of the jobs that are not over, by ID."""
        return {name: RUNNING if name in self._running else QUEUED for name in self._tasks}

    def prepare(self) -> None:
        """Start the process that waits for the next task."""
        self._spare = asyncio.create_task(_new_process())

    def start(self, job: Path) -> None:
        """Begin a task, or put it into the queue."""
        self._tasks[job.name] = asyncio.create_task(self._run(job))

    async def wait(self, job: Path, seconds: float) -> bool:
        """Wait until a task is over; false if it takes longer."""
        task = self._tasks.get(job.name)
        if task is None:
            return True
        done, _ = await asyncio.wait([task], timeout=seconds)
        return bool(done)

    def cancel(self, identity: str) -> None:
        """Ask a task to stop; one that is over stays as it is."""
        self._end(identity, CANCELLED)

    def _end(self, identity: str, state: str) -> None:
        if identity not in self._tasks or identity in self._unwanted:
            return
        self._unwanted[identity] = state
        process = self._running.get(identity)
        if process is not None:
            self._ending.append(asyncio.create_task(_stop(process, state)))

    async def end(self) -> None:
        """Interrupt all tasks, and wait until their processes are gone."""
        for identity in list(self._tasks):
            self._end(identity, INTERRUPTED)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if self._spare is not None:
            await _stop(await self._spare, INTERRUPTED)

    async def _run(self, job: Path) -> None:
        try:
            async with self._free:
                code = None if job.name in self._unwanted else await self._work(job)
            await asyncio.to_thread(_settle, job, code, self._unwanted.get(job.name, CRASHED))
        finally:
            self._tasks.pop(job.name, None)
            self._unwanted.pop(job.name, None)
            self._ending = [one for one in self._ending if not one.done()]

    async def _work(self, job: Path) -> int:
        """Run the process of a job to its end; its exit code."""
        process = await self._next_process()
        assert process.stdin is not None
        with suppress(ConnectionError):
            process.stdin.write(os.fsencode(job) + b"\n")
            await process.stdin.drain()
        self._running[job.name] = process
        try:
            if job.name in self._unwanted:
                await _stop(process, self._unwanted[job.name])
            return await process.wait()
        finally:
            self._running.pop(job.name, None)

    async def _next_process(self) -> asyncio.subprocess.Process:
        """The process that waits, if it is alive, or a new one; and another one is started to wait."""
        waiting = self._spare
        if waiting is None:
            return await _new_process()
        self.prepare()  # before anything else happens, so that no two tasks get the same process
        process = await waiting
        return process if process.returncode is None else await _new_process()


async def _new_process() -> asyncio.subprocess.Process:
    """A worker that loads what it needs and waits for the folder of its task."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", WORKER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=None if os.environ.get("SHOAL_DEBUG") else asyncio.subprocess.DEVNULL,
    )


async def _stop(process: asyncio.subprocess.Process, state: str) -> None:
    """Ask a process to stop, by a line for a task that was cancelled, and by the end of its input; kill it if it does not."""
    assert process.stdin is not None
    with suppress(ConnectionError):
        if state == CANCELLED:
            process.stdin.write(b"cancel\n")
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), GRACE_SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()


def _settle(job: Path, code: int | None, state: str) -> None:
    """Give a job its last event if its process did not, and remove what it left."""
    if any(event.get("event") == "end" for event in read_events(job)[0]):
        return
    clear_leftovers(job)
    end_job(job, state, **({} if code is None else {"exit": code}))
