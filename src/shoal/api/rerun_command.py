"""The command that repeats the release of a comparison cell, also as a configuration file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import OPPOSITES
from shoal.evaluate.compare.comparison import Making
from shoal.evaluate.compare.grid import Cell, concerning

RELEASE = "RELEASE"  # stands for a directory of the user's choice


def making(cell: Cell, inputs: Sequence[Path], said: Mapping[str, Any]) -> Making:
    """Return the command that makes the release of this cell from these inputs and their options."""
    options = {"method": cell.method, **dict(cell.settings), **concerning(cell, said)}
    named = {name.replace("_", "-"): value for name, value in options.items()}
    words = [word for name, value in named.items() for word in _typed(name, value)]
    command = shlex.join(["shoal", "anonymize", *map(str, inputs), *words, "--out", RELEASE])
    return Making(command, "\n".join(f"{name} = {_toml(value)}" for name, value in named.items()))


def _typed(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--{OPPOSITES.get(name, f'no-{name}')}"]
    several = value if isinstance(value, (tuple, list)) else [value]
    return [word for one in several for word in (f"--{name}", str(one))]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return str(value) if isinstance(value, (int, float)) else '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
