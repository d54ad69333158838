"""The pages on goals and on advice keep step with the goals and the table of decisions."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from helpers.docs import ROOT
from shoal.evaluate.advise.goals import GOALS
from shoal.evaluate.advise.routes import CANDIDATES, CONDITIONS
from shoal.methods import METHODS


def advice_table() -> Any:
    """The script that writes the table."""
    spec = spec_from_file_location("advice_table", ROOT / "scripts" / "advice_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = advice_table()
PAGE = (ROOT / "docs" / "advise.md").read_text("utf-8")


def test_the_page_has_the_table_of_decisions() -> None:
    assert SCRIPT.page(PAGE) == PAGE, "run python scripts/advice_table.py"
    assert PAGE.count("](methods/") >= len(CANDIDATES)


def test_the_table_names_methods_and_conditions_that_exist() -> None:
    assert {one.method for one in CANDIDATES} <= set(METHODS)
    assert {need for one in CANDIDATES for need in one.needs} <= set(CONDITIONS)


def test_every_goal_has_a_section_with_a_command() -> None:
    parts = re.split(r"^## (.+)$", (ROOT / "docs" / "goals.md").read_text("utf-8"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(found) == list(GOALS)
    assert all(re.search(r"^\$ shoal (anonymize|audit) ", text, re.MULTILINE) for text in found.values())
