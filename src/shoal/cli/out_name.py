"""A release is a directory: `--out x.csv` is refused with the command that was probably meant."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from shoal.errors import ParameterError
from shoal.io.write.output_format import named_as_file

OUT, TO = ("--out", "-o"), ("--to",)


def refuse_file_name(out: Path, command: str, typed: Sequence[str]) -> None:
    """Raise where the directory to write is called like a file. `typed` are the words behind the command."""
    format = named_as_file(out)
    if format:
        directory = out.with_suffix("")
        meant = shlex.join([*command.split(), *_without(typed, (*OUT, *TO)), "--out", str(directory), "--to", format])
        raise ParameterError(f"--out names a directory, and {out.name} is the name of a file", hint=f"type: {meant}")


def _without(typed: Sequence[str], options: Sequence[str]) -> list[str]:
    """The words without these options and their values."""
    left, skip = [], False
    for word in typed:
        attached = any(word.startswith(f"{name}=" if name.startswith("--") else name) and word != name for name in options)
        if not skip and not attached and word not in options:
            left.append(word)
        skip = not skip and word in options
    return left
