"""Blocks of records on this machine's threads: count rows, split them into blocks, map a function over the blocks, gather the results.

A method that plans by content gives the same groups for any number of threads: the split into blocks depends on the rows alone, and the
result of a block on the rows of that block.

Kernels release the GIL, so Python threads that call them run in parallel. All of them share one task, through which Ctrl-C stops them and
progress is counted.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints

Block = TypeVar("Block")
Answer = TypeVar("Answer")
Work = Callable[[Block, _kernels.Task], Answer]


class Kinds(NamedTuple):
    """Rows by content."""

    kind: Ints  # of each row; identical rows have the same, numbered from 0 in order of first appearance
    times: Ints  # how many rows are of each kind


@dataclass(eq=False)
class Things:
    """Records, or groups of them, that are split into blocks of similar ones."""

    rows: _kernels.Rows
    lengths: Ints
    weights: Ints
    units: int
    coordinates: _kernels.Coordinates | None = field(default=None, init=False)  # an engine's own; the next cut needs them again


class LocalEngine:
    """Runs blocks on as many threads as kernels may use; progress is shown under the label."""

    def __init__(self, label: str = "") -> None:
        self._label = label
        self._task = _kernels.Task()
        self._remark = ""

    def count(self, rows: _kernels.Rows) -> Kinds:
        """Count the rows of each content, by hashing."""
        kind: Ints = self._run(_kernels.identical_rows, rows, kernels.threads())
        return Kinds(kind, np.bincount(kind).astype(np.int64))

    def split(self, things: Things, chosen: Ints, size: int, cut: int = 0) -> list[Ints]:
        """Split the chosen things, whose numbers increase, into blocks of about `size` similar ones; another `cut` gives another split."""
        if things.coordinates is None:
            of = things.rows, things.lengths, things.weights, things.units
            things.coordinates = self._run(_kernels.coordinates, *of, kernels.threads())
        blocks: list[Ints] = self._run(_kernels.split_blocks, things.coordinates, chosen, size, cut, kernels.threads())
        return blocks

    def map(self, work: Work[Block, Answer], blocks: Sequence[Block]) -> list[Answer]:
        """Call `work(block, task)` for each block, in threads; the results are in the order of the blocks."""
        answers: list[Answer] = self._run(_in_threads, work, blocks, kernels.threads())
        return answers

    def gather(self, answers: Iterable[Answer]) -> list[Answer]:
        """Return the results of `map`, in block order."""
        return list(answers)

    def expect(self, steps: int) -> None:
        """Announce this much work."""
        self._task.begin(steps)

    @property
    def watched(self) -> bool:
        """Whether a progress bar is shown."""
        return kernels.watched()

    def remark(self, text: str) -> None:
        """Show this text next to the progress bar."""
        self._remark = text

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return kernels.run(kernel, *arguments, label=self._label, task=self._task, remark=self._remark)


def _in_threads(work: Work[Block, Answer], blocks: Sequence[Block], threads: int, task: _kernels.Task) -> list[Answer]:
    """Return the results for all blocks; the first failure of any thread stops them all and is raised here."""
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
    """Return the number of the next free block."""
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _started(target: Callable[[], None], wanted: int) -> list[Thread]:
    """Start this many threads, or as many as possible: those that run do all the work."""
    started: list[Thread] = []
    for _ in range(wanted):
        thread = Thread(target=target, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            break
        started.append(thread)
    return started


# Progress of work whose parts run in parallel, reported as one task.


class ProgressOfParts:
    """Reports the total progress of all parts to the current callback, separately for each label."""

    def __init__(self, total: int) -> None:
        self._watch, self._total = kernels.watcher(), total
        self._done: dict[str, dict[int, int]] = defaultdict(dict)
        self._telling = Lock()

    def part(self, number: int, size: int) -> kernels.Watch | None:
        """Return the callback for one part of this size; None if there is no callback for the whole."""
        watch = self._watch
        if watch is None:
            return None

        def report(label: str, done: int, total: int, remark: str = "") -> None:
            with self._telling:
                self._done[label][number] = size * done // total if total else 0
                watch(label, sum(self._done[label].values()), self._total, remark)

        return report

    def end(self, number: int, size: int) -> None:
        """Mark a part as complete, whatever was reported about it last."""
        with self._telling:
            for parts in self._done.values():
                parts[number] = size
