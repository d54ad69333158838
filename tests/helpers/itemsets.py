"""Plain twins of the itemset kernels: slow, and straight from the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
from hypothesis import strategies as st

from shoal.data.bags import Bags, Vocabulary
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.itemset_support import OTHER, PRIVATE, PUBLIC, Power
from shoal.taxonomy.place_terms import place_terms

Sets = list[frozenset[int]]


def bags_of(rows: Sequence[Iterable[int]], n: int, owners: Sequence[int] | None = None) -> Bags:
    indptr = np.cumsum([0, *(len(set(row)) for row in rows)])
    items = np.array(list(chain.from_iterable(sorted(set(row)) for row in rows)), np.int32)
    return Bags.from_rows(indptr, items, np.ones(len(items), np.int32), Vocabulary([f"i{i}" for i in range(n)]), owners)


def on_nodes(records: Sequence[str], under: dict[str, str] | None = None) -> Original:
    """Records written as blank-separated items, on a flat tree or under the given parents."""
    rows = [record.split() for record in records]
    parents: dict[str, str | None] = {"everything": None}
    parents |= dict.fromkeys(sorted(set((under or {}).values())), "everything")
    parents |= {item: (under or {}).get(item, "everything") for item in sorted(set(chain.from_iterable(rows)))}
    return place_terms(Bags.from_lists(rows), Taxonomy.from_parents(parents, "lm"), scope="whole", as_sets=True)


def published(release, i: int) -> set[str]:
    return set(release.published.record(int(release.secret.rows()[i])))


def support(rows: Sets, known: Iterable[int]) -> int:
    return sum(row >= set(known) for row in rows)


def breach(rows: Sets, owners: Sequence[int], known: Iterable[int], private: Iterable[int]) -> Fraction:
    """The greatest share of a private item among the records, or the people, that hold what is known."""
    cohort = [(row, owner) for row, owner in zip(rows, owners, strict=True) if row >= set(known)]
    shares = [Fraction(0)]
    for item in private:
        having = [(row, owner) for row, owner in cohort if item in row]
        shares.append(Fraction(len(having), len(cohort)))
        shares.append(Fraction(len({o for _, o in having}), len({o for _, o in cohort})))
    return max(shares)


def is_mole(rows: Sets, owners: Sequence[int], known: Iterable[int], private: Iterable[int], power: Power) -> bool:
    people = len({o for row, o in zip(rows, owners, strict=True) if row >= set(known)})
    return people > 0 and (people < power.k or breach(rows, owners, known, private) > power.share)


def brute_moles(rows: Sets, owners: Sequence[int], parts: Sequence[int], power: Power) -> list[tuple[int, ...]]:
    public = [i for i, part in enumerate(parts) if part == PUBLIC]
    private = [i for i, part in enumerate(parts) if part == PRIVATE]
    found: list[tuple[int, ...]] = []
    for size in range(power.p + 1):
        for known in combinations(public, size):
            if not any(set(mole) <= set(known) for mole in found) and is_mole(rows, owners, known, private, power):
                found.append(known)
    return found


def brute_greedy(moles: Iterable[tuple[int, ...]], loss: Sequence[int], score: str) -> list[tuple[int, int]]:
    """Items in the order of their suppression, with the moles each removed."""
    live, order = [set(m) for m in moles], []
    while live:
        counts = {item: sum(item in m for m in live) for item in set().union(*live)}
        best = min((-_score(score, n, loss[i]), -n, loss[i], i) for i, n in counts.items())[-1]
        order.append((best, counts[best]))
        live = [m for m in live if best not in m]
    return order


def _score(score: str, moles: int, loss: int) -> Fraction:
    return {"mm/il": Fraction(moles, loss), "mm": Fraction(moles), "1/il": Fraction(1, loss)}[score]


def least_loss(moles: Iterable[tuple[int, ...]], loss: Sequence[int]) -> int:
    sets = [set(m) for m in moles]
    items = sorted(set().union(*sets)) if sets else []
    hitting = (c for n in range(len(items) + 1) for c in combinations(items, n) if all(m & set(c) for m in sets))
    return min(sum(loss[i] for i in c) for c in hitting)


@st.composite
def databases(draw, most_items: int = 8, most_records: int = 24, repeat_owners: bool = True):
    """Rows, owners and parts of a small random database, of any density."""
    n = draw(st.integers(1, most_items))
    density = draw(st.sampled_from([0.15, 0.4, 0.7, 0.95]))
    size = draw(st.integers(0, most_records))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = [frozenset(np.flatnonzero(rng.random(n) < density).tolist()) for _ in range(size)]
    parts = draw(st.lists(st.sampled_from([OTHER, PUBLIC, PUBLIC, PUBLIC, PRIVATE]), min_size=n, max_size=n))
    owners = list(range(size))
    if repeat_owners and size and draw(st.booleans()):
        owners = rng.integers(0, max(1, size // 2), size).tolist()
    return rows, owners, parts


powers = st.builds(Power, h=st.sampled_from([0.0, 0.2, 0.29, 0.5, 0.6, 0.8, 1.0]), k=st.integers(2, 5), p=st.integers(1, 5))
