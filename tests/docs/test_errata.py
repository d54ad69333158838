"""Every test that the page of errata names exists."""

from __future__ import annotations

import ast
import re

from helpers.docs import ROOT

PAGE = (ROOT / "docs" / "errata.md").read_text("utf-8")
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)


def functions_of(name: str) -> set[str]:
    path = ROOT / (name if "/" in name else f"tests/papers/{name}")
    assert path.is_file(), f"there is no {path.relative_to(ROOT)}"
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_test_that_is_named_exists() -> None:
    missing = [f"{file}::{test}" for file, test in NAMED if test not in functions_of(file)]
    assert missing == []


def test_every_row_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| where", "| ---"))]
    assert len(rows) > 25
    assert [row[:60] for row in rows if "::test_" not in row] == []


def test_every_test_of_errata_is_on_the_page() -> None:
    assert {name for name in functions_of("test_errata.py") if name.startswith("test_")} <= {test for _, test in NAMED}


def test_no_test_is_named_in_another_way() -> None:
    assert len(re.findall(r"\btest_\w+", re.sub(r"`[\w/]+\.py::\w+`", "", PAGE).replace("test_errata.py::test_…", ""))) == 0
