"""Site structure: visits behind one address, against a plain twin on random logs, and as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from helpers.cli import Shell, failed
from helpers.errors import error, refuses
from shoal.io.read.access_logs.site_structure import SiteLinks, links_of_file, plain_pages, separated

MINUTE = 60 * 1_000_000
HOME, SHOP, TEA, CUP, BLOG, POST = "/", "/shop", "/shop/tea", "/shop/cup", "/blog", "/blog/post"
LINKS = [(HOME, SHOP), (SHOP, TEA), (SHOP, CUP), (HOME, BLOG), (BLOG, POST)]


def frame_of(rows: list[tuple[int, int, str]]) -> pl.DataFrame:
    """Lines of visitor, minute and page."""
    kinds = {"visitor": pl.Int64, "time": pl.Int64, "page": pl.String}
    lines = [(who, minute * MINUTE, page) for who, minute, page in rows]
    return pl.DataFrame(lines, schema=kinds, orient="row").with_columns(pl.col("time").cast(pl.Datetime("us")))


def plain_twin(rows: list[tuple[int, int, str]], links: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """The first line of the visit of each line, found by looking back at all lines before it."""
    known = {page for link in links for page in link}
    order = sorted(range(len(rows)), key=lambda i: (rows[i][1], i))
    visit: dict[int, int] = {}  # from a line to the first line of its visit
    for at, line in enumerate(order):
        who, minute, page = rows[line]
        earlier = [one for one in order[:at] if rows[one][0] == who]
        last = {visit[one]: rows[one][1] for one in earlier}
        alive = [first for first, then in last.items() if minute - then <= 30]
        latest = sorted(alive, key=lambda first: max(order.index(one) for one in earlier if visit[one] == first))
        fits = [
            first
            for first in latest
            if page not in known or any(rows[one][2] == page or (rows[one][2], page) in links for one in earlier if visit[one] == first)
        ]
        visit[line] = fits[-1] if fits else line
    return [(rows[i][0], visit[i]) for i in range(len(rows))]


def same_visits(numbers: np.ndarray, rows: list[tuple[int, int, str]], twin: list[tuple[int, int]]) -> bool:
    """Whether two lines of one visitor within half an hour of requests are together in both, or in neither."""
    for i in range(len(rows)):
        for j in range(i):
            if rows[i][0] == rows[j][0] and abs(rows[i][1] - rows[j][1]) <= 30 and (numbers[i] == numbers[j]) != (twin[i] == twin[j]):
                return False
    return True


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 70), st.sampled_from([HOME, SHOP, TEA, BLOG, POST, "/logo.png"])), max_size=12),
    st.lists(st.tuples(st.sampled_from([HOME, SHOP, TEA, BLOG]), st.sampled_from([SHOP, TEA, BLOG, POST])), min_size=1, max_size=6),
)
def test_visits_are_those_of_a_plain_twin(rows: list[tuple[int, int, str]], links: list[tuple[str, str]]) -> None:
    assert same_visits(separated(frame_of(rows), SiteLinks.of(links)), rows, plain_twin(rows, links))


def numbers(*requests: tuple[int, str]) -> list[int]:
    return separated(frame_of([(0, minute, page) for minute, page in requests]), SiteLinks.of(LINKS)).tolist()


def test_a_page_without_a_link_begins_another_visit() -> None:
    assert numbers((0, SHOP), (1, BLOG), (2, TEA), (3, POST), (4, CUP)) == [0, 1, 0, 1, 0]


def test_pages_seen_before_and_pages_outside_the_structure_stay() -> None:
    assert numbers((0, SHOP), (1, TEA), (2, SHOP), (3, "/style.css"), (4, BLOG), (5, "/logo.png"), (6, CUP)) == [0, 0, 0, 0, 1, 1, 0]


def test_after_half_an_hour_everything_begins_again() -> None:
    assert numbers((0, SHOP), (1, BLOG), (40, BLOG), (41, TEA)) == [0, 1, 0, 2]


def test_pages_have_neither_host_nor_query() -> None:
    pages = pl.Series(["/a?b=1", "http://example.org", "https://example.org/a#x", "/", "*"])
    assert plain_pages(pages).to_list() == ["/a", "/", "/a", "/", "*"]


def test_files_of_links(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("From,To\n/,http://example.org/shop?x=1\n\n/shop,/shop/tea\n/,/shop\n")
    found = links_of_file(path)
    assert (found.incoming, len(found)) == ({"/shop": {"/"}, "/shop/tea": {"/shop"}}, 2)
    wrong = {"/,\n": error("links-line-invalid", line=1), "a;b\na;b;c\n": error("links-line-invalid", line=2)}
    for content, told in (wrong | {"from,to\n": "empty-input", "": "empty-input"}).items():
        path.write_text(content)
        with refuses(told):
            links_of_file(path)
    with refuses("file-not-found"):
        links_of_file(tmp_path / "absent.csv")


def line(minute: int, page: str, referrer: str = "-", address: str = "192.0.2.1") -> str:
    return f'{address} - - [17/May/2015:10:{minute:02}:00 +0000] "GET {page} HTTP/1.1" 200 1 "{referrer}" "Mozilla/5.0"\n'


@pytest.fixture
def site(shell: Shell) -> Shell:
    """Two people behind one address, and one behind another."""
    lines = [line(0, SHOP), line(1, BLOG), line(2, TEA, "http://www.example.org/shop"), line(3, POST, "http://example.org/blog")]
    lines += [line(4, SHOP, "http://other.net/", "192.0.2.2"), line(5, TEA, "http://example.org/shop", "192.0.2.2")]
    shell.file("access.log", "".join(lines))
    shell.file("links.tsv", "from\tto\n" + "".join(f"{start}\t{end}\n" for start, end in LINKS))
    return shell


@pytest.mark.parametrize("structure", ["links.tsv", "referrers"])
def test_sessions_are_separated_and_people_are_not(site: Shell, structure: str) -> None:
    plain, found = (shoal.look("access.log", per="session", **options) for options in ({}, {"site_links": structure}))
    assert (plain.people, plain.records, found.people, found.records) == (2, 2, 2, 3)
    assert any("1 further visitor" in note for note in found.notes)


def test_a_host_of_few_people_is_not_named(site: Shell) -> None:
    assert "example.org" not in site("look", "access.log", "--site-links", "referrers", "-v").everything
    several = [line(0, TEA, "http://EXAMPLE.org/shop", f"192.0.2.{i}") for i in range(5)]
    site.file("access.log", "".join(several))
    assert "referrers of 'example.org': 1 link between 2 pages" in site("look", "access.log", "--site-links", "referrers").everything


def test_a_release_says_that_there_was_a_structure_and_audits_need_it(site: Shell) -> None:
    words = ("--k", "2", "--per", "session", "--floor", "1", "--to", "csv")
    assert site("anonymize", "access.log", *words, "--site-links", "links.tsv", "--out", "release").code == 0
    manifest = json.loads((site.directory / "release" / "manifest.json").read_text())
    assert manifest["input"]["reading"] == {"site_links": "a file"}
    assert manifest["input"]["owners"] == 2
    failed(site("audit", "release", "--original", "access.log"), "links-not-located")
    assert site("audit", "release", "--original", "access.log", "--site-links", "links.tsv").code == 0
    assert site("anonymize", "access.log", *words, "--site-links", "referrers", "--out", "other").code == 0
    assert site("audit", "other", "--original", "access.log").code == 0
    site.file("common.log", '192.0.2.1 - - [17/May/2015:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n')
    failed(site("look", "common.log", "--site-links", "referrers"), "no-referrers")
    site.file("table.csv", "user,item\n1,a\n2,a\n")
    failed(site("look", "table.csv", "--site-links", "links.tsv"), "option-not-applicable")
    failed(site("look", "table.csv", "--format", "microdata", "--site-links", "links.tsv"), "option-not-applicable")
