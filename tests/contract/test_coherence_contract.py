"""What every coherence release must be, on random databases: R1 to R3 of the paper, the claim, the account, and independence of order."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.itemsets import bags_of, brute_moles, databases, least_loss, powers, support
from shoal import kernels
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.itemset_support import OTHER, PRIVATE, PUBLIC
from shoal.methods import Cohesion, TopDownSpecialization
from shoal.taxonomy.place_terms import place_terms

TREE = {"everything": None, "low": "everything", "high": "everything"} | {f"i{i}": "low" if i < 4 else "high" for i in range(8)}
WAYS = [{}, {"score": "mm/il"}, {"score": "mm"}, {"score": "1/il"}, {"score": "rmall"}, {"il": "1"}, {"exact": True}, {"generalize": True}]


def split(parts):
    """The parts as a user names them: both, where some items are neither."""
    private, public = ({f"i{i}" for i, p in enumerate(parts) if p == part} for part in (PRIVATE, PUBLIC))
    return {"private": private, "public": public} if OTHER in parts else {"private": private or None}


def on_nodes(rows, owners):
    return place_terms(bags_of(rows, 8, owners), Taxonomy.from_parents(TREE), scope="whole", as_sets=True)


def method(power, parts, **more):
    return Cohesion(h=power.h, k=power.k, p=power.p, **split(parts), **more)


def sets_of(bags):
    return [frozenset(bags.record(i)) for i in range(len(bags))]


@settings(deadline=None, max_examples=120)
@given(databases(), powers, st.sampled_from(WAYS))
def test_releases_keep_the_papers_requirements_and_their_claim(database, power, way):
    rows, owners, parts = database
    assume(PUBLIC in parts)
    original = on_nodes(rows, owners)
    held = [i for i, row in enumerate(rows) if row]
    rows, owners = [rows[i] for i in held], [owners[i] for i in held]
    before = [array.copy() for array in original.bags.rows]
    chosen = method(power, parts, **way)
    if not rows or brute_moles(rows, owners, parts, power)[:1] == [()]:
        with pytest.raises(Infeasible):
            chosen.apply(original)
        return
    release = chosen.apply(original)
    assert all(np.array_equal(a, b) for a, b in zip(before, original.bags.rows, strict=True))
    for claim in release.claims:
        verdict = claim.check(release, original)
        assert verdict.holds, verdict
        assert claim.check(Release.from_records(release.published)).holds
    assert release.secret.rows()[held].min() == 0
    assert (np.delete(release.secret.rows(), held) == -1).all()
    after = sets_of(release.published.select(release.secret.rows()[held]))
    given_sets = [frozenset(f"i{i}" for i in row) for row in rows]
    _check_requirements(given_sets, after, parts, way)
    account = release.accounting.occurrences
    assert account["kept"] + account["generalized"] == sum(map(len, after))
    assert account.total == sum(map(len, rows))


def _check_requirements(before, after, parts, way):
    untouched = {f"i{i}" for i, p in enumerate(parts) if p != PUBLIC}
    for old, new in zip(before, after, strict=True):
        assert old & untouched <= new  # R1
        assert "generalize" in way or new <= old  # R2
    if "generalize" in way:
        return
    surviving = sorted(set().union(*after)) if after else []
    for n in range(1, 4):
        for known in combinations(surviving, n):
            assert support(after, known) == support(before, known)  # R3


@settings(deadline=None, max_examples=60)
@given(databases(), powers)
def test_greedy_is_never_better_than_the_optimum_and_exact_is_the_optimum(database, power):
    rows, owners, parts = database
    held = [i for i, row in enumerate(rows) if row]
    rows, owners = [rows[i] for i in held], [owners[i] for i in held]
    assume(PUBLIC in parts and rows)
    moles = brute_moles(rows, owners, parts, power)
    assume(() not in moles)
    original = on_nodes(rows, owners)
    lost = {exact: method(power, parts, exact=exact).apply(original).accounting.occurrences["suppressed"] for exact in (False, True)}
    assert lost[True] == least_loss(moles, [support(rows, {i}) for i in range(len(parts))])
    assert lost[False] >= lost[True]


@settings(deadline=None, max_examples=60)
@given(databases(), powers, st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_the_order_of_records_and_the_number_of_threads_change_nothing(database, power, way, random):
    rows, owners, parts = database
    assume(PUBLIC in parts and rows)
    order = list(range(len(rows)))
    random.shuffle(order)
    chosen = method(power, parts, **way)

    def outcome(rows, owners, threads):
        original = on_nodes(rows, owners)
        with kernels.using(threads=threads):
            try:
                return Counter(sets_of(chosen.apply(original).published))
            except Infeasible as error:
                return str(error)

    assert outcome(rows, owners, 1) == outcome([rows[i] for i in order], [owners[i] for i in order], 2)


@settings(deadline=None, max_examples=60)
@given(databases(), st.integers(2, 4))
def test_tds_shows_a_largest_set_of_items_that_k_people_share(database, k):
    rows, owners, parts = database
    held = [i for i, row in enumerate(rows) if row]
    rows, owners = [rows[i] for i in held], [owners[i] for i in held]
    assume(PUBLIC in parts)
    original = on_nodes(rows, owners)
    chosen = TopDownSpecialization(k=k, **split(parts))
    if len(set(owners)) < k:
        with pytest.raises(Infeasible):
            chosen.apply(original)
        return
    release = chosen.apply(original)
    for claim in release.claims:
        assert claim.check(release, original).holds
        assert claim.check(Release.from_records(release.published)).holds
    after = sets_of(release.published)
    public = {f"i{i}" for i, p in enumerate(parts) if p == PUBLIC}
    shown = public & set().union(*after)
    hidden = (public & {f"i{i}" for row in rows for i in row}) - shown

    def fewest(visible):
        classes: dict[frozenset[str], set[int]] = {}
        for row, owner in zip(rows, owners, strict=True):
            classes.setdefault(frozenset(f"i{i}" for i in row) & visible, set()).add(owner)
        return min(map(len, classes.values()))

    assert fewest(shown) >= k
    assert all(fewest(shown | {item}) < k for item in hidden)
