"""Ontologies in SKOS and OBO as taxonomies: the same concepts in every form, what labels mean, and a clear line for every wrong file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from helpers.errors import error, refuses
from shoal.data.taxonomy import Taxonomy
from shoal.io.read.ontologies.rdf_xml import triples_of_xml
from shoal.io.read.ontologies.turtle import triples_of_turtle
from shoal.io.read.taxonomies import TaxonomyFile, read_taxonomy

TURTLE = """# a thesaurus
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@base <http://example.org/> .
<#s> a skos:ConceptScheme ; skos:hasTopConcept <#food> .
<#food> a skos:Concept ; skos:prefLabel "food"@en , "Essen"@de ; skos:narrower <#fruit> .
<#fruit> a skos:Concept ; skos:prefLabel "fruit"@en , "Obst"@de .
<#veg> a skos:Concept ; skos:prefLabel "vegetable"@en-GB ; skos:broader <#food> ; skos:notation "07" .
<#tomato> a skos:Concept ; skos:prefLabel \"\"\"Tomato\"\"\"@en ; skos:altLabel 'love apple'@en ; skos:broader <#fruit> , <#veg> .
<#pear> a skos:Concept ; skos:prefLabel "pear"@en ; skos:hiddenLabel "pare"@en ; skos:broader <#fruit> ; skos:note [ a <#n> ] .
"""
SKOS, TYPE = "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
         xml:base="http://example.org/">
  <skos:Concept rdf:ID="food" xml:lang="en" skos:prefLabel="food">
    <skos:prefLabel xml:lang="de">Essen</skos:prefLabel>
    <skos:narrower><skos:Concept rdf:about="#fruit"><skos:prefLabel>fruit</skos:prefLabel>
      <skos:prefLabel xml:lang="de">Obst</skos:prefLabel></skos:Concept></skos:narrower>
  </skos:Concept>
  <rdf:Description rdf:about="http://example.org/#veg"><rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>
    <skos:prefLabel xml:lang="en-GB">
      vegetable</skos:prefLabel><skos:broader rdf:resource="#food"/><skos:notation>07</skos:notation></rdf:Description>
  <skos:Concept rdf:about="#tomato"><skos:prefLabel xml:lang="en">Tomato</skos:prefLabel>
    <skos:altLabel xml:lang="en">love apple</skos:altLabel>
    <skos:broader rdf:resource="#fruit"/><skos:broader rdf:resource="#veg"/></skos:Concept>
  <skos:Concept rdf:about="#pear" xml:lang="en"><skos:prefLabel>pear</skos:prefLabel><skos:hiddenLabel>pare</skos:hiddenLabel>
    <skos:broader rdf:resource="#fruit"/><skos:note rdf:parseType="Literal"><b>no</b> label</skos:note></skos:Concept>
</rdf:RDF>
"""
OBO = """format-version: 1.4
! a comment
[Term]
id: F:1
name: food

[Term]
id: F:2
name: fruit ! in this file
is_a: F:1 ! food

[Term]
id: F:3
name: vegetable {source="x"}
alt_id: 07
is_a: F:1 {source="x"} ! food

[Term]
id: F:4
name: Tomato
synonym: "love apple" EXACT [x:1, "y"] {a="b"} ! old
relationship: part_of F:1
is_a: F:2
is_a: F:3

[Term]
id: F:5
name: pear
synonym: "pare" RELATED []
is_a: F:2

[Term]
id: F:6
name: quince, old
is_obsolete: true

[Typedef]
id: part_of
is_a: nothing
"""
TREE = {"fruit": "food", "vegetable": "food", "Tomato": "food", "pear": "fruit"}


def parents(taxonomy: Taxonomy) -> dict[str, str]:
    names = taxonomy.names
    return {names[i]: names[int(p)] for i, p in enumerate(taxonomy.parent) if p >= 0}


def read(tmp_path: Path, content: str, form: str | None = None) -> TaxonomyFile:
    path = tmp_path / "thesaurus.txt"
    path.write_text(content, encoding="utf-8")
    return read_taxonomy(path, form)


def placed(taxonomy: Taxonomy, *terms: str) -> list[str | None]:
    """The names of the nodes of these terms."""
    return [taxonomy.names[node] if node >= 0 else None for node in taxonomy.nodes(pl.Series(terms)).tolist()]


def ntriples() -> str:
    lines = []
    for subject, predicate, value, language in triples_of_turtle(TURTLE):
        first = subject if subject.startswith("_:") else f"<{subject}>"
        last = (value if value.startswith("_:") else f"<{value}>") if language is None else f'"{value}"' + (language and f"@{language}")
        lines.append(f"{first} <{predicate}> {last} .".replace("_: ", "_:b"))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("content", "form"), [(TURTLE, "skos"), (XML, "skos"), (ntriples(), "skos"), (OBO, "obo"), ("\n" + XML, "skos")])
def test_every_form_gives_the_same_tree_and_labels(tmp_path: Path, content: str, form: str) -> None:
    found = read(tmp_path, content.lstrip() if content.startswith("\n") else content)
    assert found.form == form
    assert parents(found.taxonomy) == TREE
    terms = ("Tomato", "tomato", "TOMATO", "love apple", "Pare", "vegetable", "07", "leek")
    assert placed(found.taxonomy, *terms) == ["Tomato"] * 4 + ["pear", "vegetable", "vegetable", None]
    assert parents(read(tmp_path, content.lstrip(), form).taxonomy) == TREE
    if form == "skos":
        assert placed(found.taxonomy, "Obst", "essen", "http://example.org/#veg") == ["fruit", "food", "vegetable"]


def test_what_was_left_out_and_moved_is_reported(tmp_path: Path) -> None:
    notes = " ".join(read(tmp_path, OBO).notes)
    for told in ("1 obsolete term left out", "1 relation other", "5 concepts with 7 labels", "1 concept with several parents"):
        assert told in notes
    assert "'en'; preferred labels exist in 1 more" in " ".join(read(tmp_path, TURTLE).notes)


def obo(*terms: str) -> str:
    """Terms written as `id name parent parent`."""
    rows = [term.split() for term in terms]
    return "".join(f"[Term]\nid: {i}\nname: {name}\n" + "".join(f"is_a: {a}\n" for a in above) + "\n" for i, name, *above in rows)


def test_concepts_of_one_name_have_their_ids_and_share_the_lowest_node_above(tmp_path: Path) -> None:
    found = read(tmp_path, obo("1 top", "2 place 1", "3 bank 2", "4 bank 2", "5 money 1", "6 bank 5", "7 river 1"))
    assert {"bank (3)", "bank (4)", "bank (6)"} < set(found.taxonomy.names.names)
    assert placed(found.taxonomy, "bank", "bank (3)") == ["top", None]  # the mark is a name, which nobody types
    within = read(tmp_path, obo("1 top", "2 place 1", "3 bank 2", "4 bank 2", "5 money 1"))
    assert placed(within.taxonomy, "Bank", "3") == ["place", "bank (3)"]


def test_a_preferred_label_comes_before_a_synonym(tmp_path: Path) -> None:
    content = obo("1 top", "2 cold 1", "3 flu 1") + 'synonym: "cold" RELATED []\nsynonym: "chill" EXACT []\n'
    assert placed(read(tmp_path, content).taxonomy, "cold", "COLD", "chill") == ["cold", "cold", "flu"]


def test_labels_that_differ_in_case_only_are_found_as_written(tmp_path: Path) -> None:
    found = read(tmp_path, obo("1 top", "2 AIDS 1", "3 aids 1"))
    assert placed(found.taxonomy, "AIDS", "aids", "Aids") == ["AIDS", "aids", "top"]


def test_several_tops_get_a_root(tmp_path: Path) -> None:
    found = read(tmp_path, obo("1 (root)", "2 b", "3 c 2"))
    assert parents(found.taxonomy) == {"(root)": "((root))", "b": "((root))", "c": "b"}


def test_labels_as_resources_and_deprecated_concepts(tmp_path: Path) -> None:
    content = """PREFIX xl: <http://www.w3.org/2008/05/skos-xl#>
    prefix s: <http://www.w3.org/2004/02/skos/core#>
    prefix owl: <http://www.w3.org/2002/07/owl#>
    <x:a> a s:Concept; xl:prefLabel [ xl:literalForm "Tier"@de ], _:l . _:l xl:literalForm "animal"@fr .
    <x:b> a s:Concept; s:prefLabel "Hund"@de; s:broader <x:a> .
    <x:c> a s:Concept; s:prefLabel "alt"@de; owl:deprecated true . <x:/d> a s:Concept; s:broader <x:a>, <x:e> .
    <x:e> a s:Concept; s:prefLabel "weg"@de; owl:deprecated true; s:broader <x:a> ."""
    found = read(tmp_path, content, "skos")
    assert parents(found.taxonomy) == {"Hund": "Tier", "x:/d": "Tier", "weg": "Tier"}
    assert placed(found.taxonomy, "animal", "alt") == ["Tier", None]
    assert "1 deprecated concept left out" in found.notes
    assert any("no preferred label" in note for note in found.notes)


BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
EXTERNAL = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
A_CONCEPT = f"@prefix s: <{SKOS}> .\n<x:a> a s:Concept"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (BOMB, "xml-entities"),
        (EXTERNAL, "xml-entities"),
        (XML[:-20], error("taxonomy-line-invalid", line=16)),
        ("<?xml version='1.0'?>" + "<a>" * 2_000, "nested-too-deeply"),
        ("<?xml version='1.0'?><html/>", "empty-input"),
        (A_CONCEPT, error("taxonomy-line-invalid", line=2)),
        (A_CONCEPT + ' ; s:prefLabel "open .', error("taxonomy-line-invalid", line=2)),
        (A_CONCEPT + ' ; q:prefLabel "x" .', error("taxonomy-line-invalid", line=2)),
        (A_CONCEPT + ' ; s:prefLabel "\\uD800" .', error("taxonomy-line-invalid", line=2)),
        (A_CONCEPT + ' ; s:prefLabel "\\u001b[1A" .', "taxonomy-label-invalid"),
        (A_CONCEPT + ' ; s:prefLabel "" .', "taxonomy-label-invalid"),
        (A_CONCEPT + " ; s:broader <x:b> .", error("taxonomy-parent-missing", nodes=["x:b"])),
        (A_CONCEPT + " ; s:narrower <x:b> .", error("taxonomy-parent-missing", nodes=["x:b"])),
        (A_CONCEPT + " ; s:broader <x:a> .", error("taxonomy-cycle", nodes=["x:a"])),
        (A_CONCEPT + " ; s:p " + "[ s:p " * 5_000, "nested-too-deeply"),
        (f"@prefix s: <{SKOS}> .", "empty-input"),
        ('{"@context": {}, "@graph": []}', "taxonomy-json-ld"),
        (obo("1 a 2", "2 b 3", "3 c 2"), error("taxonomy-cycle", nodes=["b", "c"])),
        (obo("1 a 9"), error("taxonomy-parent-missing", nodes=["9"])),
        (obo("1 a", "1 b"), error("duplicate-key", nodes=["1"])),
        ("[Term]\nname: a\n", error("taxonomy-line-invalid", line=1)),
        ("[Term]\nid: 1\nname: a\nname: b\n", error("taxonomy-line-invalid", line=4)),
        ("[Term]\nid: 1\nno tag here\n", error("taxonomy-line-invalid", line=3)),
        ("[Term]\nid: 1\nsynonym: bare EXACT []\n", error("taxonomy-line-invalid", line=3)),
        ("[Term]\nid: 1\nname: \x07\n", "taxonomy-label-invalid"),
        ("format-version: 1.2\n", "empty-input"),
    ],
)
def test_a_wrong_file_is_refused_in_one_clear_line(tmp_path: Path, content: str, told: str) -> None:
    with refuses(told) as caught:
        read(tmp_path, content)
    assert "thesaurus.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_turtle_in_full() -> None:
    text = r"""@prefix : <http://e/> . @prefix a.b: <http://e/ab#> .
    :x a.b:p.q "tab\there \u00e9 \U0001F600 \"q\"", 'it''s' ."""
    text = text.replace("'it''s'", "'its'") + (
        '\n:y\\,z :p%20q 1, -2.5e3, true ; ; :l (:a "b"@en-GB) ; a :T .\n[] :p [ :q :r ; ] .\n[ :s :t ] .\n(:one) :of _:b.c .# end'
    )
    found = list(triples_of_turtle(text))
    at = "http://e/"
    plain = [(t.subject, t.predicate, t.object, t.language) for t in found if not {t.subject[:2], t.object[:2]} & {"_:"}]
    assert plain == [
        (f"{at}x", f"{at}ab#p.q", 'tab\there é 😀 "q"', ""),
        (f"{at}x", f"{at}ab#p.q", "its", ""),
        *((f"{at}y,z", f"{at}p%20q", number, "") for number in ("1", "-2.5e3", "true")),
        (f"{at}y,z", TYPE, f"{at}T", None),
    ]
    assert len(found) == 17
    assert found[-1].object == "_:b.c"


def test_rdf_xml_in_full() -> None:
    text = """<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/" xmlns:e="http://e/" xml:lang="en">
    <r:Description r:nodeID="n" e:p="attribute" r:type="http://e/T"><q r:parseType="Resource"><s>inner</s></q>
    <t r:nodeID="m"/><u r:datatype="http://e/D" xml:lang="">text &amp; more</u><v e:p="of blank"/>
    <w r:parseType="Collection"><r:Description r:about="http://e/member"/></w></r:Description></r:RDF>"""
    found = {tuple(triple) for triple in triples_of_xml(text)}
    at = "http://e/"
    assert found == {
        ("_:n", f"{at}p", "attribute", "en"),
        ("_:n", TYPE, f"{at}T", None),
        ("_:n", f"{at}q", "_: 1", None),
        ("_: 1", f"{at}s", "inner", "en"),
        ("_:n", f"{at}t", "_:m", None),
        ("_:n", f"{at}u", "text & more", ""),
        ("_:n", f"{at}v", "_: 2", None),
        ("_: 2", f"{at}p", "of blank", "en"),
    }
