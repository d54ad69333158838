"""A studio with a visitor, which the tests of a module share, and the folder whose files it offers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.studio import GOODS, Visitor, visited


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of products."""
    place = tmp_path_factory.mktemp("root")
    (place / "goods.csv").write_text(GOODS)
    return place


@pytest.fixture(scope="module")
def visitor(root: Path) -> Iterator[Visitor]:
    """A visitor of a studio that offers this folder."""
    with visited(root, root=root) as found:
        yield found
