"""The information loss that the literature prints for MDAV on its two reference files, L = 100 SSE / SST on standardised data.

The files are not part of the project: SHOAL_DATA names the directory that holds them.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from helpers.cli import Shell

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.parametrize(
    ("name", "k", "published"),
    [
        ("tarragona", 3, "16.9326"),
        ("tarragona", 4, "19.5460"),
        ("tarragona", 5, "22.46"),
        ("tarragona", 10, "33.1929"),
        ("census", 3, "5.6922"),
        ("census", 4, "7.4947"),
        ("census", 5, "9.0884"),
        ("census", 10, "14.1559"),
    ],
)
def test_published_losses(shell: Shell, name: str, k: int, published: str) -> None:
    """Through the command line, whatever the order of the rows."""
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not in {DATA}")
    header, *rows = path.read_text().splitlines()
    random.Random(k).shuffle(rows)
    shuffled = shell.file("shuffled.csv", "\n".join([header, *rows]) + "\n")
    for n, file in enumerate((path, shuffled)):
        words = ("--format", "microdata", "--method", "mdav", "--k", str(k), "--out", shell.directory / f"release{n}", "--json")
        answer = shell("anonymize", file, *words)
        assert answer.code == 0, answer
        loss = json.loads(answer.out)["metrics"]["information_loss"]
        assert f"{100 * loss:.{len(published.split('.')[1])}f}" == published
