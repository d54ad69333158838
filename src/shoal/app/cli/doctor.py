"""shoal doctor: is everything in place?"""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from shoal import __version__, kernels
from shoal.app.cli import screen

NEEDED = ("numpy", "scipy", "polars", "click", "rich", "jinja2")
OPTIONAL = {
    "pyarrow": "shoal[arrow]: Arrow arrays in and out",
    "pandas": "pandas frames as input",
    "opendp": "shoal[dp]: noise for differential privacy",
    "ua_parser": "shoal[accesslog]: user agents of access logs",
    "vl_convert": "shoal[compare]: the page of a comparison",
}

DISTRIBUTED_AS = {"vl_convert": "vl-convert-python"}


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(as_json: bool) -> None:
    """Versions, threads, kernels and optional parts."""
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
