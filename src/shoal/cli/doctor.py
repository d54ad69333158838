"""shoal doctor: is everything in place, and what did killed runs leave in a directory?"""

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
from shoal.io.partial_outputs import ALIVE, DEAD, Leftover, is_named_like_one, leftovers, remove

NEEDED = ("numpy", "scipy", "polars", "click", "rich", "jinja2")
OPTIONAL = {
    "pyarrow": "shoal[arrow]: Arrow arrays in and out",
    "pandas": "pandas frames as input",
    "opendp": "shoal[dp]: noise for differential privacy",
    "ua_parser": "shoal[accesslog]: user agents of access logs",
    "vl_convert": "shoal[compare]: the page of a comparison",
}

DISTRIBUTED_AS = {"vl_convert": "vl-convert-python"}


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("directory", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--clean", is_flag=True, help="Remove what killed runs left in DIR.")
@click.option("--recursive", "-r", is_flag=True, help="Also examine the directories below DIR.")
@click.option("--any-machine", is_flag=True, help="Also remove what runs on other machines left. Only if none of them is alive.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(directory: tuple[Path, ...], clean: bool, recursive: bool, any_machine: bool, as_json: bool) -> int:
    """Versions, threads, kernels and optional parts. With DIR, list the unfinished output that killed runs left there.

    Only directories that shoal has marked as its own are removed. The exit code is 1 if --clean leaves anything but the output of living
    runs.
    """
    if directory:
        return _examine(_found(directory, recursive=recursive, any_machine=any_machine), clean, any_machine, as_json)
    if clean or recursive or any_machine:
        raise ParameterError("these options need a directory", hint="shoal doctor --clean DIR")
    _show_parts(as_json)
    return 0


def _found(directories: Sequence[Path], *, recursive: bool, any_machine: bool) -> list[Leftover]:
    """What has the name of unfinished output in these directories; one of them may itself have such a name."""
    found: dict[Path, Leftover] = {}
    for directory in directories:
        if not directory.is_dir():
            raise InputError(f"{directory} is not a directory", hint="name the directory in which releases are written")
        if is_named_like_one(directory.absolute()):
            own = directory.absolute()
            found |= {one.path: one for one in leftovers(own.parent, any_machine=any_machine) if one.path == own}
            continue
        places = [directory, *(_below(directory) if recursive else ())]
        found |= {one.path: one for place in places for one in leftovers(place, any_machine=any_machine)}
    return list(found.values())


def _below(directory: Path) -> list[Path]:
    """All directories below one, without unfinished ones and what is in them. Links are not followed."""
    found = []
    for place, inner, _ in os.walk(directory):
        inner[:] = sorted(name for name in inner if not is_named_like_one(Path(place, name)) and not Path(place, name).is_symlink())
        found += [Path(place, name) for name in inner]
    return found


def _examine(found: Sequence[Leftover], clean: bool, any_machine: bool, as_json: bool) -> int:
    """List the leftovers, after removing those that can be removed if that was asked for."""
    rows: list[dict[str, Any]] = []
    left = False
    for one in found:
        removal = remove(one, any_machine=any_machine) if clean else None
        state = one.state if removal is None else removal.leftover.state
        done, reason = ("", one.reason) if removal is None else (removal.done, removal.left)
        left = left or (clean and not done and state != ALIVE)
        rows.append({"path": str(one.path), "state": state, "removed": bool(done), "done": done, "reason": reason})
    if as_json:
        screen.as_json({"leftovers": rows})
    elif not rows:
        screen.lines("nothing unfinished was found")
    else:
        screen.listing(["directory", "state", ""], [(row["path"], row["state"], _outcome(row)) for row in rows])
    return 1 if left else 0


def _outcome(row: dict[str, Any]) -> str:
    if row["done"]:
        return str(row["done"])
    if row["state"] == DEAD and not row["reason"]:
        return "can be removed with --clean"
    return f"left alone: it {row['reason']}"


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
    found = import_module("shoal._kernels")
    task = found.Task()
    found.canonical_rows(*_one_row(), False, 1, task)
    return "loaded and answering"


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
