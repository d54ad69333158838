"""The examples in the docstrings of the Python interface, run."""

from __future__ import annotations

import doctest
from types import ModuleType

import polars as pl
import pytest

import shoal
from helpers.cli import Shell
from shoal.pipeline import api, result

MODULES = {module.__name__: module for module in (api, result)}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_print_what_they_show(shell: Shell, name: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testmod(MODULES[name], extraglobs={"shoal": shoal, "pl": pl}, optionflags=flags)
    assert done.attempted > 3
    assert not done.failed


@pytest.mark.parametrize("name", [n for n in api.__all__ if n not in {"audit", "measure"}])
def test_every_function_shows_an_example(name: str) -> None:
    module: ModuleType = api
    assert ">>> " in (getattr(module, name).__doc__ or "")
