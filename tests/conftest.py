"""The directory in which tests of the program work."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

from helpers.cli import FOOD, Shell, baskets
from helpers.rotation import ROTATING, TURNS, VARIABLE, WHOLE, chosen, current_turn, draw_examples_of_the_turn, fewer_examples, waiting

# How long an example takes says nothing on a busy machine. A failing example says how to repeat it.
settings.register_profile("any machine", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("any machine")

_STARTED = pytest.StashKey[float]()  # processor time when a test began

# A process that a shell started in the background ignores Ctrl-C, and tests of interrupts would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that make long tests longer."""
    parser.addoption("--fuzz-runs", type=int, metavar="N", help="random runs recounted by an independent checker")
    parser.addoption("--fuzz-methods", default="", metavar="A,B", help="random runs of these methods alone")
    parser.addoption("--fuzz-seed", type=int, default=0, metavar="S", help="other random runs: a thousand million numbers for each seed")
    parser.addoption("--everything", action="store_true", help="slow tests, and all cases of tests of which a run takes a part")
    parser.addoption("--slow", action="store_true", help="tests that take a minute or two each")
    parser.addoption("--all-signals", action="store_true", help="80 interrupts and 40 kills while a release is written, 20 of Spark")


def _no_wait(handle: int) -> None:
    """Stands for fsync. No test survives a power failure, and thousands of small releases would wait for the disk."""
    os.fstat(handle)


def pytest_configure(config: pytest.Config) -> None:
    os.environ[VARIABLE] = str(current_turn())
    os.environ["SHOAL_PROGRESS"] = "off"  # lines that come after some seconds would make what is printed depend on the machine
    os.fsync = _no_wait  # type: ignore[assignment]
    os.environ["SHOAL_ADVICE"] = "0"  # tests of the advice after a poor release give it time


def pytest_report_header(config: pytest.Config) -> str:
    repeat = f"{VARIABLE}={os.environ[VARIABLE]} repeats it with its random examples"
    if config.getoption("--everything"):
        return f"all cases of all tests: {repeat}"
    return f"a part of the cases of {len(ROTATING) + sum(map(len, TURNS)) + len(WHOLE)} large test files: {repeat}, --everything runs all"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = []
    if not (config.getoption("--slow") or config.getoption("--everything")):
        slow = [item for item in items if item.get_closest_marker("slow")]
        for item in slow:
            item.add_marker(pytest.mark.skip(reason="takes a minute or two: --slow runs it"))
    named = any("::" in argument for argument in config.args)  # a test that is named runs
    if not config.getoption("--everything") and not named:
        for item in waiting(items, int(os.environ[VARIABLE])):
            item.add_marker(pytest.mark.skip(reason="runs at one of some commits, and with --everything"))
        skipped = {id(item) for item in slow}  # takes no turn from a test that runs
        taken = {id(item) for item in chosen((item for item in items if id(item) not in skipped), int(os.environ[VARIABLE]))}
        taken |= skipped
        kept = [item for item in items if id(item) in taken]
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in taken])
        items[:] = kept
        fewer_examples(getattr(item, "obj", None) for item in kept)


def _processor_seconds() -> float:
    """Processor time of this process and of the programs that it started and waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    item.stash[_STARTED] = _processor_seconds()
    if item.config.getoption("--hypothesis-seed") is None:
        draw_examples_of_the_turn(item, int(os.environ[VARIABLE]))
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Add the processor time of a test to the JUnit results: unlike the time of a clock, it says the same on a busy machine."""
    try:
        yield
    finally:
        item.user_properties.append(("processor_seconds", f"{_processor_seconds() - item.stash[_STARTED]:.3f}"))


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()  # thousands of test cases and modules stay until the end: no need to look through them again and again


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """An empty directory to type commands in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    return Shell(tmp_path, capsys)


@pytest.fixture
def kitchen(shell: Shell) -> Shell:
    """A directory with baskets.txt, its taxonomy food.csv, and a release of them for k = 3 as csv."""
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    made = shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--to", "csv", "--out", "release")
    assert made.code == 0, made.err
    return shell


@pytest.fixture
def as_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """Work for a while as a user without rights, in a directory that this user can read. Only root can do that."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    @contextmanager
    def working() -> Iterator[None]:
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)

    return working
