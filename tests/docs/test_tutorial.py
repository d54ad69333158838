"""The tutorial notebook, run from top to bottom: it gives what it shows, and shows nothing of the machine it was made on."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.docs import ROOT
from helpers.notebook import executed, outputs, read

TUTORIAL = ROOT / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def committed() -> Any:
    return read(TUTORIAL)


# Other people's libraries start the kernel; what they warn of is not for us to mend.
@pytest.mark.filterwarnings("default")
def test_the_notebook_gives_what_it_shows(committed: Any, tmp_path: Path) -> None:
    shown, given = outputs(committed), outputs(executed(committed, tmp_path))
    told = "run `python scripts/refresh_docs.py docs/tutorial.ipynb` if what is given now is right"
    for (source, before), (_, now) in zip(shown, given, strict=True):
        assert now == before, f"{source}\n\n{told}"


def test_the_notebook_was_run_from_top_to_bottom(committed: Any) -> None:
    cells = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(cell.outputs) for cell in cells) > len(cells) / 2
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]


def test_the_notebook_shows_nothing_of_the_machine(committed: Any) -> None:
    text = TUTORIAL.read_text("utf-8")
    for place in (str(ROOT), sys.prefix, str(Path.home()), "/tmp", "/home/", "/root", "site-packages"):
        assert place not in text
    assert not re.search(r"0x[0-9a-f]{6,}", text)
    assert committed.metadata.get("language_info", {}).get("version") is None


def test_the_notebook_shows_a_result_without_script_or_network(committed: Any) -> None:
    pages = [given["text/html"] for _, given_all in outputs(committed) for given in given_all if "text/html" in given]
    assert any("<svg" in page and "k-anonymity" in page for page in pages)
    assert not [page for page in pages if "<script" in page or "://" in page]


def test_no_customer_is_named_in_what_is_shown(committed: Any) -> None:
    """The customers of the tutorial are called C0000 and so on; nothing that shoal prints names one."""
    shown = str(outputs(committed))
    assert 'f"C{' in shown or "C{n" in shown  # the name is made in a cell, so this test can fail
    assert not re.search(r"\bC\d{4}\b", shown)
