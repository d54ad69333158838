"""What microaggregation loses on the literature's two reference files: less than moves and swaps alone, which lose less than MDAV.

The bounds are those of a plain search by moves and swaps, L = 100 SSE / SST on standardised data. The files are not part of the project:
SHOAL_DATA names the directory that holds them.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from helpers.cli import Shell

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
BOUNDS = [
    ("tarragona", 3, 14.91),
    ("tarragona", 5, 20.83),
    ("tarragona", 10, 30.72),
    ("census", 3, 5.245),
    ("census", 5, 8.188),
    ("census", 10, 12.31),
]


def loss(shell: Shell, file: Path, *words: str) -> float:
    made = shell.directory / f"release{len(list(shell.directory.iterdir()))}"
    answer = shell("anonymize", file, "--format", "microdata", "--method", "microaggregation", *words, "--out", made, "--json")
    assert answer.code == 0, answer
    return 100 * float(json.loads(answer.out)["metrics"]["information_loss"])


@pytest.mark.parametrize(("name", "k", "bound"), BOUNDS)
def test_losses_are_below_moves_and_swaps(shell: Shell, name: str, k: int, bound: float) -> None:
    """Through the command line, whatever the order of the rows; and more effort does not lose more."""
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not in {DATA}")
    header, *rows = path.read_text().splitlines()
    random.Random(k).shuffle(rows)
    shuffled = shell.file("shuffled.csv", "\n".join([header, *rows]) + "\n")
    found = loss(shell, path, "--k", str(k))
    assert found < bound
    assert loss(shell, shuffled, "--k", str(k)) == pytest.approx(found, rel=1e-12)
    assert found <= loss(shell, path, "--k", str(k), "--effort", "fast") < bound + 0.2
