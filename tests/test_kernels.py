"""Calling kernels: threads, progress, and how a Ctrl-C gets through."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.data import numbered, tree
from shoal import _kernels, kernels
from shoal.taxonomy.tree_counts import tree_counts

LONG = textwrap.dedent(
    """
    from test_kernels import clump_arguments
    from shoal import _kernels, kernels

    arguments = clump_arguments(60_000)
    print("ready", flush=True)
    try:
        kernels.run(_kernels.clump, *arguments, label="long")
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
)

SLOWER = 10 if "SHOAL_SANITIZED" in os.environ else 1  # sanitized kernels are slow, and run next to other tests


def clump_arguments(n: int) -> tuple[Any, ...]:
    """A run of Clump that takes minutes: every record is tried on all of half as many clusters."""
    rng = np.random.default_rng(0)
    taxonomy = tree([-1, *([0] * 40)])
    bags = numbered(taxonomy, rng.integers(1, 41, (n, 12)).tolist())
    counts = tree_counts(bags, taxonomy)
    order = np.arange(n)
    return counts.scored(bags.owners, 2, owners_repeat=False), order, _kernels.ClumpOptions(r=n, total=False)


@pytest.mark.timing
def test_a_long_kernel_is_cancelled_at_once() -> None:
    arguments = clump_arguments(60_000)
    task = _kernels.Task()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            _kernels.clump(*arguments, task)
        except _kernels.Cancelled as error:
            raised.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    time.sleep(0.3)
    assert worker.is_alive(), "the kernel was over before it could be cancelled"
    asked = time.perf_counter()
    task.cancel()
    worker.join(5)
    assert not worker.is_alive()
    assert time.perf_counter() - asked < 0.5 * SLOWER
    assert raised
    assert task.cancelled


@pytest.mark.timing
def test_an_error_of_the_watch_stops_the_kernel() -> None:
    def watch(label: str, done: int, total: int) -> None:
        raise RuntimeError(label)

    arguments = clump_arguments(60_000)
    started = time.perf_counter()
    with kernels.using(watch=watch), pytest.raises(RuntimeError, match="clustering"):
        kernels.run(_kernels.clump, *arguments, label="clustering")
    assert time.perf_counter() - started < 1 * SLOWER
    assert not any(t.name == "shoal-clustering" for t in threading.enumerate())


@pytest.mark.timing
def test_ctrl_c_reaches_a_running_kernel() -> None:
    command = [sys.executable, "-c", LONG]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **piped, text=True, env=here) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        asked = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - asked < 0.5 * SLOWER
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_progress_is_told_to_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    arguments = clump_arguments(2_000)
    with kernels.using(watch=lambda *told: seen.append(told)):
        kernels.run(_kernels.clump, *arguments, label="clustering")
        kernels.run(_kernels.clump, *arguments)  # without a label nobody is told
    assert seen
    assert {label for label, _, _ in seen} == {"clustering"}
    assert seen[-1][1:] == (2_000, 2_000)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_an_error_of_a_kernel_is_raised_where_it_was_called() -> None:
    def broken(task: object) -> None:
        raise ZeroDivisionError("within")

    with pytest.raises(ZeroDivisionError, match="within"):
        kernels.run(broken)


def test_settings_nest_and_end() -> None:
    before = kernels.threads()
    with kernels.using(threads=3):
        assert kernels.threads() == 3
        with kernels.using(watch=lambda *_: None):
            assert kernels.threads() == 3
        with kernels.using(threads=1):
            assert kernels.threads() == 1
        assert kernels.threads() == 3
    assert kernels.threads() == before >= 1


def test_settings_are_left_after_an_error() -> None:
    before = kernels.threads()
    with pytest.raises(ZeroDivisionError), kernels.using(threads=before + 1):
        raise ZeroDivisionError
    assert kernels.threads() == before


@pytest.mark.parametrize("threads", [-1, 0, 1, 64])
def test_any_number_of_threads_gives_the_same_answer(threads: int) -> None:
    rng = np.random.default_rng(1)
    taxonomy = tree([-1, 0, 1, 1, 0, 4])
    bags = numbered(taxonomy, rng.integers(0, 6, (20_000, 3)).tolist())
    task = _kernels.Task()
    rows = _kernels.canonical_rows(*bags.rows, False, threads, task)
    assert all(np.array_equal(a, b) for a, b in zip(rows, bags.rows, strict=True))
    assert task.done == task.total == 20_000


# -- kernels beside other work


def test_a_kernel_runs_beside_its_caller_and_is_cancelled_with_it() -> None:
    cancelled: list[bool] = []

    def endless(task: _kernels.Task) -> None:
        while not task.cancelled:
            time.sleep(0.005)
        cancelled.append(True)

    with pytest.raises(ZeroDivisionError), kernels.Background() as beside:
        beside.begin(endless)
        raise ZeroDivisionError
    assert cancelled == [True]


def test_kernels_beside_give_their_answers_and_errors_in_turn() -> None:
    def broken(task: _kernels.Task) -> None:
        raise ZeroDivisionError("beside")

    with kernels.Background() as beside:
        for number in range(3):
            beside.begin(lambda n, task: n * n, number)
            assert beside.answer() == number * number
        beside.begin(broken)
        with pytest.raises(ZeroDivisionError, match="beside"):
            beside.answer()


def test_nothing_is_answered_before_something_was_begun() -> None:
    with kernels.Background() as beside, pytest.raises(RuntimeError, match="no kernel was begun"):
        beside.answer()


def test_items_are_made_ahead_by_another_thread_with_the_same_settings() -> None:
    made: list[tuple[int, int]] = []

    def items() -> Any:
        for number in range(4):
            made.append((number, kernels.threads()))
            assert threading.current_thread() is not threading.main_thread()
            yield number

    with kernels.using(threads=777):
        coming = kernels.ahead(items())
        assert next(coming) == 0
        limit = time.monotonic() + 10
        while len(made) < 2 and time.monotonic() < limit:
            time.sleep(0.005)
        assert made == [(0, 777), (1, 777)]
        assert list(coming) == [1, 2, 3]


def test_items_of_several_lanes_come_by_turns_and_are_made_at_the_same_time() -> None:
    both = threading.Barrier(2)

    def items(lane: int) -> Any:
        for number in range(lane, 5, 2):
            if number < 2:
                both.wait(10)  # which breaks, where one lane begins after the other has made its item
            yield number

    assert list(kernels.ahead(items(0), items(1))) == [0, 1, 2, 3, 4]


def test_no_thread_is_started_where_fewer_may_work_than_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "cores", lambda: 4)

    def items(lane: int) -> Any:
        for number in range(lane, 5, 2):
            assert threading.current_thread() is threading.main_thread()
            yield number

    with kernels.using(threads=3):
        assert list(kernels.ahead(items(0), items(1))) == [0, 1, 2, 3, 4]


def test_lanes_are_cancelled_together() -> None:
    """Kernels of two lanes that stop only when both were told to: whoever waits for one before telling the other waits in vain."""
    begun, told = threading.Barrier(3), threading.Barrier(2)

    def endless(task: _kernels.Task) -> None:
        begun.wait(10)
        while not task.cancelled:
            time.sleep(0.005)
        told.wait(10)
        raise _kernels.Cancelled

    def broken() -> Any:
        begun.wait(10)
        raise ZeroDivisionError("one lane")
        yield

    with pytest.raises(ZeroDivisionError, match="one lane"):
        next(kernels.ahead(broken(), *((kernels.run(endless) for _ in range(1)) for _ in range(2))))
    assert not told.broken


def test_a_lane_that_nobody_wants_ends_with_its_next_kernel() -> None:
    """However short that is: a kernel that ends before it can be told to stop is the last one all the same."""
    begun = threading.Event()

    def items() -> Any:
        yield 0
        while True:
            kernels.run(lambda task: begun.set())

    assert closed_soon(kernels.ahead(items()), begun)


def closed_soon(coming: Any, begun: threading.Event) -> bool:
    """Whether items that are made ahead are closed without delay, after one was taken and work on the next has begun."""
    next(coming)
    assert begun.wait(10)
    asked = time.monotonic()
    coming.close()
    return time.monotonic() - asked < 5


def test_an_error_of_what_makes_items_is_raised_where_they_are_used() -> None:
    def items() -> Any:
        yield 1
        raise ZeroDivisionError("ahead")

    coming = kernels.ahead(items())
    assert next(coming) == 1
    with pytest.raises(ZeroDivisionError, match="ahead"):
        next(coming)


def test_kernels_that_make_an_item_are_cancelled_when_nobody_wants_it() -> None:
    begun = threading.Event()

    def endless(task: _kernels.Task) -> None:
        begun.set()
        while not task.cancelled:
            time.sleep(0.005)
        raise _kernels.Cancelled

    def items() -> Any:
        yield 1
        yield kernels.run(endless)

    assert closed_soon(kernels.ahead(items()), begun)


def test_a_program_that_fails_while_items_are_made_ahead_ends() -> None:
    """Whatever holds on to the items: the thread that makes them is gone when the interpreter ends."""
    program = textwrap.dedent(
        """
        import time
        from shoal import kernels

        def items():
            for number in range(100):
                time.sleep(0.2)
                yield number

        def use(coming):
            for number in coming:
                raise ValueError(number)

        use(kernels.ahead(items()))
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "ValueError: 0" in done.stderr
