"""The page of a comparison in a real browser: every chart is drawn, nothing is complained of, and a point can be chosen."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shoal.report.comparison_charts import pictures
from shoal.report.comparison_page import ComparisonRow, render_comparison

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
LEVELS = {f"count_error_{size}_level_{level}": 0.1 * size for size in (1, 2, 3) for level in (2, 3)}
NUMBERS = {
    "kept": 0.25,
    "one_level": 0.1,
    "terms_kept": 0.2,
    "volume_kept": 0.05,
    "queries_kept": 0.01,
    "people_left": 0.9,
    "kept_head": 0.5,
    "kept_torso": 0.2,
    "kept_tail": 0.0,
    "loss": 0.6,
    "bound": 0.4,
    "pattern_recall": 0.3,
    "cluster_agreement": -0.01,
    "count_error_2": 1.7,
    "completion": 0.1,
    "completion_original": 0.2,
    "attack_rate": 0.1,
    "attack_high": 0.2,
    "attack_original": 0.8,
    "attack_original_high": 0.9,
    "worst_attack": "known-items, 8 random items",
    "seconds": 1.5,
    "peak_mb": 90.0,
    **LEVELS,
}
CHARTS = ["frontier", "coverage", "classes", "loss", "again", "errors", "level1", "level2", "level3", "later", "cost"]
# A person who reads the page chooses in the list, then clicks on a point.
ACTING = """
addEventListener("load", () => {
  const told = () => document.getElementById("chosen").textContent.split("\\n")[0];
  const list = document.getElementById("cell");
  list.value = "km k=5 m=2"; list.dispatchEvent(new Event("change"));
  const first = told();
  document.querySelector("#frontier .pick path").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  document.title = JSON.stringify([first, told(), list.value, document.documentElement.scrollWidth <= innerWidth]);
});
"""


def acted(page: str) -> str:
    """The page with one script more, which its policy has to allow."""
    own = f"'sha256-{b64encode(sha256(ACTING.encode()).digest()).decode()}'"
    head, _, tail = page.replace("script-src ", f"script-src {own} ", 1).rpartition("</body>")
    return f"{head}<script>{ACTING}</script></body>{tail}"


def rows() -> list[ComparisonRow]:
    return [
        ComparisonRow(
            "shoal", "shoal k=5", "user", {**NUMBERS, "claims": ["k-anonymity(k=5)"]}, "shoal anonymize first", 'method = "shoal"'
        ),
        ComparisonRow("km", "km k=5 m=2", "user", {**NUMBERS, "kept": 0.5}, "shoal anonymize </script> second", "k = 5"),
        ComparisonRow(
            "chunks", "chunks k=5", "user", {"kept": 1.0, "seconds": 1.0, "not_attacked": "records were <taken> apart"}, "third", "k = 5"
        ),
        ComparisonRow("mdav", "mdav", "user", {"refused": "it takes a table"}, "", ""),
    ]


def test_a_picture_for_all_that_was_measured_and_none_for_what_was_not():
    flat = [{**row.found, "cell": row.label, "method": row.method, "per": row.per} for row in rows()[:3]]
    found = {picture.name: picture for picture in pictures(flat)}
    assert list(found) == CHARTS
    assert [name for name, _ in found["frontier"].table] == ["shoal k=5", "km k=5 m=2"], "no point is made up for what was not attacked"
    assert found["coverage"].table[2] == ("chunks k=5", ("100.0%", "", "", "", "", ""))
    assert found["loss"].columns == ("loss", "lower bound")
    assert [picture.name for picture in pictures([{"cell": "a", "method": "a", "per": "user", "kept": 0.5}])] == ["coverage"]


def test_the_tables_hold_what_the_pictures_show():
    page = render_comparison("A comparison", rows(), ["a note"])
    assert page.count("<caption") == len(CHARTS)
    assert page.count("Show the numbers") == len(CHARTS)
    assert "records were &lt;taken&gt; apart" in page
    assert "it takes a table" in page
    assert "k-anonymity(k=5)" in page
    assert not re.search(r"<(link|img|iframe)|src=|@import", re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL))


def test_topics_are_drawn_for_releases_that_have_them():
    first, *others = rows()
    cells = [["music / <lyrics>", 0, 0.0, 520.0, 3, 1], ["guitar", 1, 0.0, 260.0, 2, 0]]
    topical = replace(first, found={**first.found, "topics": {"records": 4, "cells": cells}})
    page = render_comparison("A comparison", [topical, *others], [])
    assert page.count('class="cell"') == 2
    assert page.count("music / &lt;lyrics&gt;: 75.0% of the published records") == 1
    assert "music / <lyrics>" not in page
    assert "<h2>Topics</h2>" not in render_comparison("A comparison", rows(), [])


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: the page is not opened in a browser")
@pytest.mark.parametrize(("scheme", "width"), [("1", 1200), ("0", 500)], ids=["light, wide", "dark, narrow"])
def test_a_browser_draws_every_chart_and_shows_the_command_of_a_point(tmp_path: Path, scheme: str, width: int):
    page = tmp_path / "comparison.html"
    page.write_text(acted(render_comparison("A comparison", rows(), ["a note"])), encoding="utf-8")
    assert CHROMIUM is not None
    window = (f"--window-size={width},4000", f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={tmp_path / 'profile'}")
    shown = subprocess.run(
        [CHROMIUM, *QUIET, *window, "--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", str(page)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "CONSOLE" not in shown.stderr
    drawn = re.findall(r'<div class="chart[^"]*" id="(\w+)".*?(?=<details>)', shown.stdout, flags=re.DOTALL)
    assert drawn == CHARTS
    for name in CHARTS:
        chart = re.search(rf'id="{name}".*?(?=<details>)', shown.stdout, flags=re.DOTALL)
        assert chart
        assert "<svg" in chart[0]
        assert re.search(r'class="(dot|bar-of|field)', chart[0]), f"{name} is empty"
    title = re.search(r"<title>(.*?)</title>", shown.stdout)
    assert title
    assert title[1] == '["shoal anonymize &lt;/script&gt; second","shoal anonymize first","shoal k=5",true]'
