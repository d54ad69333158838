"""The example of Terrovitis, Liagouris, Mamoulis and Skiadopoulos (VLDB'12, figure 2), k = 3 and m = 2, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.chunks import chunk_release, keeps_promise, reconstructions
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.privacy.disassociated_km_anonymity import DisassociatedKmAnonymity

SEARCHES = [
    ["itunes", "flu", "madonna", "ikea", "ruby"],
    ["madonna", "flu", "viagra", "ruby", "audi a4", "sony tv"],
    ["itunes", "madonna", "audi a4", "ikea", "sony tv"],
    ["itunes", "flu", "viagra"],
    ["itunes", "flu", "madonna", "audi a4", "sony tv"],
    ["madonna", "digital camera", "panic disorder", "playboy"],
    ["iphone sdk", "madonna", "ikea", "ruby"],
    ["iphone sdk", "digital camera", "madonna", "playboy"],
    ["iphone sdk", "digital camera", "panic disorder"],
    ["iphone sdk", "digital camera", "madonna", "ikea", "ruby"],
]
MODEL = DisassociatedKmAnonymity(k=3, m=2)
# The first cluster of the paper in letters: itunes, flu, madonna; audi a4 and sony tv; ikea, viagra and ruby in the term chunk.
FIRST = (5, [["ifm", "mf", "im", "if", "ifm"], ["as", "as", "as"]], "kvr")


def chunks_of(records: list[list[str]]) -> dict[str, int]:
    """The chunk of each term where these records are one cluster."""
    bags = Bags.from_lists(records)
    plan = _kernels.ChunkPlan(k=3, m=2)
    found = kernels.run(_kernels.chunks_of_terms, bags.view, bags.owners, np.zeros(len(bags), np.int64), plan)
    return dict(zip(bags.vocabulary.names.gather(bags.items), found.tolist(), strict=True))


def test_the_second_cluster_is_that_of_the_paper() -> None:
    """Madonna, iphone sdk and digital camera are each in four records, and every two of them in three; all else is in two."""
    found = chunks_of(SEARCHES[5:])
    assert {term for term, chunk in found.items() if chunk == 0} == {"madonna", "iphone sdk", "digital camera"}
    assert {term for term, chunk in found.items() if chunk < 0} == {"panic disorder", "playboy", "ikea", "ruby"}


def test_the_first_cluster_of_the_paper_has_the_cover_problem() -> None:
    """Itunes is in four of five records and audi a4 in three, so at least two hold both, and no more than two did."""
    assert sum({"itunes", "audi a4"} <= set(record) for record in SEARCHES) == 2
    without_terms = (*FIRST[:2], "")
    together = {sum({"i", "a"} <= record for record in cluster) for (cluster,) in reconstructions(without_terms)}
    assert together == {2, 3}
    verdict = MODEL.check(chunk_release(FIRST))
    assert not verdict.holds
    assert "1 cluster in which items of several chunks certainly meet" in verdict.witnesses[0]


def test_the_first_cluster_is_published_without_it() -> None:
    found = chunks_of(SEARCHES[:5])
    assert {term for term, chunk in found.items() if chunk == 0} == {"itunes", "flu", "madonna"}
    assert found["audi a4"] == found["sony tv"] == -1
    assert MODEL.check(chunk_release((5, FIRST[1][:1], "kvras"))).holds


@pytest.mark.parametrize(("sizes", "holds"), [((3, 2), True), ((3, 3), False), ((4, 3), True), ((4, 4), True)])
def test_lemma_2(sizes: tuple[int, int], holds: bool) -> None:
    """Five records, k = 2, two chunks and no term chunk. Of five sub-records no two meet; of six two must meet in one record, and cannot
    in another; of seven and eight they meet in two and three, neither more nor less.
    """
    cluster = (5, [["a"] * sizes[0], ["b"] * sizes[1]], "")
    meet = {sum(record == {"a", "b"} for record in records) for (records,) in reconstructions(cluster)}
    assert meet == {sum(sizes) - 5}
    assert keeps_promise(2, 2, cluster) == holds
    assert DisassociatedKmAnonymity(k=2, m=2).check(chunk_release(cluster)).holds == holds


def test_the_shared_chunk_of_the_paper() -> None:
    """Ikea and ruby are in four records of the ten each, and in three together: too few in each cluster, enough in both.

    But madonna is in eight of the ten, and so in two at least with ikea; without her name in the chunks the shared one is safe.
    """
    first, second = (5, [["ifm", "mf", "im", "if", "ifm"]], "vas"), (5, [["mc", "hm", "hcm", "hc", "hcm"]], "py")
    shared = [["kr", "r", "k", "kr", "kr"]]
    verdict = MODEL.check(chunk_release(first, second, shared=shared))
    assert verdict.witnesses == ("1 cluster whose shared items are bound to meet others",)
    first, second = (5, [["if", "f", "i", "if", "if"]], "vasm"), (5, [["c", "h", "hc", "hc", "hc"]], "pym")
    assert MODEL.check(chunk_release(first, second, shared=shared)).holds
    assert not MODEL.check(chunk_release(first, second, shared=[["kr", "r", "k", "kr"]])).holds
