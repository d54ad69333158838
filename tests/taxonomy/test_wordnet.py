import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.place_terms import place_terms
from shoal.taxonomy.wordnet import noun_places, wordnet

SOURCE = Path("/usr/share/wordnet")
SCRIPT = Path(__file__).parents[2] / "scripts/build_wordnet.py"


@pytest.fixture(scope="module")
def nouns() -> Taxonomy:
    return wordnet()


def node(nouns: Taxonomy, term: str) -> int:
    return int(nouns.nodes([term])[0])


def test_shape_of_wordnet(nouns: Taxonomy) -> None:
    assert len(nouns) == 82_115
    assert nouns.names[0] == "entity"
    assert np.flatnonzero(nouns.parent < 0).tolist() == [0]
    assert nouns.height == 19
    assert nouns.names.names.n_unique() == len(nouns)


def test_nodes_are_in_preorder(nouns: Taxonomy) -> None:
    number = np.arange(1, len(nouns))
    parent = nouns.parent[1:]
    assert (parent < number).all()
    # In preorder a node's parent is the node before it or one of that node's ancestors.
    before = number - 1
    assert ((parent <= before) & (number < nouns.end[parent])).all()
    assert (nouns.end[before] <= nouns.end[parent]).all()


def test_children_are_in_the_order_of_their_names(nouns: Taxonomy) -> None:
    table = pl.DataFrame({"parent": nouns.parent, "name": nouns.names.names})
    sorted_table = table.sort("parent", "name", maintain_order=True)
    assert table.sort("parent", maintain_order=True).equals(sorted_table)


def test_hypernyms_of_dog(nouns: Taxonomy) -> None:
    # As `wn dog -hypen` prints it; of its two hypernyms the first, not "domestic animal".
    assert nouns.path(node(nouns, "dog")) == [
        "dog", "canine#2", "carnivore", "placental", "mammal", "vertebrate", "chordate", "animal",
        "organism", "living thing", "whole#2", "object", "physical entity", "entity",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "noun"),
    [
        ("mice", "mouse"), ("children", "child"), ("geese", "goose"),
        ("buses", "bus"), ("boxes", "box"), ("women", "woman"),
        ("knives", "knife"), ("wolves", "wolf"), ("ladies", "lady"),
        ("churches", "church"), ("hot dogs", "hot dog"), ("hip hop", "hip-hop"),
        ("hip_hop", "hip-hop"), ("hip-hop", "hip-hop"), ("mothers-in-law", "mother-in-law"),
        ("quizzes", "quiz"), ("DOG", "dog"), ("new_york", "new york"),
    ],
)  # fmt: skip
def test_forms_mean_their_noun(nouns: Taxonomy, form: str, noun: str) -> None:
    lemmas = pl.read_parquet(files("shoal.taxonomy").joinpath("wordnet-data/lemmas.parquet").read_bytes())
    (expected,) = lemmas.filter(pl.col("lemma") == noun)["node"]
    assert node(nouns, form) == expected


def test_synonyms_share_a_node(nouns: Taxonomy) -> None:
    assert node(nouns, "car") == node(nouns, "automobile") == node(nouns, "auto")


def test_an_instance_hangs_under_its_kind(nouns: Taxonomy) -> None:
    assert nouns.path(node(nouns, "einstein"))[1:3] == ["physicist", "scientist"]


def test_few_terms_are_found_like_many(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = ["mice", "Hot_Dogs", "hip hop", "boxesful", "a.k.a.", "U.S.", "zzz", "", "!", None, "oxen", "glass", "cats"]
    terms = pl.Series([*forms, *(f"{form} dogs" for form in forms)], dtype=pl.String)
    few = noun_places(terms).tolist()
    assert sum(place >= 0 for place in few) >= 8
    monkeypatch.setattr("shoal.taxonomy.wordnet.FEW_FORMS", -1)
    assert noun_places(terms).tolist() == few


def test_unknown_terms(nouns: Taxonomy) -> None:
    assert nouns.nodes(["qwrtzk", "", "myspace"]).tolist() == [-1, -1, -1]


def test_names_without_a_number_lead_back_to_their_node(nouns: Taxonomy) -> None:
    names = nouns.names.names
    plain = np.flatnonzero(~names.str.contains("#", literal=True).to_numpy())
    assert (nouns.nodes(names.gather(plain)) == plain).all()


def test_other_losses_share_the_tree_and_the_words(nouns: Taxonomy) -> None:
    other = wordnet("information")
    assert other.loss_name == "information"
    assert wordnet() is nouns
    assert other.nodes(["mice"]).tolist() == nouns.nodes(["mice"]).tolist()


def test_grounding_on_wordnet(nouns: Taxonomy) -> None:
    on_nodes = place_terms(Bags.from_lists([["dogs", "cat", "qwrtzk"], ["dog", "dog"]]), nouns, unknown="drop")
    assert on_nodes.steps.unknown_dropped == 1
    assert on_nodes.bags.record(0) == {"dog": 1, "cat": 1}
    assert on_nodes.bags.record(1) == {"dog": 2}


@pytest.mark.timing
def test_loading_and_looking_up_is_quick() -> None:
    from shoal.taxonomy import wordnet as module

    words = wordnet().names.names.head(25_000).str.replace("#.*", "")
    terms = pl.concat([words, words + "s"])
    module._nouns.cache_clear()
    start = time.process_time()
    wordnet().nodes(terms)
    # It takes about 0.15 s; the bound leaves room for slow machines and still catches loops in Python.
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("term", "noun"),
    [
        ("pregnant", "pregnancy"),
        ("bakes", "baking"),
        ("sexier", "sexual activity"),
        ("dog", "dog"),
        ("dogs", "dog"),
        ("zzyzx", None),
        ("the", None),
    ],
)
def test_related_nouns_place_words_that_are_no_nouns(term: str, noun: str | None) -> None:
    tree, plain = wordnet(related=True), wordnet()
    node, before = int(tree.nodes([term])[0]), int(plain.nodes([term])[0])
    assert (tree.names[node] if node >= 0 else None) == noun
    assert before in (-1, node)


needs_source = pytest.mark.skipif(not SOURCE.is_dir(), reason="WordNet's own files (Debian's wordnet-base) are not installed")


@needs_source
def test_embedded_data_is_what_the_source_gives(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SCRIPT, "--source", SOURCE, "--out", tmp_path], check=True)
    for name in ("nodes", "lemmas", "exceptions", "related", "related_forms"):
        embedded = files("shoal.taxonomy").joinpath(f"wordnet-data/{name}.parquet").read_bytes()
        assert pl.read_parquet(tmp_path / f"{name}.parquet").equals(pl.read_parquet(embedded))
    licence = files("shoal.taxonomy").joinpath("wordnet-data/LICENSE").read_text()
    assert (tmp_path / "LICENSE").read_text() == licence
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence


@needs_source
def test_every_lemma_means_its_first_sense(nouns: Taxonomy) -> None:
    # Read anew, apart from the script: the name that each lemma's first synset should bear.
    first_words = {}
    with (SOURCE / "data.noun").open() as lines:
        for line in lines:
            if not line.startswith(" "):
                fields = line.split()
                first_words[fields[0]] = fields[4].lower()
    with (SOURCE / "index.noun").open() as lines:
        entries = [line.split() for line in lines if not line.startswith(" ")]
    index = {fields[0]: fields[-int(fields[2]) :] for fields in entries}
    expected = []
    for offsets in index.values():
        word = first_words[offsets[0]]
        sense = index[word].index(offsets[0]) + 1
        expected.append(word.replace("_", " ") + (f"#{sense}" if sense > 1 else ""))
    found = nouns.names.names.gather(nouns.nodes([lemma.replace("_", " ") for lemma in index]))
    assert len(index) == 117_798
    assert found.to_list() == expected
