"""What every method that takes documents owes. A new one joins by being in the table of methods."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from helpers.claims import hold_everywhere
from helpers.documents import some_texts, vectors
from shoal import kernels
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import Infeasible
from shoal.kinds import read_tables, rows_differing, write_release
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by

TEXTS = {
    "one owner a document": (some_texts(11, seed=1), list(range(11))),
    "owners repeat": (some_texts(12, seed=2), [n % 5 for n in range(12)]),
    "one author of half of all": (some_texts(12, seed=3), [max(0, n - 6) for n in range(12)]),
    "all alike": (["dog cat"] * 7, list(range(7))),
    "empty ones and short ones": ([*some_texts(5, seed=4), "", "the and of", "dog", "cat dog"], list(range(9))),
    "words outside WordNet": ([f"zorbulon {text}" for text in some_texts(8, seed=5)] + ["qwxyz", "qwxyz zorbulon"], list(range(10))),
    "as many as asked for": (some_texts(3, seed=6), list(range(3))),
}
CASES = [
    pytest.param(kind(k=3), name, id=f"{method} on {name}")  # type: ignore[call-arg]
    for method, kind in METHODS.items()
    if "documents" in kind.takes
    for name in TEXTS
]
every_method_on_every_collection = pytest.mark.parametrize(("method", "name"), CASES)


def original(name: str, order: np.ndarray | None = None) -> DocumentOriginal:  # type: ignore[type-arg]
    texts, owners = TEXTS[name]
    places = range(len(texts)) if order is None else order.tolist()
    return vectors([texts[i] for i in places], [owners[i] for i in places], terms=8, unknown="keep")


def rows_of(release: Release) -> Counter[tuple[tuple[tuple[str, float], ...]]]:
    table = release.only(WeightedBagTable)
    assert isinstance(table, WeightedBagTable)
    return Counter(tuple(zip(items, weights, strict=True)) for items, weights in table.frame.rows())  # type: ignore[misc]


@every_method_on_every_collection
def test_claims_hold_with_and_without_the_original_and_the_groups(method: Method, name: str) -> None:
    before = original(name)
    release = made_by(method, before)
    hold_everywhere(release, before)
    assert all(claim.check(release, before).achieved["people"] >= 3 for claim in release.claims)


@every_method_on_every_collection
def test_every_document_and_every_term_is_accounted_for(method: Method, name: str) -> None:
    before = original(name)
    release = made_by(method, before)
    assert release.accounting is not None
    held = int((before.vectors.lengths > 0).sum())
    assert release.accounting.records.as_dict().get("withheld: empty", 0) == len(before.vectors) - held
    assert release.n_rows == held
    assert release.accounting["terms"].total == before.vectors.occurrences


@every_method_on_every_collection
def test_neither_threads_nor_the_order_of_documents_matter(method: Method, name: str) -> None:
    with kernels.using(threads=1):
        one = rows_of(made_by(method, original(name)))
    rng = np.random.default_rng(7)
    for threads in (1, 2):
        with kernels.using(threads=threads):
            assert rows_of(made_by(method, original(name, rng.permutation(len(TEXTS[name][0]))))) == one


@every_method_on_every_collection
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("layout", ["lists", "long"])
def test_what_is_written_is_read_back(tmp_path: Path, method: Method, name: str, form: str, layout: str) -> None:
    release = made_by(method, original(name))
    files = [file.as_dict() for file in write_release(release, tmp_path, form, "\t", layout, None)]
    seen = read_tables(tmp_path, files, own=True)
    assert rows_differing(release.tables, seen) == 0
    assert all(claim.check(Release(seen)).holds for claim in release.claims)


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if "documents" in kind.takes])
def test_more_people_than_have_documents_with_terms_cannot_be_asked_for(name: str) -> None:
    for collection, people in (("owners repeat", 5), ("empty ones and short ones", 7)):
        with pytest.raises(Infeasible):
            made_by(METHODS[name](k=people + 1), original(collection))  # type: ignore[call-arg]
