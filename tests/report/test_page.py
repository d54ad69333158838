from __future__ import annotations

import copy
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from helpers.report import example
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.kinds import facts_of, render_report
from shoal.methods.clump import Clump
from shoal.privacy.k_anonymity import KAnonymity
from shoal.report.facts import Facts, PublishedItem
from shoal.taxonomy.place_terms import place_terms

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Outline(HTMLParser):
    """What a browser would see: tags, attributes and text; fails on tags that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def whole():
    return example()


@pytest.fixture(scope="module")
def facts(whole) -> Facts:
    return facts_of(*whole)


def changed(facts: Facts, **manifest: object) -> Facts:
    fresh = {**copy.deepcopy(dict(facts.manifest)), **manifest}
    return Facts(**{**vars(facts), "manifest": fresh})


def test_the_page_needs_nothing_but_itself(facts: Facts) -> None:
    page = render_report(facts)
    seen = Outline(page)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "video"} & set(seen.tags)
    assert not re.search(r"https?:|//\w|@import|url\(", page)
    names = {name for name, _ in seen.attributes}
    assert not {"src", "href", "srcset", "action"} & names
    assert not [name for name in names if name.startswith("on")]
    assert [value for name, value in seen.attributes if name == "content" and "default-src 'none'" in value]


def test_the_first_words_are_the_verdict_the_loss_and_the_guarantee(facts: Facts) -> None:
    text = Outline(render_report(facts)).text
    start = text[: text.index("What it protects")]
    achieved = facts.manifest["claims"][0]["achieved"]["people"]
    loss = facts.manifest["metrics"]["loss"]
    assert "The claim holds." in start
    assert f"Guarantee {achieved} or more people share every published record; 5 guaranteed" in start
    assert f"Loss {100 * loss:.1f}%" in start
    assert "Published 100% 800 of 800 records; none suppressed" in start
    assert "Every published record is shared by at least k people, where k = 5." in start


def test_claims_say_what_they_protect_and_what_not(facts: Facts) -> None:
    text = Outline(render_report(facts)).text
    assert "k-anonymity(k=5) holds" in text
    assert KAnonymity.protects in text
    assert KAnonymity.does_not_protect in text
    assert "records in the smallest equivalence class 5" in text


def test_accounts_balance_in_words_and_numbers(facts: Facts) -> None:
    text = Outline(render_report(facts)).text
    assert "Rows of the input 803 in total, all accounted for" in text
    assert "used 800 99.6%" in text
    assert "blank 3 0.4%" in text
    occurrences = facts.manifest["accounting"]["occurrences"]
    assert f"as categories {occurrences['as categories']:,}" in text


def test_an_account_that_does_not_balance_is_shown_as_such(facts: Facts) -> None:
    text = Outline(render_report(changed(facts, accounting={"records": {"in": 10, "published": 9}}))).text
    assert "10 in total: the parts do not add up" in text


def test_what_was_asked(facts: Facts) -> None:
    text = Outline(render_report(facts)).text
    assert Clump.summary() in text
    assert "Milani Fard and Wang" in text
    assert f"r 10 (default) {Clump.parameters()[1].help}" in text
    assert "one record per user" in text
    assert "treatment of items not in the taxonomy keep items that are not in the taxonomy are leaves" in text
    assert "format transactions" in text


def test_files_and_version(facts: Facts) -> None:
    text = Outline(render_report(facts)).text
    assert "records.parquet 800 " + "9f86d081" * 8 in text
    assert "shoal 0.1.0" in text


def test_a_broken_claim_comes_first_and_says_why(facts: Facts) -> None:
    broken = {
        "model": "k-anonymity(k=5)",
        "holds": False,
        "achieved": {"records": 2, "people": 1},
        "witnesses": ["2 records are in 1 classes of fewer than 5; the smallest has 2"],
    }
    text = Outline(render_report(changed(facts, claims=[facts.manifest["claims"][0], broken]))).text
    assert "1 of 2 claims does not hold." in text
    assert "Do not publish this data" in text
    assert "Guarantee 1 or more people" in text
    assert "2 records are in 1 classes" in text
    alone = Outline(render_report(changed(facts, claims=[broken]))).text
    assert "The claim does not hold." in alone
    assert "All" not in alone[: alone.index("Guarantees")]


def test_no_claim_is_no_comfort(facts: Facts) -> None:
    text = Outline(render_report(changed(facts, claims=[]))).text
    assert "This release makes no claim." in text
    assert "hold." not in text


def test_a_model_of_another_version_is_shown_without_words(facts: Facts) -> None:
    verdict = {"model": "m-secrecy(m=3)", "holds": True, "achieved": {"m": 4}}
    text = Outline(render_report(changed(facts, claims=[verdict]))).text
    assert "m-secrecy(m=3) holds" in text
    assert "no description of this model" in text
    assert "Guarantee m = 4" in text


@pytest.mark.parametrize("key", ["metrics", "input", "parameters", "files", "accounting", "claims", "method", "shoal"])
def test_any_part_may_be_missing(facts: Facts, key: str) -> None:
    manifest = {k: v for k, v in facts.manifest.items() if k != key}
    Outline(render_report(Facts(**{**vars(facts), "manifest": manifest})))


def test_an_empty_manifest_makes_a_page() -> None:
    text = Outline(render_report(Facts({}, parts=("examples", "terms", "groups", "lengths", "levels")))).text
    assert "This release makes no claim." in text
    assert text.count("nothing to count") == 3
    assert "Loss not measured" in text


def test_metrics_may_be_few_or_undefined(facts: Facts) -> None:
    text = Outline(render_report(changed(facts, metrics={"loss": 0.25}))).text
    assert "Loss 25.0% 0% is the original" in text
    assert "unavoidable" not in text
    text = Outline(render_report(changed(facts, metrics={"loss": float("nan"), "my_own": 1234.5}))).text
    assert "Loss not measured" in text
    assert "my own 1,234" in text


def test_the_floor_is_shown_where_it_is_known(facts: Facts) -> None:
    text = Outline(render_report(changed(facts, metrics={"loss": 0.25, "bound": 0.1}))).text
    assert "lower bound for this guarantee: 10.0%" in text
    assert "Lower bound: 10.0%." in text


def test_huge_numbers(facts: Facts) -> None:
    n = 12_345_678_901
    ledger = {"records": {"in": n, "published": n - 1, "withheld: empty": 1}}
    text = Outline(render_report(changed(facts, accounting=ledger))).text
    assert "Published >99.9% 12,345,678,900 of 12,345,678,901 records; 1 suppressed" in text
    assert "withheld: empty 1 <0.1%" in text


NASTY = [
    "<script>alert('x')</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }}{% raw %}",
    "שלום עולם",
    "日本語 🐟",
    "evil\u202etxt.exe",
    "nul\x00byte",
    "</style><b>&amp;",
    "very " * 400,
]


def nasty_release() -> tuple[Release, object]:
    tree = Taxonomy.from_parents({"<root>": None, **dict.fromkeys(NASTY, "<root>")})
    original = place_terms(Bags.from_lists([[name] for name in NASTY] * 12), tree, scope="whole")
    return Release.of_bags(original.bags, np.ones(len(original.bags), np.int64)), original


def test_names_of_items_cannot_break_out() -> None:
    release, original = nasty_release()
    asked = {
        "method": NASTY[0],
        "parameters": {NASTY[1]: NASTY[0]},
        "input": {NASTY[7]: NASTY[2]},
        "claims": [{"model": NASTY[0], "holds": True, "achieved": {NASTY[1]: NASTY[0]}, "notes": [NASTY[0]]}],
        "accounting": {NASTY[0]: {"in": 1, NASTY[1]: 1}},
        "metrics": {NASTY[0]: NASTY[1]},
        "files": [{"name": NASTY[1], "rows": 1, "sha256": NASTY[0]}],
        "shoal": NASTY[1],
    }
    page = render_report(facts_of(asked, release, original))
    seen = Outline(page)
    assert not {"script", "img"} & set(seen.tags)
    assert seen.tags.count("style") == 1
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    for name in NASTY[:5]:
        assert name in seen.text
    assert "49" not in seen.text
    assert "\u202e" not in page
    assert "\x00" not in page
    assert "very " * 100 not in page


def test_one_group_only(whole) -> None:
    manifest, _, original = whole
    one = Bags.from_rows([0, 1], np.zeros(1, np.int32), np.ones(1, np.int32), original.taxonomy.names)
    facts = facts_of(manifest, Release.of_bags(one, np.array([800], np.int64)), original)
    text = Outline(render_report(facts)).text
    assert "1 group smallest 800 median 800 largest 800" in text
    assert "goods 800 100% 1" in text


def test_no_owner_and_no_record_reaches_the_page(whole) -> None:
    manifest, release, original = whole
    owners = np.arange(len(original.bags), dtype=np.int64) * 1_000_003 + 777_000_111
    bags = Bags(*(a.copy() for a in original.bags.rows), owners, original.bags.vocabulary)
    renamed = replace(original, bags=bags)
    page = render_report(facts_of(manifest, release, renamed))
    assert page == render_report(facts_of(manifest, release, original))
    published = set(np.unique(release.published.items).tolist())
    unpublished = [bags.vocabulary[i] for i in np.unique(bags.items).tolist() if i not in published]
    assert unpublished
    assert not [name for name in unpublished if f">{name}<" in page]


@pytest.mark.timing
def test_the_page_is_small_and_quick(facts: Facts) -> None:
    page = render_report(facts)
    assert len(page.encode()) < 200_000
    best = min(_seconds(lambda: render_report(facts)) for _ in range(5))
    assert best < 0.05


def _seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def test_jinja_is_imported_only_to_render() -> None:
    line = "import sys, shoal.report.page; sys.exit('jinja2' in sys.modules or 'markupsafe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", line], check=False).returncode == 0


def test_frequent_items_have_a_bar_each(facts: Facts) -> None:
    items = (PublishedItem("half", 400, 2), PublishedItem("none", 0, 2))
    page = render_report(Facts(**{**vars(facts), "frequent": items, "specific": (), "vaguest": ()}))
    assert page.count('class="bar"') == 2
    assert 'width="50.00%"' in page
    assert "all published items have the same level" in page


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: the page is not opened in a browser")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_shows_the_page_without_sideways_scrolling(tmp_path: Path, width: int) -> None:
    release, original = nasty_release()
    (tmp_path / "report.html").write_text(render_report(facts_of({}, release, original)), encoding="utf-8")
    # A frame gives widths that a window refuses; the test's own script measures the page from outside.
    frame = f'<iframe id="f" src="report.html" style="width:{width}px;height:900px;border:0"></iframe>'
    sizes = "const d=f.contentDocument.documentElement;document.title=d.scrollWidth+' '+d.scrollHeight"
    measure = f"onload=()=>{{{sizes}}}"
    (tmp_path / "frame.html").write_text(f"<title></title>{frame}<script>{measure}</script>", encoding="utf-8")
    assert CHROMIUM is not None
    quiet = [
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    shown = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            *quiet,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            str(tmp_path / "frame.html"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found = re.search(r"<title>(\d+) (\d+)</title>", shown.stdout)
    assert found, shown.stderr[-500:]
    assert int(found[1]) <= width
    assert int(found[2]) > 1500
