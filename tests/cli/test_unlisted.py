"""A user's node or term may bear any name, also that of the node for unknown terms."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell, typed

NESTED = {"Food": {"(unlisted)": {"Fruit": ["Apple"]}}}


@pytest.mark.parametrize("method", ["ssc", "shoal", "clump", "partition"])
@pytest.mark.parametrize("second", ["Apple", "Apple,pen"])
def test_a_node_of_that_name_with_nodes_below_it(shell: Shell, method: str, second: str) -> None:
    shell.file("tree.json", json.dumps(NESTED))
    shell.file("input.txt", f"Apple\n{second}\n")
    words = ("anonymize", shell.directory / "input.txt", "--taxonomy", shell.directory / "tree.json", "--k", "2", "--method", method)
    answer = typed(*words, "--format", "transactions", "--floor", "1", "--out", shell.directory / "release")
    assert answer.code == 0, answer
    manifest = json.loads((shell.directory / "release" / "manifest.json").read_text())
    assert all(claim["holds"] for claim in manifest["claims"])


def test_nodes_below_it_are_as_near_as_their_names_say_nothing_of(shell: Shell) -> None:
    """Apple and Orange are siblings; were they taken for unknown terms, nothing would be published for them."""
    shell.file("tree.json", json.dumps({"Food": {"(unlisted)": ["Apple", "Orange"], "Meat": ["Beef"]}}))
    shell.file("input.txt", "Apple\nOrange\n")
    words = ("anonymize", shell.directory / "input.txt", "--taxonomy", shell.directory / "tree.json", "--k", "2", "--method", "ssc")
    answer = typed(*words, "--format", "transactions", "--out", shell.directory / "release")
    assert answer.code == 0, answer
    accounting = json.loads((shell.directory / "release" / "manifest.json").read_text())["accounting"]
    assert accounting["occurrences"]["as the parent"] == 2
