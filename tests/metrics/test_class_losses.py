"""Discernibility and the classification metric, by hand and through the command line."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell, failed

TABLE = "age,job\n10,clerk\n11,clerk\n12,cook\n50,cook\n51,cook\n52,cook\n90,clerk\n91,cook\n92,smith\n93,clerk\n"


def test_three_groups_by_hand(shell: Shell) -> None:
    """MDAV groups 10 to 12, 91 to 93, and the rest: DM = 9 + 9 + 16; of the jobs 1 + 2 + 1 of ten are not those of most."""
    shell.file("ages.csv", TABLE)
    words = ["--format", "microdata", "--keep-column", "job"]
    assert shell("anonymize", "ages.csv", *words, "--method", "mdav", "--k", "3", "--to", "csv", "--out", "release").code == 0
    asked = ["--metric", "discernibility", "--metric", "classification_loss", "--original", "ages.csv", "--json"]
    assert json.loads(shell("measure", "release", *asked).out) == pytest.approx({"discernibility": 34, "classification_loss": 0.4})


def test_a_table_without_labels(shell: Shell) -> None:
    shell.file("ages.csv", "age,pay\n1,2\n2,3\n3,4\n")
    assert (
        shell("anonymize", "ages.csv", "--format", "microdata", "--method", "mdav", "--k", "3", "--to", "csv", "--out", "release").code == 0
    )
    failed(shell("measure", "release", "--metric", "classification_loss", "--original", "ages.csv"), "missing-column")
    found = json.loads(shell("measure", "release", "--metric", "discernibility", "--original", "ages.csv", "--json").out)
    assert found == {"discernibility": 9}
