"""The Python reference: pages that let autodoc describe every public name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

import shoal
from markup import rst_heading
from shoal.methods import METHODS
from shoal.privacy import MODELS
from sources import write

FOLDER = "reference/python"
MEMBERS = ("members", "undoc-members")


def public_names() -> dict[str, object]:
    """The names of `shoal.__all__` but for the version."""
    return {name: getattr(shoal, name) for name in shoal.__all__ if name != "__version__"}


def write_python_names(target: Path) -> None:
    """Write all pages of the Python reference below a directory."""
    names = public_names()
    errors = [name for name, value in names.items() if inspect.isclass(value) and issubclass(value, Exception)]
    classes = [name for name, value in names.items() if inspect.isclass(value) and name not in errors]
    functions = [name for name in names if name not in {*errors, *classes}]
    pages = {
        "functions": ("Functions", "What the command line does, under the same names.", _entries("autofunction", "shoal", functions)),
        "classes": ("Classes", "What the functions return and take.", _entries("autoclass", "shoal", classes, MEMBERS)),
        "errors": ("Errors", ":doc:`/docs/errors` lists the codes.", _entries("autoexception", "shoal", errors, ("show-inheritance",))),
        "methods": ("shoal.methods", METHODS_TEXT, _entries("autoclass", "shoal.methods", METHODS.classes)),
        "privacy": ("shoal.privacy", MODELS_TEXT, _entries("autoclass", "shoal.privacy", MODELS.classes)),
    }
    for name, (title, text, entries) in pages.items():
        write(target / FOLDER / f"{name}.rst", "\n".join([rst_heading(title), text, "", *entries]))
    write(target / FOLDER / "index.rst", _index(pages))


METHODS_TEXT = """
Every method is a class whose arguments are the method's parameters. Give an instance to :py:func:`shoal.anonymize`, or the name of the
method and its parameters. :doc:`/reference/commands/method-options` describes every parameter. ``METHODS`` maps names to classes.
"""
MODELS_TEXT = """
Every privacy model is a class whose arguments are the model's parameters. :doc:`/docs/models` describes what each protects.
``MODELS`` maps names to classes.
"""


def _index(pages: Iterable[str]) -> str:
    text = "Made from the docstrings of the package. :doc:`/docs/python` is a guide with examples.\n"
    return "\n".join([rst_heading("Python reference"), text, ".. toctree::", "   :maxdepth: 2", "", *(f"   {page}" for page in pages), ""])


def _entries(directive: str, module: str, names: Iterable[str], options: tuple[str, ...] = ()) -> Iterator[str]:
    for name in names:
        yield rst_heading(name, "-")
        yield "\n".join([f".. {directive}:: {module}.{name}", *(f"   :{option}:" for option in options), ""])
