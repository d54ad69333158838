"""The information loss that the literature prints for MDAV on its two reference files, L = 100 SSE / SST on standardised data.

The files are not part of the project: SHOAL_DATA names the directory that holds them.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shoal.data.dispersion import information_loss
from shoal.data.table import Table
from shoal.io.read.microdata import read_microdata
from shoal.io.read.microdata_columns import MicrodataOptions
from shoal.io.read.source import Source
from shoal.methods.mdav import mdav_groups

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.parametrize(
    ("name", "k", "published", "digits"),
    [
        ("tarragona", 3, 16.9326, 4),
        ("tarragona", 4, 19.5460, 4),
        ("tarragona", 5, 22.46, 2),
        ("tarragona", 10, 33.1929, 4),
        ("census", 3, 5.6922, 4),
        ("census", 4, 7.4947, 4),
        ("census", 5, 9.0884, 4),
        ("census", 10, 14.1559, 4),
    ],
)
def test_published_losses(name: str, k: int, published: float, digits: int) -> None:
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not in {DATA}")
    table = read_microdata(Source.of(path), MicrodataOptions()).table
    shuffled = np.random.default_rng(k).permutation(len(table))
    for rows in (np.arange(len(table)), shuffled):
        some = Table.from_numbers(table.numbers[rows])
        assert round(100 * information_loss(some.numbers, mdav_groups(some, k)), digits) == published
