"""Shared code names no method and no model, and reads no parameter of a method by its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal
from shoal.methods import METHODS
from shoal.privacy import MODELS

ROOT = Path(shoal.__file__).parent
PARTS = ("api", "auditing", "cli", "data", "evaluate", "io", "kinds", "masking", "metrics", "pipeline", "report")
# What is about methods or models of its own, and shared by nobody.
OWN = {
    "evaluate/reproduce": "the experiments of a paper are about the methods of that paper",
    "evaluate/advise/routes.py": "the routes of a goal are methods",
    "evaluate/epsilon_audit.py": "the experiment is about methods with noise",
    "evaluate/attack/run_attacks.py": "classes of a table are re-identified by the columns of its model",
    "pipeline/topic_claims.py": "names of topics have a model of their own",
}
SHARED = sorted(
    file for part in PARTS for file in (ROOT / part).rglob("*.py") if not file.relative_to(ROOT).as_posix().startswith(tuple(OWN))
)
NAMES = (set(METHODS) | set(MODELS)) - {"shoal"}  # which is also what the manifest calls the program
PLACES = {place.split(":")[0] for table in (METHODS, MODELS) for place in table._places.values()}


def faults(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES:
            found.append(f"line {node.lineno}: {node.value!r}")
        if isinstance(node, ast.ImportFrom) and node.module in PLACES:
            found.append(f"line {node.lineno}: from {node.module}")
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.value, ast.Attribute) and node.value.attr == "parameters":
            found.append(f"line {node.lineno}: a parameter by its name")
    return found


def test_every_part_is_there() -> None:
    assert {file.relative_to(ROOT).parts[0] for file in SHARED} == set(PARTS)
    assert all((ROOT / place).exists() for place in OWN)


def test_no_method_and_no_model_is_named() -> None:
    assert not {str(file): found for file in SHARED if (found := faults(ast.parse(file.read_text("utf-8"))))}


NAMING = [
    'name == "k-anonymity"',
    "from shoal.methods.clump import Clump",
    'release.parameters["eps"]',
    'release.parameters.get("eps")',
    'x = {"ssc", "tds"}',
]


@pytest.mark.parametrize("code", NAMING)
def test_the_test_can_fail(code: str) -> None:
    assert faults(ast.parse(code))
