"""Thresholds on URLs: rows without a URL, and options that are about queries which are not published."""

from __future__ import annotations

import json

import polars as pl

from helpers.cli import Shell, one_line

CLICKS = """user,query,url
ann,weather,http://a.example
ann,news,
ann,one two three four,http://b.example
bob,weather,http://a.example
bob,sports,http://b.example
cat,weather,http://a.example
cat,maps,
cat,trains,http://b.example
dan,planes,http://c.example
"""
URLS = ("anonymize", "clicks.csv", "--method", "threshold", "--unit", "url", "--k", "2", "--to", "csv")


def test_a_limit_on_words_is_refused_where_no_query_is_published(shell: Shell) -> None:
    shell.file("clicks.csv", CLICKS)
    line = one_line(shell(*URLS, "--words", "3", "--out", "release"))
    assert "words of published queries" in line and "only url is published" in line
    assert "release" not in shell.names()
    assert "words of published queries" in one_line(shell("audit", "clicks.csv", "--claim", "support(k=2, unit=url, words=3)"))


def test_words_are_limited_where_the_query_is_published_with_the_url(shell: Shell) -> None:
    shell.file("clicks.csv", CLICKS)
    for number, columns in enumerate((("--unit", "query+url"), ("--columns", "query=exact"))):
        answer = shell(*URLS, *columns, "--words", "3", "--out", f"release{number}")
        assert answer.code == 0, answer
        rows = pl.read_csv(shell.directory / f"release{number}" / "log.csv")
        assert set(rows["url"]) >= {"http://a.example"}
        assert "one two three four" not in set(rows["query"])


def test_linked_urls_are_published_though_some_rows_have_none(shell: Shell) -> None:
    """The rows of a person that have no URL, or one of too few people, are left out, and the others are still that person's."""
    shell.file("clicks.csv", CLICKS)
    answer = shell(*URLS, "--link", "person", "--out", "release")
    assert answer.code == 0, answer
    rows = pl.read_csv(shell.directory / "release" / "log.csv")
    assert sorted(rows.group_by("user").len()["len"]) == [2, 2, 2]
    audit = shell("audit", "release", "--original", "clicks.csv", "--json")
    assert audit.code == 0, audit
    assert json.loads(audit.out)["claims"][0]["verdict"] == "verified"


def test_urls_under_a_wrong_pseudonym_are_still_found(shell: Shell) -> None:
    shell.file("clicks.csv", CLICKS)
    assert shell(*URLS, "--link", "person", "--out", "release").code == 0
    file = shell.directory / "release" / "log.csv"
    rows = pl.read_csv(file)
    first = int(rows["user"][0])
    other = rows.filter(pl.col("user") != first)["user"][0]
    swapped = pl.when(pl.int_range(pl.len()) == 0).then(other).otherwise("user").alias("user")
    rows.with_columns(swapped).write_csv(file)
    audit = shell("audit", "release", "--original", "clicks.csv", "--claim", "support(k=2, unit=url, pseudonyms=people)")
    assert audit.code == 3, audit
    assert "not just the rows of one person" in " ".join(audit.out.split())
