"""Triples of RDF/XML and Turtle against rdflib."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest

from shoal.io.read.ontologies.rdf_xml import Triple, triples_of_xml
from shoal.io.read.ontologies.turtle import triples_of_turtle

BASE = "http://example.org/"


@pytest.fixture(scope="module")
def rdflib() -> Any:
    return pytest.importorskip("rdflib", reason="rdflib is not installed (scripts/differential.sh)")


def a_graph(rdflib: Any, number: int) -> Any:
    """Statements about concepts with labels in several languages, blank nodes and lists."""
    draw = random.Random(number)
    graph, skos = rdflib.Graph(), rdflib.Namespace("http://www.w3.org/2004/02/skos/core#")
    nodes = [rdflib.URIRef(f"{BASE}{name}") for name in ("a", "b#c", "d/e.f", "g-h", "1", "x%20y")] + [rdflib.BNode() for _ in range(3)]
    texts = ["plain", 'with "quotes"', "line\nend", "tab\tand \\\\", "Käse 寿司 😀", "it's", "", " <&> "]
    for _ in range(draw.randint(3, 40)):
        subject, other = draw.sample(nodes, 2)
        label = rdflib.Literal(draw.choice(texts), lang=draw.choice([None, "en", "de", "en-GB"]))
        graph.add((subject, skos[draw.choice(["prefLabel", "altLabel", "note"])], label))
        graph.add((subject, skos[draw.choice(["broader", "narrower"])], other))
        if draw.random() < 0.2:
            graph.add((subject, skos.notation, rdflib.Literal(draw.choice([1, 25, True]))))
    return graph


def shape(triples: Any) -> Counter[tuple[str, ...]]:
    """The triples without the names of blank nodes."""
    return Counter(tuple(re.sub(r"^_:.*", "_:", str(part)) for part in triple) for triple in triples)


def theirs(rdflib: Any, graph: Any) -> list[Triple]:
    def told(node: Any) -> str:
        return "_:" if isinstance(node, rdflib.BNode) else str(node)

    return [Triple(told(s), str(p), told(o), (o.language or "").lower() if isinstance(o, rdflib.Literal) else None) for s, p, o in graph]


def in_lower(triples: Any) -> list[Triple]:
    return [triple._replace(language=triple.language and triple.language.lower()) for triple in triples]


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize(
    ("form", "parse"), [("turtle", triples_of_turtle), ("nt", triples_of_turtle), ("xml", triples_of_xml), ("pretty-xml", triples_of_xml)]
)
def test_what_rdflib_writes_is_read_as_rdflib_reads_it(number: int, form: str, parse: Any, rdflib: Any) -> None:
    text = a_graph(rdflib, number).serialize(format=form)
    again = rdflib.Graph().parse(data=text, format="xml" if "xml" in form else form)
    assert shape(in_lower(parse(text))) == shape(theirs(rdflib, again))
