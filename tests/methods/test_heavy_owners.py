"""People who own many records: more effort loses no more, shoal no more than Partition and Clump, and every group holds k people."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from helpers.data import published
from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.methods.shoal import Shoal
from shoal.metrics.losses import loss
from shoal.taxonomy.place_terms import place_terms

K = 5
RECORDS = 1200


@cache
def visits(share: float, node_loss: str, longest: int, seed: int = 1) -> Original:
    """Visits of pages in folders, some pages far more often than others; one person has this share of all visits."""
    rng = np.random.default_rng(seed)
    parents: dict[str, str | None] = {"/": None}
    for folder in range(6):
        parents[f"/{folder}"] = "/"
        parents |= {f"/{folder}/{sub}": f"/{folder}" for sub in range(5)}
        parents |= {f"/{folder}/{sub}/{page}": f"/{folder}/{sub}" for sub in range(5) for page in range(6)}
    pages = [name for name in parents if name.count("/") == 3]
    chance = 1 / np.arange(1, len(pages) + 1) ** 0.8
    order = rng.permutation(len(pages))
    drawn = [rng.choice(order, rng.integers(1, longest + 1), p=chance / chance.sum(), replace=False) for _ in range(RECORDS)]
    owners = np.where(rng.random(RECORDS) < share, 0, rng.integers(1, RECORDS // 6, RECORDS))
    bags = Bags.from_lists([[pages[page] for page in record] for record in drawn], owners)
    return place_terms(bags, Taxonomy.from_parents(parents, node_loss), scope="whole", floor=Floor())


CASES = [
    (1 / 3, "lm", 3),
    (1 / 3, "information", 3),
    (1 / 2, "lm", 2),
    (1 / 3, "information", 1),
    (0, "information", 1),
    (1 / 3, "lm", 1),
    (1 / 2, "information", 1),
]


@pytest.mark.parametrize(("share", "node_loss", "longest"), CASES)
def test_more_effort_loses_no_more_and_others_lose_no_less(share: float, node_loss: str, longest: int) -> None:
    data = visits(share, node_loss, longest)
    fast, balanced, thorough = (loss(Shoal(k=K, effort=effort).apply(data), data) for effort in ("fast", "balanced", "thorough"))
    assert thorough <= balanced <= fast
    for form in ("words", "lcg", "bag", "set"):
        assert balanced <= loss(Partition(k=K, publish_as=form).apply(data), data)
    assert balanced <= loss(Clump(k=K).apply(data), data)


@pytest.mark.parametrize("effort", ["fast", "balanced"])
@pytest.mark.parametrize("share", [1 / 3, 1 / 2])
def test_every_group_holds_k_people_whatever_threads_and_order(share: float, effort: str) -> None:
    data = visits(share, "information", 3)
    method = Shoal(k=K, effort=effort)
    release = method.apply(data)
    assert release.secret is not None
    rows = release.secret.rows()
    people = Counter(row for row, _ in set(zip(rows[rows >= 0].tolist(), data.bags.owners[rows >= 0].tolist(), strict=True)))
    assert min(people.values()) >= K
    assert all(claim.check(release, data).holds for claim in release.claims)
    shuffled = np.random.default_rng(3).permutation(len(data.bags))
    other = Original.on(data.bags.select(shuffled), data.tree)
    with kernels.using(threads=1):
        assert published(method.apply(other)) == published(release)
