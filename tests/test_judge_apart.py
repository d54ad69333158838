"""The judge does not share code with those it judges: no method calls what a model counts with, and no model what a method counts with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import _kernels
from shoal.data.tables import KINDS

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "shoal"
BINDINGS = ROOT / "cpp" / "bind"
DEFINED = re.compile(r'(?:\b\w+\.def\(\s*|class_<\w+>\(m, )"(\w+)"')
CALLED = re.compile(r"\b_kernels\.(\w+)")

# What both may use: values and their canonical form, files, and how kernels are called. None of it counts for a claim.
COMMON = {
    "shoal.util.wording",
    "shoal.data.bags",
    "shoal.data.claims",
    "shoal.data.patience",
    "shoal.data.column_list",
    "shoal.data.value_tree",
    "shoal.data.confidence_templates",
    "shoal.data.public_table",
    "shoal.data.durations",
    "shoal.data.noise_record",
    "shoal.data.items",
    "shoal.data.item_costs",
    "shoal.data.personal_items",
    "shoal.data.original",
    "shoal.data.release",
    "shoal.data.input_shapes",
    "shoal.data.table",
    "shoal.data.tables",
    *KINDS.classes.values(),  # the kinds of tables
    "shoal.data.query_units",
    "shoal.errors",
    "shoal.parameters",
    "shoal.registry",
    "shoal.taxonomy.generalization_ladders",
    "shoal.taxonomy.senses",
    "shoal.data.taxonomy",
    "shoal.taxonomy.urls",
    "shoal.taxonomy.wordnet",
    "shoal.text.agents",
    "shoal.kernels",
    "shoal._kernels",
}
# What a method counts or copies records with, as methods of those values.
METHODS_OWN = re.compile(
    r"\.(identical|content_order|owner_ranks)\(|(bags|\.published)\.select\("
    r"|\b(shared_occurrences|misspelled|described|TermTable|number_pieces|join_words|words_of)\("
)


def judges_kernels() -> set[str]:
    return set(DEFINED.findall((BINDINGS / "judge.cpp").read_text()))


def modules(folder: str) -> Iterator[Path]:
    return (SOURCES / folder).rglob("*.py")


def is_module(name: str) -> bool:
    place = SOURCES.parent / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists() or name == "shoal._kernels"


def imported(file: Path) -> set[str]:
    """The modules of shoal that a file imports when it runs."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("shoal"):
            inside = {name.name: f"{node.module}.{name.name}" for name in node.names}
            found |= {module if is_module(module) else node.module for module in inside.values()}
    return found


def test_the_judges_kernels_are_known() -> None:
    assert {"row_classes", "known_sets", "generalizes", "generalizes_pairs"} <= judges_kernels()
    assert all(hasattr(_kernels, name) for name in judges_kernels())


def test_only_one_file_binds_the_judge() -> None:
    others = {file.name for file in BINDINGS.glob("*pp") if '"judge/' in file.read_text()}
    assert others == {"judge.cpp"}
    elsewhere = {name for file in BINDINGS.glob("*.cpp") if file.name != "judge.cpp" for name in DEFINED.findall(file.read_text())}
    assert not elsewhere & judges_kernels()


@pytest.mark.parametrize("file", sorted(modules("privacy")), ids=lambda file: file.name)
def test_models_count_with_the_judges_kernels_alone(file: Path) -> None:
    source = file.read_text()
    assert set(CALLED.findall(source)) <= judges_kernels()
    assert not METHODS_OWN.findall(source)
    assert not {name for name in imported(file) if not name.startswith("shoal.privacy")} - COMMON


def test_nothing_else_calls_the_judges_kernels() -> None:
    others = (file for file in SOURCES.rglob("*.py") if "privacy" not in file.parts)
    assert not {file.name: found for file in others if (found := set(CALLED.findall(file.read_text())) & judges_kernels())}


@pytest.mark.parametrize("file", sorted(modules("methods")), ids=lambda file: file.name)
def test_methods_take_nothing_but_models_from_the_judge(file: Path) -> None:
    """A method names the models it claims, and borrows no function by which they judge."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("shoal.privacy"):
            assert all(name.name[0].isupper() for name in node.names), [name.name for name in node.names]
