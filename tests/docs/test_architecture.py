"""The architecture page agrees with the sources: its packages, its layers, and the modules it names."""

from __future__ import annotations

import importlib
import re
import tomllib

import pytest

from helpers.docs import ROOT
from shoal.methods import METHODS

PACKAGE = ROOT / "src" / "shoal"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.(?:py|hpp|cpp|pyi))(?![\w-])")
DIRECTORY = re.compile(r"`((?:[\w-]+/)+)`")
PLACES = (PACKAGE, ROOT, ROOT / "tests" / "cli", PACKAGE / "microaggregation")
FLOW = {
    "Method.apply": ("shoal.methods", "Method", "apply"),
    "Model.check": ("shoal.data.claims", "Model", "check"),
    "metrics: measure": ("shoal.metrics", "measure"),
    "GuaranteeNotMet": ("shoal.errors", "GuaranteeNotMet"),
}


def fenced(kind: str, word: str) -> str:
    """The only fenced block of this kind that contains the word."""
    (found,) = [text for name, text in FENCED.findall(PAGE) if name == kind and word in text]
    return str(found)


def test_the_layers_are_those_that_the_linter_checks() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    shown = [layer.strip() for layer in fenced("text", "cli > studio").replace("\n", " ").split(">")]
    assert shown == [layer.replace("shoal.", "") for layer in layers]


def test_the_linter_keeps_every_method_out_of_the_bases() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (listed,) = [contract["forbidden_modules"] for contract in contracts if contract.get("source_modules") == ["shoal.methods.bases"]]
    assert sorted(listed) == sorted({method.__module__ for method in METHODS.values()})


def test_the_tree_lists_every_package_and_no_other() -> None:
    tree = fenced("text", "src/shoal/")
    listed = set(re.findall(r"(?<=[ \n])([a-z]+)/(?= |\n)", tree.split("cpp/")[0])) - {"shoal"}
    packages = {place.name for place in PACKAGE.iterdir() if (place / "__init__.py").exists()}
    nested = {"attack", "advise", "compare", "reproduce", "bases"}
    assert listed - nested == packages


@pytest.mark.parametrize("name", sorted({*FILE.findall(PAGE)}))
def test_files_of_the_page_exist(name: str) -> None:
    assert any((place / name).is_file() for place in PLACES), name


@pytest.mark.parametrize("name", sorted({*DIRECTORY.findall(PAGE)}))
def test_directories_of_the_page_exist(name: str) -> None:
    assert any((place / name).is_dir() for place in PLACES), name


@pytest.mark.parametrize("label", FLOW)
def test_the_picture_names_functions_that_exist(label: str) -> None:
    assert label in fenced("mermaid", "flowchart")
    module, *names = FLOW[label]
    found = importlib.import_module(module)
    for name in names:
        found = getattr(found, name)


def test_the_picture_names_packages_that_exist() -> None:
    for label in re.findall(r'\["([a-z_/]+)(?:\.py)?:', fenced("mermaid", "flowchart")):
        place = PACKAGE / label
        assert place.is_dir() or place.with_suffix(".py").is_file(), label
