"""Completion in shells, asked for by the environment as a shell does."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from helpers_cli import one_line, typed
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


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_takes_the_script():
    script = typed(env={"_SHOAL_COMPLETE": "bash_source"}).out
    done = subprocess.run(["bash", "-c", f"{script}\ncomplete -p shoal"], capture_output=True, text=True, check=False)
    assert "shoal" in done.stdout, done.stderr


def test_what_there_is_not_is_refused():
    for asked in ("tcsh_source", "bash_sauce", "bash"):
        assert "_SHOAL_COMPLETE asks for what there is not" in one_line(typed(env={"_SHOAL_COMPLETE": asked}))
