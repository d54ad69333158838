"""A made-up shop in two tables: sales, a row for each product in a basket, and products with three levels above them.

    python benchmarks/shop.py DIRECTORY [--baskets 150000] [--products 20000] [--seed 0]

Writes sales.parquet and products.parquet. As in a real shop, few products are sold often and most of them hardly ever, a customer comes
back for the same types of goods, and a product number says nothing about the product.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

DEPARTMENTS, CATEGORIES, TYPES = 8, 40, 240
BASKETS_PER_CUSTOMER = 5
USUAL_TYPES = 12  # that a customer buys again and again
USUAL = 0.7  # share of the purchases that are of them
ITEMS = 4.0  # of a basket, beyond the first one
SKEW_OF_TYPES, SKEW_OF_PRODUCTS = 0.8, 1.0


def popularity(n: int, skew: float) -> np.ndarray:
    """Shares that fall with the rank, summed up."""
    share = (1.0 + np.arange(n)) ** -skew
    return np.cumsum(share / share.sum())


def products(n: int, rng: np.random.Generator) -> pl.DataFrame:
    """A row for each product. Types have different numbers of products, the popular ones more."""
    kind = np.sort(np.concatenate([np.arange(TYPES), np.searchsorted(popularity(TYPES, 0.5), rng.random(n - TYPES))]))
    category, number = kind % CATEGORIES, rng.permutation(n) + 100_000
    return pl.DataFrame(
        {
            "product_id": number,
            "product_name": [f"article {name:05}" for name in rng.permutation(n)],
            "product_type": [f"type {one:03}" for one in kind],
            "category": [f"category {one:02}" for one in category],
            "department": [f"department {one}" for one in category % DEPARTMENTS],
            "price": np.round(rng.lognormal(1.0, 0.8, n), 2),
        }
    )


def sales(table: pl.DataFrame, baskets: int, rng: np.random.Generator) -> pl.DataFrame:
    """A row for each product in a basket."""
    kinds = table["product_type"].str.slice(5).cast(pl.Int64).to_numpy()
    first = np.searchsorted(kinds, np.arange(TYPES + 1))
    customers = max(1, baskets // BASKETS_PER_CUSTOMER)
    usual = np.searchsorted(popularity(TYPES, SKEW_OF_TYPES), rng.random((customers, USUAL_TYPES)))
    owner = np.sort(rng.integers(0, customers, baskets))
    basket = np.repeat(np.arange(baskets), 1 + rng.poisson(ITEMS, baskets))
    rows, who = len(basket), owner[basket]
    own = usual[who, rng.integers(0, USUAL_TYPES, rows)]
    any_type = np.searchsorted(popularity(TYPES, SKEW_OF_TYPES), rng.random(rows))
    kind = np.where(rng.random(rows) < USUAL, own, any_type)
    sizes = first[kind + 1] - first[kind]
    # A rank by Zipf's law among the products of the type.
    rank = np.minimum((sizes + 1.0) ** rng.random(rows) - 1, sizes - 1).astype(np.int64)
    time = np.datetime64("2024-01-01T08:00") + rng.integers(0, 365 * 24 * 60, baskets).astype("timedelta64[m]")
    found = pl.DataFrame(
        {
            "customer_id": rng.permutation(customers)[who] + 1,
            "basket_id": basket + 1,
            "sold_at": time[basket].astype("datetime64[us]"),
            "product_id": table["product_id"].to_numpy()[first[kind] + rank],
        }
    )
    return found.unique(subset=["basket_id", "product_id"], maintain_order=True)


def write(directory: Path, baskets: int, n_products: int, seed: int) -> tuple[Path, Path]:
    """Write both tables."""
    rng = np.random.default_rng(seed)
    table = products(n_products, rng)
    places = directory / "sales.parquet", directory / "products.parquet"
    directory.mkdir(parents=True, exist_ok=True)
    sales(table, baskets, rng).write_parquet(places[0])
    table.sample(fraction=1.0, shuffle=True, seed=seed).write_parquet(places[1])
    return places


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--baskets", type=int, default=150_000)
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    places = write(options.directory, options.baskets, options.products, options.seed)
    print(*places, sep="\n")


if __name__ == "__main__":
    main()
