"""The docstrings of the Python interface: they describe every argument, and their examples run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.cli import Shell
from shoal.api import catalogue, evaluation, functions, learn_taxonomy, masking, preview, result
from shoal.api.data_options import DATA_OPTIONS, FileOptions
from shoal.auditing import audit
from shoal.errors import ShoalError
from shoal.evaluate.attack import attack_result as attacked
from shoal.io.read import taxonomies
from shoal.io.read.options import ReadOptions
from shoal.pipeline import events, look
from shoal.synthetic.querylog import QueryLog
from shoal.taxonomy import wordnet

MODULES = {module.__name__: module for module in (functions, evaluation, catalogue, preview, result, audit, attacked, events, look)}
PUBLIC: dict[str, Any] = {name: getattr(shoal, name) for name in shoal.__all__ if name != "__version__"}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
OF_TAXONOMIES = {"read_taxonomy": taxonomies, "wordnet": wordnet}
CLASSES = {name: PUBLIC[name] for name in ("Attacked", "Audit", "Cancel", "Events", "Look", "Result")}
METHODS = {
    f"{name}.{method}": value
    for name, kind in CLASSES.items()
    for method, value in vars(kind).items()
    if isinstance(value, FunctionType) and not method.startswith("_")
}
# What functions take by keyword without naming it.
BY_KEYWORD = {
    "read": {one.name for one in fields(ReadOptions)} - {"drop_others", "needs_times", "needs_clicks", "needs_names"},
    "generate": {declared.name for declared in QueryLog.parameters()} - {"users", "seed"},
    "compare": set(FileOptions.__annotations__),
    **{name: set(DATA_OPTIONS) for name in ("bound", "look", "audit", "measure", "attack")},
}


def section(of: Any, name: str) -> str:
    """The text of a section of a docstring in Google style; empty if there is none."""
    found = re.search(rf"^{name}:\n(.*?)(?=^\w+:$|\Z)", inspect.getdoc(of) or "", re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def described(of: Callable[..., Any]) -> list[str]:
    """The names of the arguments that a docstring describes, in order."""
    return re.findall(r"^ {4}\**(\w+): \S", section(of, "Args"), re.MULTILINE)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_print_what_they_show(shell: Shell, name: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testmod(MODULES[name], extraglobs={"shoal": shoal, "pl": pl}, optionflags=flags)
    assert done.attempted >= 3
    assert not done.failed


@pytest.mark.parametrize("name", OF_TAXONOMIES)
def test_the_examples_of_taxonomies_print_what_they_show(shell: Shell, name: str) -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for example in finder.find(getattr(OF_TAXONOMIES[name], name), name, globs={"shoal": shoal}):
        runner.run(example)
    assert runner.tries >= 2
    assert not runner.failures


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_describes_every_argument_what_it_returns_and_raises(name: str) -> None:
    function = FUNCTIONS[name]
    assert set(described(function)) == set(inspect.signature(function).parameters)
    assert section(function, "Returns").strip()
    assert ">>> " in section(function, "Example")
    raised = re.findall(r"^ {4}(\w+): ", section(function, "Raises"), re.MULTILINE)
    assert raised
    assert all(issubclass(getattr(shoal.errors, error), ShoalError) for error in raised)


@pytest.mark.parametrize("name", BY_KEYWORD)
def test_every_keyword_that_the_signature_does_not_name_is_in_the_docstring(name: str) -> None:
    text = section(FUNCTIONS[name], "Args")
    assert {keyword for keyword in BY_KEYWORD[name] if not re.search(rf"\b{keyword}\b", text)} == set()


def test_the_functions_are_those_of_the_modules() -> None:
    modules = (functions, evaluation, masking, catalogue, learn_taxonomy, preview)
    assert set(FUNCTIONS) == {name for module in modules for name in module.__all__} | {*OF_TAXONOMIES, "from_sql"}
    for module in (functions, evaluation, preview):
        assert {*module.__all__} == {name for name, value in vars(module).items() if is_own(module, value)}


def is_own(module: Any, value: Any) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__ and not value.__name__.startswith("_")


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_shows_an_example_and_describes_its_attributes(name: str) -> None:
    kind = CLASSES[name]
    assert ">>> " in section(kind, "Example")
    names = [one.name for one in fields(kind)] if is_dataclass(kind) else []
    assert [name for name in re.findall(r"^ {4}(\w+): ", section(kind, "Attributes"), re.MULTILINE) if name in names] == names
    for attribute, value in vars(kind).items():
        if not attribute.startswith("_") and attribute not in names:
            assert getattr(value, "__doc__", None), attribute


@pytest.mark.parametrize("name", METHODS)
def test_every_method_describes_every_argument(name: str) -> None:
    method = METHODS[name]
    assert described(method) == [argument for argument in inspect.signature(method).parameters if argument != "self"]
    assert "Returns:" in method.__doc__ or method.__doc__.startswith("Return ") or method.__annotations__["return"] == "None"
