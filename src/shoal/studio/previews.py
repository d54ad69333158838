"""The processes that keep files in memory for previews: a few at once, each for one file, and none for long without questions."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from shoal.studio.request_bodies import Refused
from shoal.studio.states import STOP
from shoal.studio.store import OpenedFile

PREVIEW = "shoal.studio.preview"
MOST = 2
FIRST_SECONDS, ANSWER_SECONDS, IDLE_SECONDS = 120.0, 20.0, 600.0


@dataclass
class _Process:
    """A process that keeps a file."""

    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    process: asyncio.subprocess.Process | None = None
    newest: int = 0
    idle: asyncio.TimerHandle | None = None


class Previews:
    """The processes by their open files, the most recently used one last."""

    def __init__(self) -> None:
        self._kept: dict[str, _Process] = {}
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(self, source: OpenedFile, k: int, knows: int, goal: str, again: int = 0) -> dict[str, Any] | None:
        """What would be left of a file; None if a newer question about it came meanwhile. A newer question does not wait for an older one.

        Raises:
            Refused: There is no answer in time, or the process died.
        """
        name = f"{source.identity} {sorted(source.options.items())}"
        one = self._kept[name] = self._kept.pop(name) if name in self._kept else _Process()
        for old in list(self._kept)[:-MOST]:
            self._drop(old)
        one.newest += 1
        mine = one.newest
        if one.asking.locked():
            _stop(one)
        async with one.asking:
            if mine != one.newest:
                return None
            try:
                return await _answer(one, source, {"k": k, "knows": knows, "goal": goal, "again": again})
            except (TimeoutError, ConnectionError, ValueError):
                self._drop(name)
                raise Refused(503, "there is no preview of this file; find routes instead") from None
            finally:
                self._rest(name)

    def _rest(self, name: str) -> None:
        """Let a process end after a while without questions."""
        one = self._kept.get(name)
        if one is not None:
            if one.idle is not None:
                one.idle.cancel()
            one.idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._drop, name)

    def _drop(self, name: str) -> None:
        one = self._kept.pop(name, None)
        if one is None:
            return
        if one.idle is not None:
            one.idle.cancel()
        task = asyncio.create_task(_end(one))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def end(self) -> None:
        """End all processes."""
        for name in list(self._kept):
            self._drop(name)
        await asyncio.gather(*self._ending, return_exceptions=True)


async def _answer(one: _Process, source: OpenedFile, question: dict[str, int | str]) -> dict[str, Any]:
    """Ask a process, which is started if it is not there."""
    seconds = ANSWER_SECONDS
    if one.process is None or one.process.returncode is not None:
        one.process, seconds = await _started(source), FIRST_SECONDS
    assert one.process.stdin is not None
    assert one.process.stdout is not None
    one.process.stdin.write(json.dumps(question).encode() + b"\n")
    await one.process.stdin.drain()
    found = json.loads(await asyncio.wait_for(one.process.stdout.readline(), seconds))
    return dict(found)


def _stop(one: _Process) -> None:
    """Ask a process to answer at once with what it knows."""
    if one.process is not None and one.process.stdin is not None:
        with suppress(ConnectionError, RuntimeError):  # it has ended
            one.process.stdin.write(json.dumps(STOP).encode() + b"\n")


async def _started(source: OpenedFile) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", PREVIEW),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None if os.environ.get("SHOAL_DEBUG") else asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    description = {"path": source.path, "name": source.name, "options": dict(source.options)}
    process.stdin.write(json.dumps(description).encode() + b"\n")
    return process


async def _end(one: _Process) -> None:
    """End a process at once; it writes no files."""
    if one.process is not None:
        with suppress(ProcessLookupError):
            one.process.kill()
        await one.process.wait()
