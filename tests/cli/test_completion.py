"""Completion in shells, asked for by the environment as a shell does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.cli import clean_environment, one_line, typed
from shoal.methods import METHODS

# How each shell says what is typed so far: the words, and which of them the cursor stands in (fish gives the word itself).
AT = {"bash": "{at}", "zsh": "{at}", "fish": "{word}"}


def completed(shell: str, *words: str) -> list[str]:
    """The words that may stand where the last of these does."""
    at = AT[shell].format(at=len(words) - 1, word=words[-1])
    answer = typed(env={"_SHOAL_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": at})
    assert (answer.code, answer.err) == (0, ""), answer
    lines = answer.out.splitlines()
    return lines[1::3] if shell == "zsh" else [line.split(",", 1)[1].split("\t")[0] for line in lines]


@pytest.mark.parametrize("shell", AT)
def test_the_script_is_printed(shell: str):
    answer = typed(env={"_SHOAL_COMPLETE": f"{shell}_source"})
    assert answer.code == 0
    assert f"_SHOAL_COMPLETE={shell}_complete" in answer.out
    assert "Usage" not in answer.out


@pytest.mark.parametrize("shell", AT)
def test_options_commands_and_methods_are_completed(shell: str):
    assert completed(shell, "shoal", "anonymize", "--meth") == ["--method"]
    assert completed(shell, "shoal", "anon") == ["anonymize"]
    assert completed(shell, "shoal", "anonymize", "--method", "co") == [name for name in METHODS if name.startswith("co")]
    assert completed(shell, "shoal", "anonymize", "--method", "clump", "--crit") == ["--criterion"]


# How a shell is asked for what the Tab key would offer behind these words, once it has taken the script.
PRESSING_TAB = {
    "bash": 'source script; COMP_WORDS=({words}); COMP_CWORD={at}; _shoal_completion shoal; printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "autoload -Uz compinit; compinit -u -D; source script; words=({words}); CURRENT={after}; "
    '_describe() {{ print -l -- "${{(@P)3:-${{(@P)2}}}}" }}; compadd() {{ print -l -- "${{(@P)argv[-1]}}" }}; _shoal_completion',
    "fish": 'source script; complete -C "{words}"',
}


@pytest.mark.parametrize("shell", AT)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("shoal", "anon"), "anonymize"),
        (("shoal", "anonymize", "--metho"), "--method"),
        (("shoal", "anonymize", "-m", "parti"), "partition"),
    ],
)
def test_the_shell_itself_completes(shell: str, words: tuple[str, ...], offered: str, tmp_path: Path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(typed(env={"_SHOAL_COMPLETE": f"{shell}_source"}).out)
    shoal = tmp_path / "shoal"
    shoal.write_text(f'#!/bin/sh\nexec {sys.executable} -m shoal "$@"\n')
    shoal.chmod(0o755)
    asked = PRESSING_TAB[shell].format(words=" ".join(words), at=len(words) - 1, after=len(words))
    environment = {**clean_environment(), "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run([program, "-c", asked], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120, check=False)
    found = [line.replace("\\", "").split("\t")[0].split(":")[0] for line in done.stdout.splitlines()]
    assert offered in found, (done.stdout, done.stderr)
    assert not any(line.startswith("anonymize") for line in found if offered != "anonymize")


def test_what_there_is_not_is_refused():
    for asked in ("tcsh_source", "bash_sauce", "bash"):
        assert "_SHOAL_COMPLETE names an unknown shell or action" in one_line(typed(env={"_SHOAL_COMPLETE": asked}))
