"""shoal doctor DIR: what killed runs left is listed, removed with --clean, and nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from helpers.cli import Shell
from shoal.io import partial_outputs as unfinished

LIVING = """
import sys
from pathlib import Path
from shoal.io import partial_outputs as unfinished
unfinished.begin(Path("alive"))
print(flush=True)
sys.stdin.read()
"""
AsNobody = Callable[[], AbstractContextManager[None]]
NAME = f".out.0123abcd.{unfinished.machine()}.partial"


def leftover(place: Path, name: str = NAME, marked: str = "") -> Path:
    """What a killed run of Spark leaves: marked, with directories in it."""
    (place / name / "work" / "records").mkdir(parents=True)
    (place / name / "work" / "records" / "part.arrow").write_text("ann flu")
    (place / name / unfinished.MARKER).write_bytes(unfinished._marker(marked or name))
    return place / name


def entries(answer_out: str) -> dict[str, dict[str, object]]:
    return {Path(one["path"]).name: one for one in json.loads(answer_out)["leftovers"]}


def test_leftovers_are_listed_and_nothing_is_removed(shell: Shell):
    leftover(shell.directory)
    answer = shell("doctor", ".")
    assert answer.code == 0
    assert "can be removed with --clean" in answer.out
    assert entries(shell("doctor", ".", "--json").out)[NAME]["state"] == "killed"
    assert shell.names() == {NAME}


def test_leftovers_are_removed_and_named(shell: Shell):
    leftover(shell.directory)
    shell.file("log.tsv", "mine")
    answer = shell("doctor", "--clean", ".")
    assert answer.code == 0
    assert NAME in "".join(answer.out.split())
    assert "removed" in answer.out
    assert shell.names() == {"log.tsv"}
    assert shell("doctor", "--clean", ".").out == "no unfinished output found\n"


def test_one_can_be_named_itself(shell: Shell):
    other = leftover(shell.directory, NAME.replace("out", "other"))
    leftover(shell.directory)
    answer = shell("doctor", "--clean", NAME, "--json")
    assert entries(answer.out)[NAME]["removed"] is True
    assert shell.names() == {other.name}


def test_directories_below_are_examined_only_if_asked_for(shell: Shell):
    (shell.directory / "a" / "b").mkdir(parents=True)
    leftover(shell.directory / "a" / "b")
    (shell.directory / "link").symlink_to(shell.directory / "a")
    assert "no unfinished output" in shell("doctor", "--clean", ".").out
    assert shell("doctor", "--clean", "-r", ".").code == 0
    assert not (shell.directory / "a" / "b" / NAME).exists()


@pytest.mark.parametrize("clean", [(), ("--clean",)])
def test_directories_that_cannot_be_read_are_named(shell: Shell, as_nobody: AsNobody, clean: tuple[str, ...]):
    (shell.directory / "closed").mkdir(mode=0o700)
    (shell.directory / "open" / "below").mkdir(parents=True)
    (shell.directory / "open" / "below").chmod(0o700)
    listed = leftover(shell.directory / "open")
    listed.parent.chmod(0o744)  # its entries can be listed and not examined
    cases = {
        ("closed",): {"closed"},
        ("-r", "."): {"closed", "open/below", f"open/{NAME}"},
        ("open",): {f"open/{NAME}"},
        ("closed/below",): set(),
    }
    assert shell("doctor", ".").code == 0  # as root, which can read everything
    for words, unreadable in cases.items():
        with as_nobody():
            answer = shell("doctor", *clean, *words)
            told = shell("doctor", *clean, *words, "--json")
        assert answer.code == told.code == 1, answer.everything
        assert "cannot be read" in answer.everything
        if unreadable:
            rows = json.loads(told.out)["leftovers"]
            assert {row["path"] for row in rows} == unreadable
            assert {(row["state"], row["removed"], row["reason"]) for row in rows} == {("not readable", False, "cannot be read")}
    assert listed.exists()


@pytest.mark.parametrize("twice", [(".", "."), (".", "{here}"), ("{here}", "{here}/../{name}"), (NAME, "."), (".", "link")])
def test_a_directory_that_is_named_twice_is_examined_once(shell: Shell, twice: tuple[str, str]):
    leftover(shell.directory)
    (shell.directory / "link").symlink_to(".")
    words = [word.format(here=shell.directory, name=shell.directory.name) for word in twice]
    answer = shell("doctor", "--clean", *words)
    assert answer.code == 0, answer.everything
    assert shell.names() == {"link"}


def test_what_is_not_ours_is_refused(shell: Shell):
    """A directory of a similar name without a marker, with that of another directory, a link, a file, and one of another machine."""
    home = shell.directory / "home"
    leftover(shell.directory, "home", NAME)
    names = [NAME.replace("out", f"case{n}") for n in range(5)]
    (shell.directory / names[0]).mkdir()
    (shell.directory / names[0] / "thesis.tex").write_text("mine")
    leftover(shell.directory, names[1], NAME)
    (shell.directory / names[2]).symlink_to(home)
    (shell.directory / names[3]).write_text("mine")
    elsewhere = names[4].replace(unfinished.machine(), "f" * 8)
    leftover(shell.directory, elsewhere)
    before = sorted(str(path) for path in shell.directory.rglob("*"))
    answer = shell("doctor", "--clean", ".", "--json")
    assert answer.code == 1
    found = entries(answer.out)
    assert len(found) == 5
    assert not any(one["removed"] for one in found.values())
    assert {one["state"] for one in found.values()} == {"not marked", "other machine"}
    assert sorted(str(path) for path in shell.directory.rglob("*")) == before
    assert shell("doctor", "--clean", "--any-machine", ".").code == 1
    assert not (shell.directory / elsewhere).exists()
    assert (shell.directory / names[0] / "thesis.tex").exists()


def test_a_living_run_is_left_alone(shell: Shell):
    process = subprocess.Popen([sys.executable, "-c", LIVING], cwd=shell.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    answer = shell("doctor", "--clean", ".", "--json")
    assert answer.code == 0
    ((name, one),) = entries(answer.out).items()
    assert (one["state"], one["removed"]) == ("running", False)
    assert shell.names() == {name}
    process.kill()
    process.communicate()
    assert shell("doctor", "--clean", ".").code == 0
    assert shell.names() == set()


@pytest.mark.parametrize(("words", "message"), [(["--clean"], "need a directory"), (["--clean", "absent"], "is not a directory")])
def test_wrong_usage(shell: Shell, words: list[str], message: str):
    answer = shell("doctor", *words)
    assert answer.code == 1
    assert message in answer.err
