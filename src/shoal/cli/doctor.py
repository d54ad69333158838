"""shoal doctor: check the installation, and find unfinished output of killed runs."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from shoal import __version__, kernels
from shoal.cli import screen
from shoal.errors import InputError, ParameterError
from shoal.io.partial_outputs import ALIVE, DEAD, UNREADABLE, Leftover, examined, is_named_like_one, leftovers, remove

NEEDED = ("numpy", "scipy", "polars", "click", "rich", "jinja2", "zstandard", "ua_parser")
OPTIONAL = {
    "pyarrow": "shoal-privacy[arrow]: Arrow arrays in and out",
    "pandas": "pandas frames as input",
    "fastexcel": "shoal-privacy[excel]: Excel workbooks",
    "opendp": "shoal-privacy[dp]: noise for differential privacy",
    "duckdb": "shoal-privacy[sql]: data from DuckDB",
    "adbc_driver_postgresql": "shoal-privacy[sql]: data from PostgreSQL",
    "pyspark": "shoal-privacy[spark]: releases on a cluster",
    "vl_convert": "shoal-privacy[reproduce]: figures of the papers",
    "starlette": "shoal-privacy[studio]: the studio",
    "uvicorn": "shoal-privacy[studio]: the studio",
}

DISTRIBUTED_AS = {
    "vl_convert": "vl-convert-python",
    "ua_parser": "ua-parser",
    "adbc_driver_postgresql": "adbc-driver-postgresql",
}


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("directory", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--clean", is_flag=True, help="Remove unfinished output of killed runs in DIR.")
@click.option("--recursive", "-r", is_flag=True, help="Also examine subdirectories of DIR.")
@click.option(
    "--any-machine", is_flag=True, help="Also remove output of runs on other machines. Use it only if none of them is still running."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(directory: tuple[Path, ...], clean: bool, recursive: bool, any_machine: bool, as_json: bool) -> int:
    """Show versions, threads, kernels and optional packages. With DIR, list the unfinished output of killed runs.

    Only directories that shoal has marked as its own are removed. The exit code is 1 if --clean leaves anything but the output of active
    runs, or if a directory cannot be read.
    """
    if directory:
        return _examine(_find_leftovers(directory, recursive=recursive, any_machine=any_machine), clean, any_machine, as_json)
    if clean or recursive or any_machine:
        raise ParameterError("these options need a directory", code="missing-argument", hint="shoal doctor --clean DIR")
    _show_parts(as_json)
    return 0


def _find_leftovers(directories: Sequence[Path], *, recursive: bool, any_machine: bool) -> list[Leftover]:
    """Return what has the name of unfinished output in these directories, without duplicates. A directory may itself have such a name.

    Directories that cannot be read are included, because they may contain some.
    """
    unfinished: dict[Path, Leftover] = {}
    for directory in directories:
        if not os.path.isdir(directory):  # noqa: PTH112 - Path.is_dir raises where a directory above cannot be read
            raise InputError(
                f"{directory} is not a directory, or cannot be read",
                code="unreadable-directory",
                hint="name the directory in which releases are written",
            )
        if is_named_like_one(directory.absolute()):
            ones = [examined(directory.absolute(), any_machine=any_machine)]
        else:
            ones = _within(directory, recursive=recursive, any_machine=any_machine)
        for one in ones:
            unfinished.setdefault(one.path.absolute(), one)
    return list(unfinished.values())


def _within(directory: Path, *, recursive: bool, any_machine: bool) -> list[Leftover]:
    """Return unfinished output in a directory (and below, if `recursive`) and the directories that cannot be read."""
    unfinished: list[Leftover] = []
    for place in [directory, *(_below(directory) if recursive else ())]:
        try:
            unfinished += leftovers(place, any_machine=any_machine)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError:
            unfinished.append(Leftover(place, UNREADABLE))
    return unfinished


def _below(directory: Path) -> list[Path]:
    """Return all directories below one, except unfinished output and its content. Links are not followed.

    A directory that cannot be read is included, without those below it.
    """
    directories = []
    for place, inner, _ in os.walk(directory):
        inner[:] = sorted(name for name in inner if not is_named_like_one(Path(place, name)) and not os.path.islink(Path(place, name)))  # noqa: PTH114
        directories += [Path(place, name) for name in inner]
    return directories


def _examine(unfinished: Sequence[Leftover], clean: bool, any_machine: bool, as_json: bool) -> int:
    """List unfinished output, after removing what can be removed if `clean` is set."""
    rows: list[dict[str, Any]] = []
    left = False
    for one in unfinished:
        removal = remove(one, any_machine=any_machine) if clean and is_named_like_one(one.path) else None
        state = one.state if removal is None else removal.leftover.state
        done, reason = ("", one.reason) if removal is None else (removal.done, removal.left)
        left = left or state == UNREADABLE or (clean and not done and state != ALIVE)
        rows.append({"path": str(one.path), "state": state, "removed": bool(done), "done": done, "reason": reason})
    if as_json:
        screen.as_json({"leftovers": rows})
    elif not rows:
        screen.lines("no unfinished output found")
    else:
        screen.listing(["directory", "state", ""], [(row["path"], row["state"], _outcome(row)) for row in rows])
    return 1 if left else 0


def _outcome(row: dict[str, Any]) -> str:
    if row["done"]:
        return str(row["done"])
    if row["state"] == DEAD and not row["reason"]:
        return "can be removed with --clean"
    if row["state"] == UNREADABLE:
        return str(row["reason"])
    return f"kept: it {row['reason']}"


def _show_parts(as_json: bool) -> None:
    facts = {
        "shoal": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "threads": str(kernels.threads()),
        "kernels": _kernel_state(),
        "wordnet": _wordnet_state(),
        **{name: _version(name) for name in NEEDED},
        **{name: _version(name) if find_spec(name) else f"absent ({what})" for name, what in OPTIONAL.items()},
    }
    if as_json:
        screen.as_json(facts)
    else:
        screen.pairs("shoal doctor", list(facts.items()))


def _kernel_state() -> str:
    kernel_module = import_module("shoal._kernels")
    task = kernel_module.Task()
    kernel_module.canonical_rows(*_one_row(), False, 1, task)
    return "loaded and working"


def _one_row() -> tuple[object, ...]:
    import numpy as np

    return np.array([0, 1], np.int64), np.array([0], np.int32), np.array([1], np.int32)


def _wordnet_state() -> str:
    from shoal.taxonomy.wordnet import wordnet

    return repr(wordnet())


def _version(name: str) -> str:
    try:
        return version(DISTRIBUTED_AS.get(name, name))
    except PackageNotFoundError:
        return "MISSING"
