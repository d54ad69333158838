"""What is done with access logs and with items that are URLs unless something else is given: sessions, and the taxonomy of paths."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.cli import Shell
from shoal.taxonomy.urls import are_urls

LINE = '192.0.2.{n} - - [{day:02}/May/2015:10:05:03 +0000] "GET {page} HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n'
PAGES = ("/", "/shop/tea.html", "/shop/milk.html", "/blog/rain.html")


@pytest.fixture
def place(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(shell.directory)
    visits = [(n, day, PAGES[(n + day) % 4]) for n in range(1, 31) for day in (1, 2, 3)]
    shell.file("access.log", "".join(LINE.format(n=n, day=day, page=page) for n, day, page in visits))
    rows = [f"u{n},http://example.org{PAGES[(n + day) % 4]}" for n in range(30) for day in (1, 2)]
    shell.file("clicks.csv", "\n".join(["user,item", *rows]) + "\n")
    random.Random(5).shuffle(rows)
    shell.file("shuffled.csv", "\n".join(["user,item", *rows]) + "\n")
    return shell


def made(shell: Shell, *words: str) -> dict[str, Any]:
    answer = shell("anonymize", *words, "--k", "3", "--force", "--out", "release")
    assert answer.code == 0, answer.everything
    manifest: dict[str, Any] = json.loads(Path("release/manifest.json").read_text())
    return manifest["input"]


def published() -> list[list[str]]:
    return sorted(sorted(items) for items in pl.read_parquet("release/records.parquet")["items"].to_list())


def test_an_access_log_is_sessions_of_pages(place: Shell) -> None:
    found = made(place, "access.log")
    assert (found["per"], found["taxonomy"], found["records"]) == ("session", "paths", 90)
    assert "--per session and --taxonomy paths by default" in place("look", "access.log").err
    assert place("audit", "release", "--original", "access.log").code == 0


@pytest.mark.parametrize(
    ("words", "per", "taxonomy"),
    [
        (["--per", "user"], "user", "paths"),
        (["--per", "event"], "event", "paths"),
        (["--taxonomy", "generated"], "session", "generated"),
        (["--method", "coherence"], "session", "none"),
    ],
)
def test_what_is_given_is_not_changed(place: Shell, words: list[str], per: str, taxonomy: str) -> None:
    found = made(place, "access.log", *words)
    assert (found["per"], found["taxonomy"]) == (per, taxonomy)


def test_items_that_are_urls_are_placed_by_their_paths_in_any_order(place: Shell) -> None:
    found = made(place, "clicks.csv")
    assert (found["per"], found["taxonomy"]) == ("user", "paths")
    first = published()
    assert made(place, "shuffled.csv")["taxonomy"] == "paths"
    assert published() == first


def test_other_items_keep_the_usual_taxonomy(place: Shell) -> None:
    place.file("basket.csv", "user,item\n" + "".join(f"u{n},{'dog' if n % 2 else 'cat'}\n" for n in range(12)))
    assert made(place, "basket.csv")["taxonomy"] == "wordnet"


def test_most_items_decide_and_not_the_first_ones() -> None:
    urls, words = [f"/page/{n}" for n in range(12_000)], [f"word{n}" for n in range(11_000)]
    assert are_urls(pl.Series(words + urls)) and are_urls(pl.Series(urls + words))
    assert not are_urls(pl.Series([*urls[:10_000], *words])) and not are_urls(pl.Series([], dtype=pl.String))
