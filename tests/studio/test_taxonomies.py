"""Taxonomies in the studio: made from files, product tables and topics, browsed, changed, and used in a release."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from helpers.cli import Shell
from helpers.studio import Visitor, baskets_csv, records, shown, unzipped
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.studio.requested import own_files
from shoal.studio.states import PUBLISH
from shoal.taxonomy.edit import added, moved, renamed

EDGES = "child\tparent\nmilk\tdrink\nbeer\tdrink\nbread\tfood\napple\tfood\ndrink\tall\nfood\tall\n"
SCRIPT = "<script>alert(1)</script>"


def made(visitor: Visitor, text: str = EDGES, name: str = "food.tsv") -> str:
    address = str(visitor.upload(text.encode(), name, "/taxonomies/upload").json()["location"])
    assert "What is in this file?" in visitor.get(address).text
    assert visitor.post(f"{address}/make").status_code == 200
    return address


def source_of(visitor: Visitor) -> str:
    address = visitor.open(baskets_csv(), "baskets.csv")
    visitor.post(f"{address}/confirm", people="yes")
    return address.rpartition("/")[2]


def edges(visitor: Visitor, address: str, **query: str) -> set[tuple[str, ...]]:
    text = visitor.get(f"{address}/file", params=query).text
    return {tuple(line.split("\t")) for line in text.splitlines()[1:]}


def test_a_node_is_moved_renamed_added_and_the_change_taken_back(visitor: Visitor) -> None:
    address = made(visitor)
    before = edges(visitor, address)
    assert before == {tuple(line.split("\t")) for line in EDGES.splitlines()[1:]}
    assert visitor.post(f"{address}/change", do="move", node="milk", parent="food").url.query == b"node=food"
    assert edges(visitor, address) == before - {("milk", "drink")} | {("milk", "food")}
    visitor.post(f"{address}/change", do="rename", node="food", name="to eat")
    visitor.post(f"{address}/change", do="add", node="to eat", name="salt")
    assert {child for child, parent in edges(visitor, address) if parent == "to eat"} == {"bread", "apple", "milk", "salt"}
    visitor.post(f"{address}/change", do="undo")
    visitor.post(f"{address}/change", do="undo")
    assert edges(visitor, address) == before - {("milk", "drink")} | {("milk", "food")}
    visitor.post(f"{address}/change", do="add", node="drink", name="tea")
    assert ("salt", "to eat") in edges(visitor, address, version="4")  # a version that was taken back is not written over
    assert ("tea", "drink") in edges(visitor, address)


@pytest.mark.parametrize(
    ("do", "node", "name", "code"),
    [
        ("move", "drink", "milk", "taxonomy-cycle"),
        ("move", "all", "food", "taxonomy-root-fixed"),
        ("move", "milk", "nowhere", "unknown-node"),
        ("rename", "milk", "beer", "taxonomy-name-taken"),
        ("rename", "milk", " ", "empty-name"),
        ("add", "food", "a\tb", "empty-name"),
        ("add", "nowhere", "salt", "unknown-node"),
    ],
)
def test_changes_that_would_break_the_tree_are_refused(visitor: Visitor, do: str, node: str, name: str, code: str) -> None:
    tree = Taxonomy.from_parents({"all": None, "food": "all", "drink": "all", "milk": "drink", "beer": "drink"})
    with pytest.raises(TaxonomyError) as failed:
        {"move": moved, "rename": renamed, "add": lambda tree, node, name: added(tree, name, node)}[do](tree, node, name)
    assert failed.value.code == code


def test_a_refused_change_makes_no_version(visitor: Visitor) -> None:
    address = made(visitor)
    for fields in ({"do": "move", "node": "drink", "parent": "milk"}, {"do": "delete", "node": "milk"}, {"do": ""}):
        assert visitor.post(f"{address}/change", **fields).status_code == 400
    assert "Version 1." in visitor.get(address).text
    assert visitor.post(f"{address}/make").status_code == 409


def test_browsing_and_search(visitor: Visitor) -> None:
    address = made(visitor)
    top = visitor.get(address).text
    assert "7 nodes, 4 of them leaves" in top
    assert top.index(">drink<") < top.index("2 leaves")
    below = visitor.get(address, params={"node": "drink"}).text
    assert ">beer<" in below
    assert ">bread<" not in below
    found = visitor.get(address, params={"q": "BE"}).text
    assert "1 found" in found
    assert ">beer<" in found
    assert visitor.get(address, params={"node": "nowhere"}).status_code == 400


def made_by_command(visitor: Visitor, address: str, shell: Shell) -> set[tuple[str, ...]]:
    """The edges of the taxonomy that the command of a page makes."""
    words = shlex.split(shown(visitor.get(address).text, "command"))
    answer = shell(*words[1:])
    assert answer.code == 0, answer.err
    return {tuple(line.split("\t")) for line in (shell.directory / words[-1]).read_text().splitlines()[1:]}


def test_a_product_table_becomes_a_taxonomy(visitor: Visitor, shell: Shell) -> None:
    page = visitor.post("/taxonomies/path", path="goods.csv")
    assert "<code>aisle</code>" in page.text
    address = page.url.path
    assert "no column" in visitor.post(f"{address}/make", levels="aisle,shelf").text.lower()
    visitor.post(f"{address}/make", levels="aisle,group,product")
    assert {("milk", "dairy"), ("dairy", "cold")} <= edges(visitor, address)
    assert made_by_command(visitor, address, shell) == edges(visitor, address)


def test_topics_are_learned_from_an_opened_file(visitor: Visitor, shell: Shell) -> None:
    page = visitor.post("/taxonomies/learn", source=source_of(visitor), people="2")
    assert "Topics of baskets.csv" in page.text
    assert "topics;" in page.text
    assert {child for child, _ in edges(visitor, page.url.path)} >= {"milk", "bread", "beer", "apple"}
    shell.file("baskets.csv", baskets_csv())
    assert made_by_command(visitor, page.url.path, shell) == edges(visitor, page.url.path)
    assert visitor.post("/taxonomies/learn", source="20260101-000000-00000000", people="2").status_code == 404


def test_coverage_counts_what_the_taxonomy_lacks(visitor: Visitor, shell: Shell) -> None:
    address = made(visitor, EDGES.replace("apple", "plum"))
    page = visitor.post(f"{address}/cover", source=source_of(visitor)).text
    assert "3 of 4 different items are in the taxonomy" in page
    assert ">apple<" in page.partition("Frequent items that it lacks")[2]
    words = shlex.split(unescape(re.search(r"In a terminal: <code>(.*?)</code>", page)[1]))  # type: ignore[index]
    assert words[:5] == ["shoal", "taxonomy", "coverage", "taxonomy-1.tsv", "baskets.csv"]
    shell.file("baskets.csv", baskets_csv())
    shell.file("taxonomy-1.tsv", visitor.get(f"{address}/file").content)
    assert "apple" in shell(*words[1:]).out


def test_an_edited_taxonomy_is_used_in_a_release_that_the_command_makes_too(visitor: Visitor, shell: Shell, tmp_path: Path) -> None:
    address = made(visitor)
    visitor.post(f"{address}/change", do="rename", node="food", name="to eat")
    source = source_of(visitor)
    assert "version 2" in visitor.post(f"{address}/use", source=source).text
    visitor.post(f"{address}/change", do="rename", node="to eat", name="too late")  # the source keeps its version
    opened = visitor.studio.store.source(source)
    assert opened is not None
    task = {"path": opened.path, "typed": opened.typed, "origin": "upload", "protects": "x", "expected": "x", "name": opened.name}
    files = own_files(visitor.studio, opened.options)
    assert files == ["taxonomy"]
    job = visitor.studio.begin(PUBLISH, **task, files=files, method="shoal", options=dict(opened.options), settings={"k": "15"})
    page = visitor.get(f"/jobs/{job.name}").text
    assert "The claim holds." in page
    assert "--taxonomy taxonomy-2.tsv" in shown(page, "command")
    assert f'href="{address}/file?version=2"' in page
    release = unzipped(visitor, f"/jobs/{job.name}", tmp_path / "studio")
    shell.file("taxonomy-2.tsv", visitor.get(f"{address}/file", params={"version": "2"}).content)
    shell.file("baskets.csv", baskets_csv())
    assert shell(*shlex.split(shown(page, "command"))[1:-1], tmp_path / "typed").code == 0
    assert records(tmp_path / "typed") == records(release)
    assert any("to eat" in record for record in records(release))
    assert "version 2" not in visitor.post(f"{address}/use", source=source, do="stop").text


def test_reading_the_file_again_keeps_its_taxonomy(visitor: Visitor) -> None:
    address, source = made(visitor), source_of(visitor)
    visitor.post(f"{address}/use", source=source)
    visitor.post(f"/sources/{source}/read", **{"format": "table", "role-0": "user", "role-1": "item"})
    visitor.post(f"/sources/{source}/confirm", people="yes")
    assert "version 1" in visitor.get(f"/sources/{source}/choose").text


# -- attacks


def test_markup_in_a_taxonomy_stays_text(visitor: Visitor) -> None:
    address = made(visitor, f"child\tparent\n{SCRIPT}\t{SCRIPT}2\nb\t{SCRIPT}2\n", f"{SCRIPT}.tsv")
    for path in (address, f"{address}?q=script", f"{address}?node=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/taxonomies"):
        page = visitor.get(path)
        assert page.status_code == 200
        assert SCRIPT not in page.text, path
        assert "&lt;script&gt;" in page.text


@pytest.mark.parametrize("version", ["0", "99", "-1", "../1", "1/../../x", "x", "9" * 40, "٢"])
def test_no_version_leads_out_of_the_folder(visitor: Visitor, version: str) -> None:
    assert visitor.get(f"{made(visitor)}/file", params={"version": version}).status_code == 404


@pytest.mark.parametrize("identity", ["..", "%2e%2e", "20260101-000000-00000000", "x"])
def test_no_other_folder_is_a_taxonomy(visitor: Visitor, identity: str) -> None:
    answer = visitor.get(f"/taxonomies/{identity}/file")
    assert answer.status_code == 404


def test_a_file_outside_the_root_is_no_taxonomy(visitor: Visitor) -> None:
    for typed in ("../x", "/etc/passwd", "", "a\0b"):
        assert visitor.post("/taxonomies/path", path=typed).status_code == 400
    assert visitor.post(f"{made(visitor)}/use", source="../..").status_code == 404
