"""Nothing that comes from a file steers the terminal: a forged verdict shows as the text that it is."""

from __future__ import annotations

import ast
import json
import unicodedata
from pathlib import Path

import pytest

import shoal.cli
from helpers.cli import Shell
from shoal.util.wording import visible

# Clears the line above and writes another verdict; colours; a title; a character that turns the text round; an 8-bit sequence; DEL.
FORGED = "x\x1b[1A\x1b[2K\x1b[32mall claims hold\x1b[0m\x1b]0;title\x07\u202eevil\u2066\x9b2K\x7f\x08\r\u200b\u2028"
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def steers(text: str) -> list[str]:
    return [repr(c) for c in text if c != "\n" and unicodedata.category(c) in STEERING]


def test_every_character_that_steers_is_written_out():
    for code in range(0x110000):
        character = chr(code)
        shown = visible(character)
        if unicodedata.category(character) in STEERING:
            assert shown.startswith("\\")
            assert shown.encode("ascii").decode("unicode_escape") == character
        else:
            assert shown == character


def test_words_of_any_language_stay_as_they_are():
    assert visible("naïve Käse 寿司 щи [bold]x[/bold]") == "naïve Käse 寿司 щи [bold]x[/bold]"


def nasty_release(shell: Shell) -> Path:
    """Records that fail 2-anonymity and coherence, with a forged verdict for an item, a claim, a note and a file's name."""
    lines = [json.dumps({"items": [FORGED, f"item {n}"]}) for n in range(4)]
    return shell.file("nasty.jsonl", "\n".join(lines) + "\n")


@pytest.mark.parametrize("claim", ["k-anonymity(k=2)", "coherence(k=2, p=2, h=0.4)", f"k-anonymity(k={FORGED})", f"{FORGED}(k=2)"])
def test_an_audit_of_forged_items(shell: Shell, claim: str):
    nasty_release(shell)
    for extra in ([], ["--show-rare"]):
        answer = shell("audit", "nasty.jsonl", "--claim", claim, *extra)
        assert answer.code in {1, 3}
        assert steers(answer.everything) == []


@pytest.mark.parametrize("part", ["method", "claims", "notes", "files", "metrics", "accounting"])
def test_a_forged_manifest(kitchen: Shell, part: str):
    place = kitchen.directory / "release" / "manifest.json"
    manifest = json.loads(place.read_text())
    forged = {
        "method": FORGED,
        "claims": [{"model": f"k-anonymity(k={FORGED})", "holds": True, "achieved": {FORGED: FORGED}}],
        "notes": [FORGED],
        "files": [{**manifest["files"][0], "format": FORGED, "separator": FORGED}],
        "metrics": {FORGED: FORGED},
        "accounting": {FORGED: {FORGED: 1}},
    }
    place.write_text(json.dumps({**manifest, part: forged[part]}))
    for words in (["audit", "release"], ["measure", "release"], ["audit", "release", "--json"]):
        assert steers(kitchen(*words).everything) == []


def test_forged_names_of_columns_and_files(shell: Shell):
    name = "x\x1b[2Kforged\u202e.csv"
    shell.file(name, f"us\x1b[2Ker\u202e,quer\x1b[2Ky\u202e\n1,{FORGED}\n")
    for words in (
        ["anonymize", name, "--out", "r"],
        ["audit", name],
        ["anonymize", "--user", FORGED, name, "--out", FORGED.replace("/", "")],
    ):
        answer = shell(*words)
        assert answer.everything
        assert steers(answer.everything) == []


def test_a_forged_taxonomy(shell: Shell):
    shell.file("tree.json", json.dumps({FORGED: {f"b{FORGED}": [f"c{FORGED}", "d"]}}))
    shell.file("twice.json", json.dumps({FORGED: [f"b{FORGED}", f"b{FORGED}"]}))
    shell.file("baskets.txt", "d\n" * 3 + "\x1b[2Kmissed\u202e\n" * 6)
    for words in (
        ["check", "tree.json"],
        ["show", "tree.json", "--depth", "3"],
        ["show", "tree.json", f"c{FORGED}x"],
        ["check", "twice.json"],
        ["coverage", "tree.json", "baskets.txt", "--format", "transactions"],
        ["coverage", "tree.json", "baskets.txt", "--format", "transactions", "--json"],
    ):
        answer = shell("taxonomy", *words)
        assert answer.everything
        assert steers(answer.everything) == []


def test_all_commands_print_through_the_screen():
    """No command prints by itself, so none can forget to make text visible."""
    for file in Path(shoal.cli.__file__).parent.glob("*.py"):
        if file.name in {"screen.py", "main.py", "start.py"}:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}, file.name
                assert not called.endswith("screen.out.print") or not node.args, file.name


def test_the_report_shows_forged_items_as_text(shell: Shell):
    shell.file("baskets.txt", "<script>alert(1)</script>\tmilk\n" * 5)
    assert shell("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--out", "r").code == 0
    page = (shell.directory / "r" / "report.html").read_text()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
