"""The judge of disassociated records against all reconstructions of tiny releases, and worked by hand on the paper's example."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chunks import Cluster, chunk_release, keeps_promise
from shoal.data.claims import Model
from shoal.privacy import MODELS
from shoal.privacy.disassociated_km_anonymity import DisassociatedKmAnonymity


def holds(k: int, m: int, *clusters: Cluster, shared: tuple[tuple[str, ...], ...] = (), support: int | None = None) -> bool:
    return DisassociatedKmAnonymity(k=k, m=m, support=support).check(chunk_release(*clusters, shared=shared)).holds


@st.composite
def tiny_clusters(draw: st.DrawFn, letters: str = "abcd") -> Cluster:
    """Two or three chunks of one or two terms each, and a term chunk of at most one."""
    n = draw(st.integers(2, 4))
    chunks = []
    for domain in (letters[:2], letters[2], letters[3]) if draw(st.booleans()) else (letters[:2], letters[2:]):
        parts = [domain] if len(domain) == 1 else [domain[0], domain[1], domain]
        held = draw(st.lists(st.sampled_from(parts), max_size=n))
        chunks += [held] if held else []
    return n, chunks, draw(st.sampled_from(["", "t"]))


@given(tiny_clusters(), st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=150)
def test_the_judge_agrees_with_all_reconstructions(cluster: Cluster, k: int, m: int) -> None:
    assert holds(k, m, cluster) == keeps_promise(k, m, cluster)


@given(st.data(), st.integers(1, 3))
@settings(max_examples=60)
def test_full_chunks_agree_with_all_reconstructions(data: st.DataObject, m: int) -> None:
    """Chunks in which nothing is rare, so that only their numbers matter."""
    n = data.draw(st.integers(2, 5))
    sizes = data.draw(st.lists(st.integers(2, n), min_size=1, max_size=3 if n < 5 else 2))
    cluster = (n, [["abc"[i]] * size for i, size in enumerate(sizes)], data.draw(st.sampled_from(["", "t"])))
    assert holds(2, m, cluster) == keeps_promise(2, m, cluster)


@given(
    st.tuples(st.integers(2, 3), st.sampled_from(["", "t"])),
    st.tuples(st.integers(2, 3), st.sampled_from(["", "u"])),
    st.lists(st.sampled_from(["c", "d", "cd"]), min_size=1, max_size=5),
)
@settings(max_examples=60)
def test_what_is_accepted_with_shared_chunks_keeps_the_promise(one: tuple[int, str], other: tuple[int, str], shared: list[str]) -> None:
    """The judge may refuse more than it must, and accepts nothing that some reconstruction belies."""
    clusters: list[Cluster] = [(n, [[letter] * (n - bool(terms))], terms) for letter, (n, terms) in zip("ab", (one, other), strict=True)]
    if holds(2, 2, *clusters, shared=(tuple(shared),)):
        assert keeps_promise(2, 2, *clusters, shared=[shared])


def test_a_shared_chunk_that_is_safe_is_accepted() -> None:
    clusters: list[Cluster] = [(3, [["a", "a"]], "t"), (3, [["b", "b"]], "u")]
    assert holds(2, 2, *clusters, shared=(("cd", "cd", "c"),))
    assert not holds(2, 2, *clusters, shared=(("cd", "c", "c"),))


@given(st.data(), st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=150)
def test_what_the_support_of_words_gives_away_is_judged(data: st.DataObject, k: int, m: int) -> None:
    """Readers know that k people hold every word, so terms of the term chunk are in k records and may be bound to meet others."""
    n = data.draw(st.integers(k, 5))
    sizes = data.draw(st.lists(st.integers(k, n), min_size=0, max_size=2))
    cluster: Cluster = (n, [["ab"[i]] * size for i, size in enumerate(sizes)], data.draw(st.sampled_from(["", "t", "tu"])))
    if cluster[1] or cluster[2]:
        assert holds(k, m, cluster, support=k) == keeps_promise(k, m, cluster, support=k)


@given(st.data())
@settings(max_examples=60)
def test_of_several_clusters_nothing_is_accepted_that_the_support_gives_away(data: st.DataObject) -> None:
    clusters: list[Cluster] = []
    for letter in "ab":
        n = data.draw(st.integers(2, 3))
        size = data.draw(st.integers(2, n))
        clusters.append((n, [[letter] * size], data.draw(st.sampled_from(["", "t", "tu", letter.upper()]))))
    if holds(2, 2, *clusters, support=2):
        assert keeps_promise(2, 2, *clusters, support=2)


def test_a_term_that_nearly_all_records_hold_is_tied_to_a_term_of_known_support() -> None:
    """Four of five records hold a, and two or more hold t: they meet in one at least. Without the support nothing is certain."""
    cluster: Cluster = (5, [["a"] * 4], "t")
    assert holds(2, 2, cluster)
    assert not holds(2, 2, cluster, support=2)
    assert holds(2, 2, (6, [["a"] * 4], "t"), support=2)


def test_models_of_tables_with_several_fields_declare_what_they_leave_open() -> None:
    """Only what every claim leaves open is listed: a model that declared nothing would hide what the others leave open."""
    silent = {name for name in MODELS if MODELS[name].not_checked is Model.not_checked and MODELS[name].judges != {"bags"}}
    assert silent == set()
