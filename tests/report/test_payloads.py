"""Texts that would be markup, on every page: they are shown as texts, no page gets an element that it has not, and no browser runs them."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import ABSENT, CHROMIUM, Browser
from helpers.cli import Shell
from helpers.kinds import KINDS
from helpers.payloads import HALVES, HIT, PAYLOADS, Elements, harmless
from shoal.kinds import render_report, summary_of
from shoal.pipeline.disclosure import disclosed_facts
from shoal.report.alarms import IN_FACT, SEVERE, WARNINGS
from shoal.report.comparison_page import ComparisonRow, render_comparison
from shoal.report.facts import Facts
from shoal.report.formatting import escaped, is_unprintable, json_block, own_script
from shoal.report.notebook import small_page

ALL = [*PAYLOADS, *HALVES]
NUMBERS = {
    **{"kept": 0.25, "one_level": 0.1, "attack_rate": 0.1, "attack_high": 0.2, "attack_original": 0.8, "attack_original_high": 0.9},
    **{"loss": 0.6, "bound": 0.4, "seconds": 1.5, "peak_mb": 90.0},
}


def test_there_are_enough() -> None:
    assert len(set(PAYLOADS)) >= 30


# -- the functions


@pytest.mark.parametrize("text", ALL)
def test_escaped_text_is_one_text(text: str) -> None:
    for page in (f"<p>{escaped(text)}</p>", f'<p title="{escaped(text)}"></p>', f"<title>{escaped(text)}</title>"):
        page.encode()
        assert sum(Elements(page).found.values()) == 2, page


@pytest.mark.parametrize("text", ALL)
def test_data_in_a_script_reads_back_and_never_ends_it(text: str) -> None:
    block = str(json_block({text: [text]}))
    assert block.isascii()
    assert not set("<>&'") & set(block)
    assert json.loads(block) == {text: [text]}


@pytest.mark.parametrize("text", ["</script", "</SCRIPT >", "<!--", "<ScRiPt"])
def test_a_script_of_our_own_does_not_end_early(text: str) -> None:
    assert "<" not in str(own_script(f"x = '{text}'"))
    assert str(own_script("a < b && c </ d")) == "a < b && c </ d"


# -- what a page is made of


def poisoned(facts: Facts, texts: list[str]) -> Facts:
    """The same facts with these texts for all names that users gave: of items, columns, files, parameters, notes."""
    coming = cycle(texts)
    manifest = json.loads(json.dumps(dict(facts.manifest)))
    names = [f"{n} {text}" for n, text in enumerate(texts)]  # keys differ
    manifest["notes"] = texts
    manifest["parameters"] |= dict(zip(names, texts, strict=True))
    manifest["input"] |= dict(zip(names, texts, strict=True)) | {"files": texts, "columns": texts}
    manifest["files"] = [*manifest["files"], *({"name": text, "rows": 1, "sha256": text, "table": text} for text in texts)]
    manifest["metrics"] |= dict.fromkeys(names, 0.5)
    for account in manifest["accounting"].values():
        account.update(dict.fromkeys(names, 1))
    fields = {field.name: getattr(facts, field.name) for field in dataclasses.fields(facts)}
    changed = {name: _renamed(value, coming) for name, value in fields.items() if name not in {"manifest", "parts"}}
    return dataclasses.replace(facts, manifest=manifest, **changed)


def _renamed(value: Any, coming: Iterator[str]) -> Any:
    """All texts in facts, in any depth, replaced."""
    if isinstance(value, str):
        return next(coming)
    if isinstance(value, tuple):
        return tuple(_renamed(one, coming) for one in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init and field.name not in {"why", "kind", "tone"}]
        return dataclasses.replace(value, **{name: _renamed(getattr(value, name), coming) for name in names})
    return value


def insist_on_same(make: Callable[[list[str]], str], texts: list[str]) -> Elements:
    """A page of these texts has the elements, attributes, scripts and styles of a page of harmless ones; its elements."""
    page, plain = make(texts), make(harmless(texts))
    page.encode()
    one, other = Elements(page), Elements(plain)
    assert one.found == other.found
    assert [(kind, text) for kind, text in one.raw if not text.startswith("{")] == [
        (kind, text) for kind, text in other.raw if not text.startswith("{")
    ]
    return one


def insist_on_shown(text: str, payloads: list[str]) -> None:
    """Every payload is on the page as a text, as far as it prints."""
    shown = squeezed(text)
    for payload in payloads:
        assert squeezed(payload)[:50] in shown, payload


def squeezed(text: str) -> str:
    return "".join(c for c in text if not is_unprintable(c) and not c.isspace() and c != "\N{REPLACEMENT CHARACTER}")


def insist_on_policy(page: str, *, scripts: int) -> None:
    """The policy names every style sheet and every script of the page by its hash, and allows no other."""
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert policy
    rules = {words[0]: words[1:] for words in (rule.split() for rule in policy[1].split(";"))}
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    assert ("script-src" in rules) is bool(scripts)
    for tag, rule, number in (("style", "style-src", 1), ("script", "script-src", scripts)):
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        assert len(found) == number
        assert rules.get(rule, []) == [f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in found]
    assert "unsafe-eval" not in policy[1]
    assert "unsafe-inline" not in " ".join(" ".join(words) for rule, words in rules.items() if rule != "style-src-attr")


@pytest.fixture(scope="module", params=KINDS)
def facts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    result = KINDS[request.param](tmp_path_factory.mktemp("release"))
    return disclosed_facts(result.manifest, result.release, result._judged.original)


def test_a_report(facts: Facts) -> None:
    elements = insist_on_same(lambda texts: render_report(poisoned(facts, texts)), ALL)
    insist_on_shown(elements.text, PAYLOADS)
    insist_on_policy(render_report(facts), scripts=0)


def test_a_view_in_a_notebook(facts: Facts) -> None:
    def drawn(texts: list[str]) -> str:
        manifest = poisoned(facts, texts).manifest
        return small_page(manifest, summary_of(manifest), texts)

    elements = insist_on_same(drawn, ALL)
    insist_on_shown(elements.text, PAYLOADS)


def comparison(texts: list[str]) -> str:
    """A page whose title, methods, settings, numbers, commands and notes are these texts."""

    def found(text: str) -> dict[str, Any]:
        return {**NUMBERS, "claims": [text], "worst_attack": text, IN_FACT: text, SEVERE: 1, WARNINGS: [f"warned of {text}"]}

    rows = [ComparisonRow(text, f"{n} {text}", "user", found(text), text, text) for n, text in enumerate(texts)]
    rows += [ComparisonRow(text, text, "user", {"refused": text}, "", "") for text in texts]
    rows += [
        ComparisonRow("a", f"{n} a", "user", {"kept": 0.5, "seconds": 1.0, "not_attacked": text}, "", "") for n, text in enumerate(texts)
    ]
    return render_comparison(" ".join(texts[:10]), rows, texts)


def test_a_comparison() -> None:
    elements = insist_on_same(comparison, ALL)
    insist_on_shown(elements.text, PAYLOADS)
    insist_on_shown(elements.text, [f"warned of {text}. most people can be found: {text}" for text in PAYLOADS])
    insist_on_policy(comparison(ALL), scripts=1)
    data = [json.loads(text) for kind, text in elements.raw if kind == "script" and text.startswith("{")]
    assert len(data) == 1
    assert [made["command"] for made in data[0].values()][: len(ALL)] == ALL


def test_a_private_report_and_the_report_of_its_release(shell: Shell) -> None:
    """Through the command line, with items that are payloads."""
    items = [text for text in PAYLOADS if text.isprintable() and "\t" not in text and len(text) < 1000]
    assert len(items) >= 30

    def pages(names: list[str]) -> tuple[str, str]:
        shell.file("baskets.txt", "".join("\t".join(names[n : n + 4]) + "\n" for n in range(0, len(names), 4)) * 4)
        words = ["anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--k", "2", "--force", "--out", "r"]
        answer = shell(*words, "--private-report", "private.html")
        assert answer.code == 0, answer.err
        return (shell.directory / "private.html").read_text(), (shell.directory / "r" / "report.html").read_text()

    private, report = pages(items)
    plain, _ = pages(harmless(items))
    assert set(Elements(private).found) == set(Elements(plain).found)
    for page in (private, report):
        assert f"<script>{HIT}" not in page
        assert f"onerror={HIT}>" not in page
        insist_on_policy(page, scripts=0)


def test_a_file_name_alone(shell: Shell) -> None:
    """A directory and a file whose path ends a script in capitals: on the page of a comparison, through the command line."""
    (shell.directory / "x<").mkdir()
    shell.file(f"x</SCRIPT><img src=q onerror={HIT}>.txt", "Apple\tMilk\nApple\tMilk\nPear\tMilk\nPear\tMilk\n" * 5)
    words = ["compare", f"x</SCRIPT><img src=q onerror={HIT}>.txt", "--format", "transactions", "--taxonomy", "generated"]
    answer = shell(*words, "--methods", "clump", "--k", "2", "--out", "found")
    assert answer.code == 0, answer.err
    page = (shell.directory / "found" / "comparison.html").read_text()
    elements = Elements(page)
    assert not [tag for tag, _ in elements.found if tag == "img"]
    assert "onerror" in elements.text
    insist_on_policy(page, scripts=1)


# -- a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("browser") / "profile")
    yield opened
    opened.close()


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
def test_a_browser_runs_the_script_of_the_page_and_no_other(tmp_path: Path, browser: Browser) -> None:
    place = tmp_path / "comparison.html"
    place.write_text(comparison(ALL), encoding="utf-8")
    with browser.open(place) as page:
        assert page.evaluate("document.querySelectorAll('.chart svg').length") >= 3
        page.evaluate(
            "document.getElementById('cell').selectedIndex = 3; document.getElementById('cell').dispatchEvent(new Event('change'))"
        )
        assert page.evaluate("document.getElementById('chosen').textContent").startswith(ALL[2])
        assert page.evaluate("typeof window.hacked") == "undefined"
        assert (
            page.evaluate("document.querySelectorAll('img, iframe, base, link, body script ~ script[src], [onerror], [onload]').length")
            == 0
        )
        assert page.complaints == []
        assert page.requests == [place.as_uri()]


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
def test_a_browser_shows_the_texts_of_a_report(tmp_path: Path, browser: Browser) -> None:
    result = KINDS["bags"](tmp_path)
    place = tmp_path / "report.html"
    place.write_text(
        render_report(poisoned(disclosed_facts(result.manifest, result.release, result._judged.original), ALL)), encoding="utf-8"
    )
    with browser.open(place) as page:
        assert page.evaluate("typeof window.hacked") == "undefined"
        assert page.evaluate("document.scripts.length") == 0
        assert page.evaluate("getComputedStyle(document.querySelector('.page')).maxWidth") != "none", "the style sheet is in force"
        assert page.complaints == []
        assert page.requests == [place.as_uri()]


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
@pytest.mark.parametrize("added", [f"<script>{HIT}</script>", f"<img src=x onerror={HIT}>", f"<svg onload={HIT}></svg>"])
def test_a_script_that_is_added_to_a_page_does_not_run(tmp_path: Path, browser: Browser, added: str) -> None:
    """The policy alone: as if a text had not been escaped."""
    place = tmp_path / "comparison.html"
    place.write_text(comparison(["word"]).replace("<main>", f"<main>{added}", 1), encoding="utf-8")
    with browser.open(place) as page:
        assert page.evaluate("typeof window.hacked") == "undefined"
        assert page.complaints, "the browser says that it refused something"
