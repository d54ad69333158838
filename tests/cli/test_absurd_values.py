"""Every option of every command with values that nobody means: one clear line, soon, and nothing written.

The options come from the commands themselves, so a new one joins by being there. A usual run takes a part of the options, another one at
each commit. The parser is given every value of each. The whole program is run with an eleventh of the values, another one at each commit;
`--slow` and `--everything` run it with all.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import pytest

from helpers.cli import FOOD, Shell, baskets, last_line
from helpers.rotation import current_turn
from shoal.cli.main import COMMANDS, cli
from shoal.cli.options import DATA_PARAMETERS, method_options
from shoal.errors import ShoalError
from shoal.methods import METHODS

SECONDS = 20
PARTS = 11  # of the values, one of them for each option; prime, so that an option meets all of them whenever its own turn comes

NUMBERS = ["0", "-1", "99999999999", "9223372036854775807", "9" * 400, "1e999", "-1e999", "NaN", "0x10", "1_0"]
TEXTS = ["", " ", "\x1b[2J", "a\nb", "\u202e", "-", "--", "\udcff", "x" * 5000, "under:", "items:", "generated:99999999999"]
PLACES = ["folder", "missing", "missing/below", "/dev/null", "/dev/zero", "pipe", "socket/..", "baskets.txt/x", "~nobody/x"]
VALUES = [*NUMBERS, *TEXTS, *PLACES]

# What a command needs to run at all; the option that is tried out comes after it and counts.
CALLS = {
    "anonymize": ["anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--k", "2", "--out", "new"],
    "audit": ["audit", "release", "--original", "baskets.txt", "--taxonomy", "food.csv"],
    "measure": ["measure", "release", "--original", "baskets.txt", "--taxonomy", "food.csv"],
    "reconstruct": ["reconstruct", "chunks", "--out", "new"],
    "attack": ["attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--targets", "5"],
    "compare": ["compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "found"],
    "reproduce": ["reproduce", "thesis", "--size", "5"],  # too few people: refused when everything else was understood
    "decode": ["decode", "release"],
    "advise": ["advise", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--seconds", "2"],
    "look": ["look", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv"],
    "mask": ["mask", "access.log", "--out", "masked.log", "--force"],
    "epsilon": ["epsilon", "shoal"],  # refused when everything else was understood: many runs take long
    "bound": ["bound", "baskets.txt", "--taxonomy", "food.csv", "--k", "2"],
    "taxonomy check": ["taxonomy", "check", "food.csv"],
    "taxonomy build": ["taxonomy", "build", "food.csv", "--levels", "parent,child"],
    "taxonomy learn": ["taxonomy", "learn", "baskets.txt", "--people", "2"],
    "taxonomy show": ["taxonomy", "show", "food.csv"],
    "taxonomy coverage": ["taxonomy", "coverage", "food.csv", "baskets.txt"],
    "generate": ["generate", "new", "--users", "3"],
    "demo": ["demo", "--out", "new", "--k", "5"],
    "methods": ["methods"],
    "models": ["models"],
    "metrics": ["metrics"],
    "doctor": ["doctor"],
    "studio": ["studio", "--no-browser", "--host", "192.0.2.1"],  # refused when everything else was understood: a server does not end
}


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        parts = getattr(command, "commands", None)
        yield from [(f"{name} {part}", inner) for part, inner in parts.items()] if parts else [(name, command)]


def options() -> list[tuple[str, str]]:
    """Every option that takes a value, of every command, and those of every method.

    How data is read is the same for all commands, and is tried with the one that writes and the one that only looks.
    """
    found = {}
    for name, command in commands():
        of_methods = [option for method in METHODS for option in method_options(method)] if name == "anonymize" else []
        elsewhere = () if name in {"anonymize", "look"} else DATA_PARAMETERS
        for option in [*command.params, *of_methods]:
            if isinstance(option, click.Option) and not option.is_flag and option.name not in elsewhere:
                found[name, max(option.opts, key=len)] = True
    return list(found)


def arguments() -> list[tuple[str, int]]:
    """Every argument of every command, by its place."""
    return [(name, at) for name, command in commands() for at, one in enumerate(a for a in command.params if isinstance(a, click.Argument))]


@contextmanager
def soon() -> Iterator[None]:
    """Fails where something waits for a pipe that nobody writes, or reads a device that never ends."""

    def late(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("absurd")
    (directory / "baskets.txt").write_text(baskets())
    (directory / "food.csv").write_text(FOOD)
    (directory / "access.log").write_text('192.0.2.1 - - [10/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0"\n')
    (directory / "folder").mkdir()
    os.mkfifo(directory / "pipe")
    return directory


@pytest.fixture
def absurd(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(place)
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    shell = Shell(place, capsys)
    if "release" not in shell.names():
        assert shell(*CALLS["anonymize"][:-1], "release").code == 0
        words = "baskets.txt", "--format", "transactions", "--method", "disassociation", "--k", "2", "--out", "chunks"
        assert shell("anonymize", *words).code == 0
        assert shell(*CALLS["compare"]).code == 0  # what is finished is not worked on again
    return shell


def tried(shell: Shell, words: list[str]) -> str:
    """What is wrong with the answer to a command; nothing if it is one clear line, or if the value was fine."""
    before = shell.names()
    with soon():
        answer = shell(*words)
    fault = ""
    if answer.code not in {0, 1, 3} or "unexpected error" in answer.err or "Traceback" in answer.err:
        fault = f"exit code {answer.code}: {answer.err[-300:]}"
    elif answer.code == 1:
        last_line(answer.err)
    for name in shell.names() - before:
        if answer.code != 0:
            fault = f"{name!r} was left"
        made = shell.directory / name
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    return fault


@pytest.fixture
def step(request: pytest.FixtureRequest) -> int:
    """How far apart the values lie that are tried with one option."""
    return 1 if request.config.getoption("--slow") or request.config.getoption("--everything") else PARTS


def methods_that_take(option: str) -> list[str]:
    named = option.removeprefix("--").replace("-", "_")
    return [name for name, kind in METHODS.items() if named in {p.name for p in kind.parameters()}]


def method_for(command: str, option: str) -> list[str]:
    """The words that choose a method with this option."""
    takers = methods_that_take(option) if command == "anonymize" else []
    if not takers or "shoal" in takers:
        return []
    return ["--method", takers[0], *(["--no-guarantee"] if METHODS[takers[0]].guarantees_nothing else [])]


@pytest.mark.parametrize(("command", "option"), options(), ids=str)
def test_the_parser_takes_or_refuses_absurd_values(absurd: Shell, command: str, option: str):
    parser = dict(commands())[command]
    words = [*CALLS[command][len(command.split()) :], *method_for(command, option)]
    faults = {}
    for value in VALUES:
        try:
            with soon():
                parser.make_context(
                    command, [*words, option, value], parent=click.Context(cli, info_name="shoal", **cli.context_settings)
                ).close()
        except OSError:
            pass  # the program prints what the operating system says, as one line
        except (click.ClickException, ShoalError) as refusal:
            message = refusal.format_message() if isinstance(refusal, click.ClickException) else str(refusal)
            if not message.strip():
                faults[value[:40]] = "refused without a reason"
        except Exception as error:
            faults[value[:40]] = f"{type(error).__name__}: {error}"
    assert not faults


@pytest.mark.parametrize(("turn", "command", "option"), [(turn, *one) for turn, one in enumerate(options())], ids=str)
def test_absurd_values_of_an_option(absurd: Shell, step: int, turn: int, command: str, option: str):
    faults = {}
    values = VALUES if option != "--out" else [*NUMBERS[:3], *TEXTS, *PLACES]  # other numbers are names like these
    for value in values[(turn + current_turn()) % step :: step]:
        if option == "--users" and value.isdigit() and int(value):
            continue  # a large number of users is a large log, which is what was asked for
        if fault := tried(absurd, [*CALLS[command], *method_for(command, option), option, value]):
            faults[value[:40]] = fault
    assert not faults


@pytest.mark.parametrize(("turn", "command", "at"), [(turn, *one) for turn, one in enumerate(arguments())], ids=str)
def test_absurd_values_of_an_argument(absurd: Shell, step: int, turn: int, command: str, at: int):
    faults = {}
    first = len(command.split())
    for value in [*TEXTS, *PLACES][(turn + current_turn()) % step :: step]:
        words = list(CALLS[command])
        words[first + at : first + at + 1] = [value]
        if fault := tried(absurd, words):
            faults[value[:40]] = fault
    assert not faults
