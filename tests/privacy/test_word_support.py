"""The judge of words on tiny tables of chunks: words of exactly k records, of fewer, and of a number that the files do not show."""

from __future__ import annotations

import pytest

from helpers.chunks import Cluster, chunk_release
from shoal.privacy.word_support import WordSupport

SHOWN: Cluster = (4, [["a", "a", "a", "ab"], ["c", "c", "c"]], "")  # four records: a in all of them, c in three, b in one
LISTED: Cluster = (3, [["a", "a", "a"]], "t")  # t is in one to three of three records


@pytest.mark.parametrize(
    ("k", "clusters", "standing"),
    [
        (2, ((4, [["a", "a"], ["c", "c", "c"]], ""),), "verified"),
        (3, ((4, [["a", "a"], ["c", "c", "c"]], ""),), "fails"),
        (2, (SHOWN,), "fails"),
        (2, (LISTED,), "not checkable"),
        (3, (LISTED,), "not checkable"),  # all three records may have it
        (4, (LISTED,), "fails"),
        (2, (LISTED, (2, [["a", "a"]], "t")), "verified"),  # one record of each cluster has it
        (3, (LISTED, (2, [["a", "a"]], "t")), "not checkable"),
    ],
)
def test_words_are_bounded_from_the_files_alone(k: int, clusters: tuple[Cluster, ...], standing: str) -> None:
    assert WordSupport(k=k).check(chunk_release(*clusters)).standing == standing
