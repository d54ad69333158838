"""This process's threads: the engine of every run on one machine.

Kernels release the GIL, so Python threads that call them run side by side. All of them share one task, through which Ctrl-C stops them and
progress is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import Thread
from typing import Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.engines.base import Answer, Block, Engine, Kinds, Things, Work


class LocalEngine(Engine):
    """As many threads as kernels may use here; progress is shown under the label."""

    def __init__(self, label: str = "") -> None:
        self._label = label
        self._task = _kernels.Task()
        self._remark = ""

    def count(self, rows: _kernels.Rows) -> Kinds:
        """By hashing."""
        kind: Ints = self._run(_kernels.identical_rows, rows, kernels.threads())
        return Kinds(kind, np.bincount(kind).astype(np.int64))

    def split(self, things: Things, chosen: Ints, size: int, cut: int = 0) -> list[Ints]:
        """Cut in two again and again across what varies most."""
        if things.coordinates is None:
            of = things.rows, things.lengths, things.weights, things.units
            things.coordinates = self._run(_kernels.coordinates, *of, kernels.threads())
        blocks: list[Ints] = self._run(_kernels.split_blocks, things.coordinates, chosen, size, cut, kernels.threads())
        return blocks

    def map(self, work: Work[Block, Answer], blocks: Sequence[Block]) -> list[Answer]:
        """Each thread takes the next block that nobody has taken."""
        answers: list[Answer] = self._run(_in_threads, work, blocks, kernels.threads())
        return answers

    def gather(self, answers: Iterable[Answer]) -> list[Answer]:
        """They are here already."""
        return list(answers)

    def expect(self, steps: int) -> None:
        """So much work is to come."""
        self._task.begin(steps)

    @property
    def watched(self) -> bool:
        """Whether a person looks at a bar."""
        return kernels.watched()

    def remark(self, text: str) -> None:
        """Beside the bar from now on."""
        self._remark = text

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return kernels.run(kernel, *arguments, label=self._label, task=self._task, remark=self._remark)


def _in_threads(work: Work[Block, Answer], blocks: Sequence[Block], threads: int, task: _kernels.Task) -> list[Answer]:
    """The answers for all blocks; the first failure of any thread ends them all and is raised here."""
    waiting = deque(range(len(blocks)))
    answers: dict[int, Answer] = {}
    failures: list[BaseException] = []

    def take_blocks() -> None:
        try:
            for number in iter(partial(_next, waiting), None):
                if failures:
                    break
                answers[number] = work(blocks[number], task)
        except BaseException as error:
            failures.append(error)

    helpers = _started(take_blocks, min(threads, len(blocks)) - 1)
    take_blocks()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    return [answers[number] for number in range(len(blocks))]


def _next(waiting: deque[int]) -> int | None:
    """The number of a block that no other thread is given."""
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _started(target: Callable[[], None], wanted: int) -> list[Thread]:
    """So many threads, or as many as can be had: those that run do all the work."""
    started: list[Thread] = []
    for _ in range(wanted):
        thread = Thread(target=target, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            break
        started.append(thread)
    return started
