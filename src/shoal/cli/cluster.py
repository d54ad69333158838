"""shoal anonymize --engine spark: the same command on a cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.cli import screen
from shoal.cli.print_result import told
from shoal.errors import ParameterError
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import LISTS
from shoal.methods import Method
from shoal.pipeline.options import Preparation, Target

# Options that no cluster takes.
ONE_MACHINE = ("rules", "claim", "bound", "private-report", "previous", "threads", "attack", "memory", "patience")


@dataclass(frozen=True)
class Asked:
    """What is to be made of what, and where to."""

    input: Sequence[Path]
    how: Preparation
    method: Method
    target: Target


def on_cluster(asked: Asked, engine: str | None, master: str | None, others: Sequence[Any], as_json: bool) -> bool:
    """Whether the work was asked for on a cluster, and done there; `others` are options that are for one machine, and refused."""
    if engine is None and master is None:
        return False
    if engine is None:
        raise ParameterError("--master is Spark's, and the work is to be done on this machine", hint="add --engine spark")
    for name, value in zip(ONE_MACHINE, others, strict=True):
        if value:
            raise ParameterError(f"--{name} is for one machine", hint="leave it out, or --engine")
    if asked.target.format != "parquet" or asked.target.layout != LISTS:
        raise ParameterError("a cluster writes Parquet files of lists", hint="leave --to and --layout out")
    run = _engine()
    run.insist_on_support(asked.how, asked.method)
    directory = ReleaseDirectory(asked.target.directory, force=asked.target.force)
    screen.note(*directory.clear())
    directory.check()
    made = run.release_on_cluster([as_url(str(path)) for path in asked.input], asked.how, asked.method, asked.target, master)
    screen.note(*made.notes)
    screen.note(*made.left_out)
    told(made.verdicts, made.manifest, asked.target.directory, as_json=as_json)
    return True


def as_url(path: str) -> str:
    """A path as it was typed: the command line makes one slash of two, as they are the same in paths and not in URLs."""
    return re.sub(r"^((?!file:)[a-z][a-z0-9+.-]+):/+", r"\1://", path)


def _engine() -> Any:
    try:
        from shoal.cluster import run
    except ImportError:
        raise ParameterError("--engine spark needs pyspark and pyarrow", hint="pip install 'shoal[spark]', and Java 17 or later") from None
    return run
