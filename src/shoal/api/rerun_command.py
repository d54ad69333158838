"""How a release is made by hand: the command to type, and its options as a config file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import OPPOSITES
from shoal.evaluate.compare.comparison import Making
from shoal.evaluate.compare.grid import Cell, concerning
from shoal.util.wording import toml_value

RELEASE = "RELEASE"  # placeholder for a directory of the user's choice


def making(cell: Cell, inputs: Sequence[Path], keywords: Mapping[str, Any]) -> Making:
    """Return the command that makes the release of this cell from these inputs and their options."""
    options = {"method": cell.method, **dict(cell.settings), **concerning(cell, keywords)}
    return Making(anonymize_command(map(str, inputs), options, RELEASE), options_file(options))


def anonymize_command(inputs: Iterable[str], options: Mapping[str, Any], out: str) -> str:
    """Return the command that makes a release with these options, which include the method and its parameters."""
    return _command("anonymize", inputs, options, out)


def compare_command(inputs: Iterable[str], options: Mapping[str, Any], out: str) -> str:
    """Return the command that makes a comparison with these options, which include methods and settings."""
    return _command("compare", inputs, options, out)


def attack_command(original: str, release: str, options: Mapping[str, Any]) -> str:
    """Return the command that attacks a release with what is known about people in its original."""
    return shlex.join(["shoal", "attack", original, release, *_words(options)])


def look_command(inputs: Iterable[str], options: Mapping[str, Any]) -> str:
    """Return the command that shows how a file is read with these options."""
    return shlex.join(["shoal", "look", *inputs, *_words(options)])


def advise_command(inputs: Iterable[str], options: Mapping[str, Any]) -> str:
    """Return the command that proposes releases, with these options, which include the goal."""
    return shlex.join(["shoal", "advise", *inputs, *_words(options)])


def audit_command(release: str, options: Mapping[str, Any]) -> str:
    """Return the command that audits a release from its files."""
    return shlex.join(["shoal", "audit", release, *_words(options)])


def taxonomy_command(does: str, inputs: Iterable[str], options: Mapping[str, Any]) -> str:
    """Return the command that makes or tests a taxonomy with these options: `learn`, `build` or `coverage`."""
    return shlex.join(["shoal", "taxonomy", does, *inputs, *_words(options)])


def _command(name: str, inputs: Iterable[str], options: Mapping[str, Any], out: str) -> str:
    return shlex.join(["shoal", name, *inputs, *_words(options), "--out", out])


def _words(options: Mapping[str, Any]) -> list[str]:
    return [word for option, value in options.items() for word in _typed(option.replace("_", "-"), value)]


def options_file(options: Mapping[str, Any]) -> str:
    """Return the same options as a config file."""
    return "\n".join(f"{name.replace('_', '-')} = {toml_value(value)}" for name, value in options.items())


def _typed(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--{OPPOSITES.get(name, f'no-{name}')}"]
    several = value if isinstance(value, (tuple, list)) else [value]
    return [word for one in several for word in (f"--{name}", str(one))]
