"""Query logs in, query logs out whose histories are shared by k people: as it is typed, tampered with, and read again."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from helpers.cli import Answer, Shell

METHODS = ["user-microaggregation", "category-microaggregation"]
HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"


def rows_of(people: int = 12) -> list[str]:
    """People of three interests; each asks common queries, with clicks, and one of their own."""
    topics = ("dog", "car", "apple")
    rows = []
    for user in range(people):
        topic = topics[user % 3]
        rows += [f"{4000 + user}\t{topic} food\t2006-03-01 0{i}:00:0{user % 10}\t{i + 1}\thttp://{topic}.org/{i}" for i in range(2)]
        rows.append(f"{4000 + user}\t{topic}\t2006-03-02 10:00:00\t\t")
        rows.append(f"{4000 + user}\tstreet {user}\t2006-03-02 11:00:00\t1\thttp://home{user}.net")
    return rows


def masked(shell: Shell, text: str, *words: str, method: str = METHODS[0]) -> Answer:
    log = shell.file("log.tsv", text)
    return shell("anonymize", log, "--method", method, "--k", "3", "--to", "csv", "--out", shell.directory / "out", "--force", *words)


def published(shell: Shell) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((shell.directory / "out" / "log.csv").read_text())))


def profiles(shell: Shell) -> dict[str, Counter[tuple[str, ...]]]:
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for row in published(shell):
        found.setdefault(row.pop("user"), Counter())[tuple(row.values())] += 1
    return found


def test_queries_are_published_in_proportion_unless_shared_ones_are_asked_for(shell: Shell) -> None:
    """A query of two people in every group of three, among two of each person's own: as many rows as asked, or in all histories."""
    rows = [f"{i}\ttopic{i // 3} {i} {j}\t2006-03-01 0{j}:00:00\t\t" for i in range(10, 40) for j in range(2)]
    rows += [f"{i}\t{'rain' if i % 3 else f'other {i}'}\t2006-03-01 07:00:00\t\t" for i in range(10, 40)]
    found = {}
    for way in ("proportion", "shared"):
        assert masked(shell, HEADER + "\n".join(rows) + "\n", "--min-owners", "1", "--queries", way).code == 0
        found[way] = sum(row["query"] == "rain" for row in published(shell))
    assert abs(found["proportion"] - 20) <= 3
    assert found["shared"] > found["proportion"] + 3


@pytest.mark.parametrize("method", METHODS)
def test_a_log_with_clicks_becomes_one_of_shared_histories(shell: Shell, method: str) -> None:
    answer = masked(shell, HEADER + "\n".join(rows_of()) + "\n", method=method)
    assert answer.code == 0, answer.everything
    assert list(published(shell)[0]) == ["user", "time", "query", "rank", "url"]
    sizes = Counter(frozenset(profile.items()) for profile in profiles(shell).values())
    assert min(sizes.values()) >= 3
    assert not any("street" in row["query"] or "home" in row["url"] for row in published(shell))
    assert any(row["url"] and row["rank"] for row in published(shell))
    assert shell("audit", shell.directory / "out").code == 0
    checked = shell("audit", shell.directory / "out", "--original", shell.directory / "log.tsv")
    assert checked.code == 0, checked.everything


def test_the_account_counts_what_is_withheld(shell: Shell) -> None:
    masked(shell, HEADER + "\n".join(rows_of(9)) + "\n")  # three people of each interest
    account = json.loads((shell.directory / "out" / "manifest.json").read_text())["accounting"]["rows"]
    assert account["in"] == 36
    assert account["withheld: fewer than min_owners people of the group"] == 9  # everybody's own query


def test_the_published_log_is_read_again(shell: Shell) -> None:
    masked(shell, HEADER + "\n".join(rows_of()) + "\n")
    again = shell.directory / "out" / "log.csv"
    answer = shell("anonymize", again, "--method", METHODS[0], "--k", "3", "--out", shell.directory / "again")
    assert answer.code == 0, answer.everything
    assert "rank = 'rank', url = 'url'" in answer.err


TAMPERED = {
    "a row of one pseudonym is removed": (lambda lines: lines[:-1], "user-k-anonymity"),
    "an owner's number is written for a pseudonym": (
        lambda lines: [line.replace("3,", "4002,", 1) if line.startswith("3,") else line for line in lines],
        "pseudonyms are not the numbers",
    ),
    "a time of one row is changed": (lambda lines: [*lines[:-1], lines[-1].replace("2006-03", "2006-04", 1)], "user-k-anonymity"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_an_audit_refuses_a_release_that_was_tampered_with(shell: Shell, name: str) -> None:
    change, says = TAMPERED[name]
    masked(shell, HEADER + "\n".join(rows_of()) + "\n")
    place: Path = shell.directory / "out" / "log.csv"
    place.write_text("\n".join(change(place.read_text().splitlines())) + "\n")
    answer = shell("audit", shell.directory / "out")
    assert answer.code == 3, answer.everything
    assert says in answer.everything


def test_a_query_of_one_person_is_found_with_the_original(shell: Shell) -> None:
    masked(shell, HEADER + "\n".join(rows_of()) + "\n")
    place = shell.directory / "out" / "log.csv"
    place.write_text(place.read_text().replace("dog food", "street 3"))
    answer = shell("audit", shell.directory / "out", "--original", shell.directory / "log.tsv")
    assert answer.code == 3
    assert "fewer than 2 people of the group" in " ".join(answer.everything.split())
    assert "street" not in answer.everything


def test_one_single_user_is_an_error(shell: Shell) -> None:
    answer = masked(shell, HEADER + "\n".join(rows_of(1)) + "\n")
    assert answer.code != 0
    assert "a group needs 3 people, but the data has only 1" in answer.err
    assert not (shell.directory / "out").exists()


def test_rows_without_clicks_and_without_a_header(shell: Shell) -> None:
    stripped = [row.rstrip("\t") for row in rows_of()]
    answer = masked(shell, "\n".join(stripped) + "\n")
    assert answer.code == 0, answer.everything
    assert any(row["url"] for row in published(shell))
    assert any(not row["url"] for row in published(shell))


def test_a_rank_that_is_no_number_is_counted_as_malformed(shell: Shell) -> None:
    rows = [*rows_of(), "4001\tdog\t2006-03-02 12:00:00\tfirst\thttp://dog.org"]
    answer = masked(shell, HEADER + "\n".join(rows) + "\n")
    assert answer.code == 0, answer.everything
    assert "rank is not a whole number" in answer.everything


def test_times_with_zones_are_taken_to_utc(shell: Shell) -> None:
    rows = [f"{user},tea,2006-03-01T0{6 + user}:00:00+0{user}:00" for user in range(3)]
    log = shell.file("zones.csv", "user,query,time\n" + "\n".join(rows) + "\n")
    assert shell("anonymize", log, "--method", METHODS[0], "--k", "3", "--to", "csv", "--out", shell.directory / "out").code == 0
    assert {row["time"][:19] for row in published(shell)} == {"2006-03-01 06:00:00"}


def test_columns_of_clicks_are_named_and_refused_where_nothing_is_made_of_them(shell: Shell) -> None:
    text = "who,what,place,page\n" + "\n".join(f"{user},tea,{user + 1},http://tea.org" for user in range(3)) + "\n"
    log = shell.file("named.csv", text)
    named = ("--user", "who", "--text", "what", "--rank", "place", "--url", "page")
    answer = shell("anonymize", log, "--method", METHODS[0], "--k", "3", "--to", "csv", "--out", shell.directory / "out", *named)
    assert answer.code == 0, answer.everything
    assert {(row["rank"], row["url"]) for row in published(shell)} == {("2", "http://tea.org")}
    assert shell("audit", shell.directory / "out", "--original", log).code == 0
    refused = shell("anonymize", log, "--method", "infrequent", "--out", shell.directory / "other", *named)
    assert refused.code == 1
    assert "which are not used here" in refused.err
    missing = shell("anonymize", log, "--method", METHODS[0], "--out", shell.directory / "other", *named[:-1], "pages")
    assert missing.code == 1
    assert "no column 'pages' for the url" in missing.err


def test_any_taxonomy_tells_categories(shell: Shell) -> None:
    tree = shell.file("tree.csv", "child,parent\ndog,animal\ncar,machine\napple,fruit\nanimal,thing\nmachine,thing\nfruit,thing\n")
    text = HEADER + "\n".join(rows_of()) + "\n"
    answer = masked(shell, text, "--taxonomy", str(tree), "--depth", "1", method=METHODS[1])
    assert answer.code == 0, answer.everything
    topics = [{row[1].split()[0] for row in profile} for profile in profiles(shell).values()]
    assert all(len(found) == 1 for found in topics)
    assert shell("audit", shell.directory / "out", "--original", shell.directory / "log.tsv", "--taxonomy", tree).code == 0
    none = masked(shell, text, "--taxonomy", "none", method=METHODS[1])
    assert none.code == 1
    assert "needs a taxonomy" in none.err
