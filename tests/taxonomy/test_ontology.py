"""Ontologies as trees and as graphs: against trying all paths on small random graphs, and for documents against the plain judge."""

from __future__ import annotations

import pickle

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from helpers.cli import Shell, failed
from helpers.documents import json_lines
from shoal.taxonomy.ontology import ALTERNATIVE, PREFERRED, Concept, ConceptLexicon, taxonomy_of_concepts


@st.composite
def ontologies(draw: st.DrawFn) -> list[Concept]:
    """Concepts with none to three parents before them and some labels in common, in any order."""
    n = draw(st.integers(1, 10))
    above = [draw(st.lists(st.integers(0, node - 1), max_size=3, unique=True)) if node else [] for node in range(n)]
    shared = st.sampled_from(["x", "y", "z"])
    labels = [[(f"c{node}", PREFERRED), *((label, ALTERNATIVE) for label in draw(st.lists(shared, max_size=2)))] for node in range(n)]
    found = [Concept(f"id{i}", f"c{i}", tuple(labels[i]), tuple(f"id{a}" for a in above[i])) for i in range(n)]
    return draw(st.permutations(found))


def paths_up(node: str, above: dict[str, list[str]]) -> list[list[str]]:
    """All paths from a concept to one without parents, from below."""
    return [[node, *rest] for parent in above[node] for rest in paths_up(parent, above)] or [[node]]


@settings(deadline=None, max_examples=100)
@given(ontologies())
def test_a_concept_lies_below_the_lowest_one_on_all_its_paths(concepts: list[Concept]) -> None:
    taxonomy, _ = taxonomy_of_concepts(concepts)
    above = {f"c{one.id[2:]}": [f"c{parent[2:]}" for parent in one.parents] for one in concepts}
    for name in above:
        paths = paths_up(name, above)
        common = [node for node in paths[0][1:] if all(node in path for path in paths)]
        placed = taxonomy.path(int(taxonomy.names.codes([name])[0]))[1:]
        assert [node for node in placed if node != "(root)"] == common


@settings(deadline=None, max_examples=100)
@given(ontologies())
def test_a_term_is_placed_at_the_lowest_node_above_all_its_concepts(concepts: list[Concept]) -> None:
    taxonomy, _ = taxonomy_of_concepts(concepts)
    assert isinstance(taxonomy.lexicon, ConceptLexicon)
    graph = taxonomy.lexicon.graph
    for label in ("x", "y", "z"):
        bearers = [one.label for one in concepts if (label, ALTERNATIVE) in one.labels]
        place = int(taxonomy.nodes(pl.Series([label]))[0])
        assert (place >= 0) == bool(bearers)
        if bearers:
            paths = [taxonomy.path(int(taxonomy.names.codes([name])[0])) for name in bearers]
            assert taxonomy.names[place] == next(node for node in paths[0] if all(node in path for path in paths))
            senses = graph.senses[int(taxonomy.lexicon.places(pl.Series([label]))[0])]
            assert sorted(graph.names[node] for node in senses) == sorted(set(bearers))


FOOD = [
    Concept("1", "food", (("food", PREFERRED),)),
    Concept("2", "fruit", (("fruit", PREFERRED),), ("1",)),
    Concept("3", "vegetable", (("vegetable", PREFERRED),), ("1",)),
    Concept("4", "tomato", (("tomato", PREFERRED), ("love apple", ALTERNATIVE)), ("2", "3")),
    Concept("5", "pear", (("pear", PREFERRED),), ("2",)),
    Concept("6", "leek", (("leek", PREFERRED),), ("3",)),
]


def test_workers_of_a_cluster_can_have_it() -> None:
    taxonomy, _ = taxonomy_of_concepts(FOOD)
    again = pickle.loads(pickle.dumps(taxonomy))
    terms = pl.Series(["Love Apple", "leek", "food", "?"])
    assert again.nodes(terms).tolist() == taxonomy.nodes(terms).tolist()


def test_baskets_on_an_ontology() -> None:
    taxonomy, _ = taxonomy_of_concepts(FOOD)
    found = shoal.anonymize([["Love Apple", "pear"], ["tomato", "pear"], ["leek"], ["vegetable"]], k=2, taxonomy=taxonomy)
    table = found.release.tables["records"]
    assert sorted(map(sorted, table.records.to_polars().to_list())) == [["pear", "tomato"], ["vegetable"]]
    assert table.copies.tolist() == [2, 2]


def test_documents_are_generalized_along_all_parents() -> None:
    taxonomy, _ = taxonomy_of_concepts(FOOD)
    frame = pl.DataFrame({"text": ["a love apple, the love apple", "leek soup", "pear pear", "Tomato"]})
    found = shoal.anonymize(frame, method="document-vectors", k=2, taxonomy=taxonomy)
    rows = {tuple(items) for items in found.release.tables["vectors"].frame["items"].to_list()}
    assert rows in ({("fruit",), ("vegetable",)}, {("love apple",), ("food",)})
    assert all(verdict.holds for verdict in found.verdicts)


def test_the_command_line_reads_audits_and_measures_documents_with_a_file(shell: Shell) -> None:
    stanzas = [f"[Term]\nid: {one.id}\nname: {one.label}\n" + "".join(f"is_a: {a}\n" for a in one.parents) for one in FOOD]
    shell.file("food.obo", "\n".join(stanzas))
    shell.file("texts.jsonl", json_lines(["tomato tomato pear", "pear pear tomato", "leek leek", "leek vegetable"]))
    documents = ("anonymize", "texts.jsonl", "--method", "document-vectors", "--k", "2", "--to", "csv", "--out")
    assert "distances in the taxonomy" in shell(*documents, "release", "--taxonomy", "food.obo").out
    failed(shell("audit", "release", "--original", "texts.jsonl"), "taxonomy-not-located")
    assert shell("audit", "release", "--original", "texts.jsonl", "--taxonomy", "food.obo").code == 0
    written = shell.directory / "release" / "vectors.csv"
    written.write_text(written.read_text().replace("pear", "vegetable"))
    assert shell("audit", "release", "--original", "texts.jsonl", "--taxonomy", "food.obo").code == 3
    failed(shell(*documents, "other", "--taxonomy", "paths"), "option-not-applicable")
