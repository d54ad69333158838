"""kkm: items and attribute detail that are left of baskets with four attributes, against generalizing attributes and items separately.

    python benchmarks/attributes_and_items.py [--rows 2000] [--k 5] [--m 2]

The baskets are those of groceries-baskets.csv with its taxonomy; age, sex, town and week are drawn, age depending on two of the items. Each
row of the table has a bound on the loss of attributes that was chosen so that the detail is the same: "attributes first" clusters the rows
by their attributes alone, with as many people as give that detail, and then recodes the items of each cluster; "together" is kkm.
"""

from __future__ import annotations

import argparse
import random
import sys
from unittest import mock

import numpy as np
import polars as pl

from common import data_file, show
from shoal.data.bags import Vocabulary
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Attribute, Hierarchy, Table
from shoal.io.read.taxonomies import read_taxonomy
from shoal.methods import kkm
from shoal.methods.kkm import KKm
from shoal.metrics import measure
from shoal.microaggregation.spaces import groups_of_table

TOWNS = {"Ulm": 3, "Passau": 1, "Munich": 8, "Kiel": 3, "Husum": 1, "Hamburg": 9, "Berlin": 10, "Dresden": 4, "Cottbus": 1}
REGIONS = Hierarchy(
    Vocabulary(["Germany", "South", *list(TOWNS)[:3], "North", *list(TOWNS)[3:6], "East", *list(TOWNS)[6:]]),
    np.array([-1, 0, 1, 1, 1, 0, 5, 5, 5, 0, 9, 9, 9], np.int32),
)
SIZES = (10, 20, 40, 80, 160)


def baskets_with_attributes(rows: int) -> TableOriginal:
    """The first baskets of the file, each with an age, a sex, a town and a week."""
    rng = random.Random(7)
    file, tree_file = data_file("groceries-baskets.csv"), data_file("groceries-taxonomy.tsv")
    if file is None or tree_file is None:
        sys.exit("this benchmark needs groceries-baskets.csv and groceries-taxonomy.tsv")
    baskets = [[item.strip() for item in line.split(",")] for line in file.read_text().splitlines()[:rows]]
    centre = [45 + 10 * ("whole milk" in basket) - 12 * ("soda" in basket) for basket in baskets]
    columns = (
        Attribute("age", "numeric", pl.Series([float(min(90, max(18, int(rng.gauss(mean, 15))))) for mean in centre])),
        Attribute("sex", "nominal", pl.Series(rng.choices("fm", (0.6, 0.4), k=len(baskets)))),
        Attribute("town", "hierarchical", pl.Series(rng.choices(list(TOWNS), list(TOWNS.values()), k=len(baskets))), hierarchy=REGIONS),
        Attribute("week", "numeric", pl.Series([float(rng.randint(1, 52)) for _ in baskets])),
    )
    tree = read_taxonomy(str(tree_file)).taxonomy
    sets = Attribute("basket", "items", pl.Series(["|".join(sorted(set(basket))) for basket in baskets]), tree=tree)
    return TableOriginal(Table((*columns, sets), np.arange(len(baskets), dtype=np.int64)))


def attributes_first(original: TableOriginal, k: int, m: int, people: int) -> Release:
    """Cluster by attributes alone, with more people than are needed, and recode the items of each cluster."""
    with mock.patch.object(kkm, "groups_of_table", lambda table, _: groups_of_table(table, people)):
        return KKm(k=k, m=m, delta=0.0).apply(original)


def independently(original: TableOriginal, k: int, m: int) -> Release:
    """Put the attributes of clusters of k people beside the items of k^m-anonymous baskets: each is safe by itself."""
    alone = KKm(k=k, m=m, delta=1.0).apply(TableOriginal(Table(original.table.item_sets, original.table.owners)))
    attributes = KKm(k=k, m=m, delta=0.0).apply(original)
    (first,), (second,) = attributes.tables.values(), alone.tables.values()
    frame = first.frame.with_columns(second.frame["basket"])  # type: ignore[attr-defined]
    return Release({"microdata": type(first)(frame)}, attributes.claims, secret=attributes.secret)  # type: ignore[call-arg]


def line(name: str, release: Release, original: TableOriginal) -> dict[str, str]:
    """What is left, and whether the joint claim holds."""
    found = measure(release, original)
    verdict = release.claims[0].check(release, original)
    return {
        "release": name,
        "attribute detail": f"{found['attribute_detail']:.1%}",
        "items as typed": f"{found['items_kept']:.1%}",
        "item loss": f"{found['item_loss']:.3f}",
        "claim holds": "yes" if verdict.holds else f"no: {verdict.achieved.get('records', 0)} rows",
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--m", type=int, default=2)
    options = parser.parse_args()
    original, k, m = baskets_with_attributes(options.rows), options.k, options.m
    lines = [line("independently: k people, and k^m on all baskets", independently(original, k, m), original)]
    for people in SIZES:
        first = attributes_first(original, k, m, people)
        lost = 1 - measure(first, original)["attribute_detail"]
        lines.append(line(f"attributes first, clusters of {people}", first, original))
        lines.append(line(f"together, delta {lost:.2f}", KKm(k=k, m=m, delta=lost).apply(original), original))
    show(f"({k}, {k}^{m})-anonymity of {len(original.table):,} baskets with four attributes", lines)


if __name__ == "__main__":
    main()
