"""The generalization column of the SSC paper (Liu and Wang, ICDM'10): LG and LG(bag) on its running example.

Figure 2(b) is lost; the remark that `{Wine:2, Vino:1, Raw-milk:2, Homo-milk:1, Jackets:1, Boots:1}` is
represented by Goods (t1 and t4 together) fixes the groups, and with them the published vocabularies.
"""

from __future__ import annotations

from collections import Counter

import pytest

from helpers.data import Bag, names_of, on, on_nodes
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.methods.partition import Partition

GOODS = Taxonomy.from_parents(
    {
        "Goods": None,
        "Edibles": "Goods",
        "Alcohol": "Edibles", "Wine": "Alcohol", "Vino": "Alcohol",
        "Dairy": "Edibles", "Raw-milk": "Dairy", "Homo-milk": "Dairy",
        "Apparel": "Goods",
        "Clothes": "Apparel", "Jackets": "Clothes", "Pants": "Clothes",
        "Footwear": "Apparel", "Boots": "Footwear", "Shoes": "Footwear",
    },
    "lm",
)  # fmt: skip

VOCABULARIES = [
    ["Wine", "Wine", "Jackets", "Boots"],
    ["Vino", "Vino", "Jackets", "Shoes"],
    ["Wine", "Vino", "Raw-milk", "Jackets", "Shoes"],
    ["Vino", "Raw-milk", "Raw-milk", "Homo-milk"],
    ["Raw-milk", "Homo-milk", "Homo-milk", "Jackets", "Pants"],
]


def bag(**counts: int) -> Bag:
    return tuple(sorted(Counter(counts).elements()))


@pytest.mark.parametrize(
    ("publishes", "of_t1_and_t4", "of_the_others"),
    [
        ("set", bag(Goods=1), bag(Edibles=1, Apparel=1)),
        ("bag", bag(Goods=4), bag(Edibles=2, Apparel=2)),
        ("lcg", bag(Alcohol=1, Edibles=1, Goods=2), bag(Jackets=1, Apparel=1, Edibles=2)),
    ],
)
def test_lg_of_the_running_example(publishes: str, of_t1_and_t4: Bag, of_the_others: Bag) -> None:
    bags = on(GOODS, VOCABULARIES)
    release = Partition(k=2, publish_as=publishes).apply(Original.on(bags, GOODS))
    assert release.secret is not None
    published = [names_of(release.published)[row] for row in release.secret.rows()]
    assert published == [of_t1_and_t4, of_the_others, of_the_others, of_t1_and_t4, of_the_others]
    assert release.claims[0].check(release, on_nodes(bags, GOODS)).holds
