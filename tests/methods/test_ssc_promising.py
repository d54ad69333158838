"""SSC forms groups that keep many words first: what that gains, and that `promising` 0 is the printed order."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.methods.ssc import SSC
from shoal.taxonomy.place_terms import place_terms

# Four words no two of which are relevant to one another at eps = 1.
FAR = Taxonomy.from_parents({"all": None, **dict.fromkeys("ABCD", "all"), **{word: word.upper() for word in "abcd"}})


def kept(records: list[str], **parameters: object) -> int:
    original = place_terms(Bags.from_lists([list(r) for r in records]), FAR)
    release = SSC(k=2, eps=1, **parameters).apply(original)  # type: ignore[arg-type]
    assert all(claim.check(release, original).holds for claim in release.claims)
    assert release.accounting is not None
    return release.accounting.occurrences["kept"]


def test_a_vocabulary_without_its_like_does_not_use_up_one_that_has_some():
    """Printed: a takes the first b, for none is nearer, and the other b is left with c. Of the two b's together both words are kept."""
    assert kept(["a", "b", "b", "c"], promising=0) == 0
    assert kept(["a", "b", "b", "c"]) == 2


@pytest.mark.parametrize("seed", range(30))
def test_no_fewer_words_are_kept_than_in_the_printed_order(seed: int):
    rng = np.random.default_rng(seed)
    records = ["".join(rng.choice(list("abcd"), rng.integers(1, 4))) for _ in range(12)]
    assert kept(records) >= kept(records, promising=0)


@pytest.mark.parametrize("promising", [0, 1, 20, 100])
def test_all_records_are_in_groups_of_k_people(promising: int):
    rng = np.random.default_rng(promising)
    records = [[str(w) for w in rng.choice(list("abcd"), rng.integers(1, 4))] for _ in range(60)]
    owners = rng.integers(0, 20, 60)
    original: Original = place_terms(Bags.from_lists(records, owners), FAR)
    release = SSC(k=3, eps=1, promising=promising).apply(original)
    assert all(claim.check(release, original).holds for claim in release.claims)
    assert release.n_records == 60
