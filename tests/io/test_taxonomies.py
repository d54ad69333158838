"""Taxonomies from files: three forms, what their labels mean, and one clear line for every wrong file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from helpers.errors import error, refuses
from shoal.data.taxonomy import Taxonomy
from shoal.io.read.taxonomies import TaxonomyFile, read_taxonomy

FOOD = {"Fruit": "Food", "Meat": "Food", "Apple": "Fruit", "Orange": "Fruit", "Beef": "Meat"}


def parents(taxonomy: Taxonomy) -> dict[str, str]:
    names = taxonomy.names
    return {names[i]: names[int(p)] for i, p in enumerate(taxonomy.parent) if p >= 0}


def read(tmp_path: Path, content: str | bytes, name: str = "tree.txt", form: str | None = None) -> TaxonomyFile:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_taxonomy(path, form)


EDGES = "Fruit\tFood\nMeat\tFood\nApple\tFruit\nOrange\tFruit\nBeef\tMeat\n"
PATHS = "Apple;Fruit;Food\nOrange;Fruit;Food\nBeef;Meat;Food\n"
NESTED = json.dumps({"Food": {"Fruit": ["Apple", "Orange"], "Meat": "Beef"}})
NAMED = json.dumps(
    {
        "name": "Food",
        "children": [
            {"name": "Fruit", "children": [{"name": "Apple"}, {"name": "Orange", "children": []}]},
            {"name": "Meat", "children": [{"name": "Beef"}]},
        ],
    }
)


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (EDGES, "edges"),
        ("child\tparent\n" + EDGES, "edges"),
        (EDGES.replace("\t", ",").replace("\n", "\r\n"), "edges"),
        (EDGES.replace("\n", "\r"), "edges"),
        ("Food,\n" + EDGES.replace("\t", ","), "edges"),
        ("\ufeff" + EDGES, "edges"),
        ("\n" + EDGES + "\n\nFruit\tFood\n", "edges"),
        (PATHS, "paths"),
        (PATHS + PATHS, "paths"),
        (PATHS.replace(";", "\t"), "paths"),
        (PATHS.replace(";", ","), "paths"),
        ('"Apple";"Fruit";"Food"\n' + PATHS, "paths"),
        ("item;level2;level1\n" + PATHS, "paths"),
        ("Apple;Fruit;;Food\nOrange;Fruit\nBeef;Meat;Food;\n", "paths"),
        (NESTED, "json"),
        (NAMED, "json"),
        ("\n  " + NESTED, "json"),
    ],
)
def test_every_form_gives_the_same_tree(tmp_path: Path, content: str, form: str) -> None:
    found = read(tmp_path, content)
    assert found.form == form
    assert parents(found.taxonomy) == FOOD
    assert parents(read(tmp_path, content, form=form).taxonomy) == FOOD


@pytest.mark.parametrize("name", ["tree.tsv.gz", "misnamed.tsv"])
def test_compressed_files_are_told_by_their_first_bytes(tmp_path: Path, name: str) -> None:
    assert parents(read(tmp_path, gzip.compress(EDGES.encode(), mtime=0), name).taxonomy) == FOOD
    assert parents(read(tmp_path, zstandard.compress(EDGES.encode()), name).taxonomy) == FOOD


def test_a_zst_file_of_several_frames_without_their_sizes_is_read(tmp_path: Path) -> None:
    raw = b""
    for half in (EDGES[:20], EDGES[20:]):
        packer = zstandard.ZstdCompressor().compressobj()
        raw += packer.compress(half.encode()) + packer.flush()
    assert parents(read(tmp_path, raw).taxonomy) == FOOD


def test_the_loss_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "tree.tsv"
    path.write_text(EDGES)
    assert read_taxonomy(path, loss="height").taxonomy.loss_name == "height"


# -- what labels mean in paths


def test_an_item_that_shares_its_groups_name_stays_apart_from_it(tmp_path: Path) -> None:
    found = read(tmp_path, "ham;sausage;meat\nsausage;sausage;meat\npork;pork;meat\n")
    assert parents(found.taxonomy) == {
        "sausage (group)": "meat",
        "ham": "sausage (group)",
        "sausage": "sausage (group)",
        "pork": "meat",
    }
    assert any("'sausage (group)'" in note for note in found.notes)


def test_an_item_named_like_a_group_further_up_stays_apart_from_it(tmp_path: Path) -> None:
    found = read(tmp_path, "detergent;softeners;detergent;*\nsoap;cleaner;detergent;*\n")
    assert parents(found.taxonomy) == {
        "detergent (group)": "*",
        "softeners": "detergent (group)",
        "cleaner": "detergent (group)",
        "detergent": "softeners",
        "soap": "cleaner",
    }


def test_the_mark_of_a_group_gives_way_to_a_label_of_that_name(tmp_path: Path) -> None:
    found = read(tmp_path, "a;a;*\nb;a;*\na (group);c;*\n")
    assert parents(found.taxonomy)["b"] == "a (group) (group)"
    assert parents(found.taxonomy)["a (group)"] == "c"


def test_repeated_groups_are_one(tmp_path: Path) -> None:
    found = read(tmp_path, "napkins;perfumery;perfumery;*\nsoap;care;perfumery;*\n")
    assert parents(found.taxonomy) == {
        "perfumery": "*",
        "napkins": "perfumery",
        "care": "perfumery",
        "soap": "care",
    }


def test_an_item_may_be_an_inner_node(tmp_path: Path) -> None:
    found = read(tmp_path, "Fruit;Food;*\nApple;Fruit;Food;*\n")
    assert parents(found.taxonomy) == {"Food": "*", "Fruit": "Food", "Apple": "Fruit"}


def test_paths_that_end_apart_get_a_root_and_say_so(tmp_path: Path) -> None:
    found = read(tmp_path, "Apple;Fruit;Food\nSoap;Care;Other\n")
    assert parents(found.taxonomy)["Food"] == parents(found.taxonomy)["Other"] == "(root)"
    assert any("(root)" in note for note in found.notes)


def test_two_columns_read_as_paths_imply_a_root(tmp_path: Path) -> None:
    content = "Apple,Fruit\nBeef,Meat\n"
    with refuses("taxonomy-several-roots", nodes=["Fruit", "Meat"]):
        read(tmp_path, content)
    assert parents(read(tmp_path, content, form="paths").taxonomy)["Meat"] == "(root)"


def test_a_label_that_only_looks_like_a_header_is_kept(tmp_path: Path) -> None:
    found = read(tmp_path, "item,thing\npen,item\ncup,item\n")
    assert parents(found.taxonomy) == {"item": "thing", "pen": "item", "cup": "item"}


def test_keys_of_json_that_are_passed_over_are_told(tmp_path: Path) -> None:
    found = read(tmp_path, '{"name": "Food", "children": [{"name": "Apple", "size": 3}]}')
    assert parents(found.taxonomy) == {"Apple": "Food"}
    assert any("size" in note for note in found.notes)


def test_json_knows_the_same_rule_for_equal_names(tmp_path: Path) -> None:
    found = read(tmp_path, '{"meat": {"sausage": ["sausage", "ham"], "pork": {"pork": null}}}')
    assert parents(found.taxonomy) == {
        "sausage (group)": "meat",
        "sausage": "sausage (group)",
        "ham": "sausage (group)",
        "pork": "meat",
    }


def test_a_deep_json_tree_is_read(tmp_path: Path) -> None:
    depth = 200
    text = "".join(f'{{"n{i}": ' for i in range(depth)) + '"leaf"' + "}" * depth
    assert read(tmp_path, text).taxonomy.height == depth


# -- what can be wrong


@pytest.mark.parametrize(
    ("content", "form", "told"),
    [
        ("a\tb\nb\tc\nc\ta\n", None, error("taxonomy-cycle", nodes=["a", "b", "c"])),
        ("a\ta\n", None, error("taxonomy-cycle", nodes=["a"])),
        ("a\tb\nb\tc\nc\ta\nx\tr\n", None, error("taxonomy-cycle", nodes=["a", "b", "c"])),
        ("a\tb\nx\tb\na\tc\nb\tc\n", None, error("taxonomy-two-parents", nodes=["a", "b", "c"])),
        ("a\tb\na\t\n", None, "taxonomy-two-parents"),
        ("a;x;*\nb;y;*\na;y;*\n", None, error("taxonomy-two-parents", nodes=["a", "x", "y"])),
        ("a;x;y;*\nb;x;z;*\n", None, error("taxonomy-two-parents", nodes=["x", "y", "z"])),
        ("a;x;*\nb;a;*;\n", None, error("taxonomy-two-parents", nodes=["a", "*", "x"])),
        ("a;x;*\nb;y;top\n", None, error("taxonomy-several-roots", nodes=["*", "top"])),
        ("a\tr\nb\ts\n", None, error("taxonomy-several-roots", nodes=["r", "s"])),
        ("a;b;c\nlonely\nd;b;c\n", None, error("taxonomy-line-invalid", line=2)),
        ("lonely\n", None, error("taxonomy-line-invalid", line=1)),
        ("a;b;c\nd;;\n", None, error("taxonomy-line-invalid", line=2)),
        ("a;b;c\n;b;c\n", None, error("taxonomy-line-invalid", line=2)),
        ("a\tb\n\tb\n", None, error("taxonomy-line-invalid", line=2)),
        ("a\tb\tc\n", "edges", error("taxonomy-line-invalid", line=1)),
        ('a;b;c\n"d;b;c\n', None, error("taxonomy-line-invalid", line=2)),
        ('a;b;c\n"d"e;b;c\n', None, error("taxonomy-line-invalid", line=2)),
        ("", None, "empty-input"),
        ("\ufeff \n \n", None, "empty-input"),
        (b"a\tb\nb\xff\tc\n", None, error("not-utf8", line=2)),
        (b"a\tb\0\n", None, "not-plain-text"),
        (b"\x1f\x8bnonsense", None, "damaged-file"),
        (gzip.compress(EDGES.encode(), mtime=0)[:-12], None, "truncated-file"),
        (b"\x28\xb5\x2f\xfdnonsense", None, "damaged-file"),
        (zstandard.compress(EDGES.encode())[:-5], None, "truncated-file"),
        ('{"a": {"b": }', None, error("invalid-json", line=1)),
        (EDGES, "json", error("invalid-json", line=1)),
        ('{"a": ["x"], "b": ["y"]}', None, "taxonomy-several-roots"),
        ("[]", None, "taxonomy-several-roots"),
        ('{"a": {"b": ["x"], "b": ["y"]}}', None, error("duplicate-key", nodes=["b"])),
        ('{"a": {"b": ["x"], "c": ["x"]}}', None, error("taxonomy-two-parents", nodes=["x", "b", "c"])),
        ('{"a": [true]}', None, "taxonomy-label-invalid"),
        ('{"a": [1.5]}', None, "taxonomy-label-invalid"),
        ("[" * 100_000, None, "nested-too-deeply"),
    ],
)
def test_a_wrong_file_is_refused_in_one_clear_line(tmp_path: Path, content: str | bytes, form: str | None, told: str) -> None:
    with refuses(told) as caught:
        read(tmp_path, content, form=form)
    assert "tree.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with refuses("file-not-found"):
        read_taxonomy(tmp_path / "absent.tsv")
    with refuses("path-is-a-directory"):
        read_taxonomy(tmp_path)


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with refuses("unknown-taxonomy-form", value="xml"):
        read(tmp_path, EDGES, form="xml")
    with refuses("unknown-node-loss", value="bits"):
        read_taxonomy(tmp_path / "tree.txt", loss="bits")
