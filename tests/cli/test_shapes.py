"""A table or a log is never taken for transactions unasked: each of its rows would be a person, and the ids in it would be published."""

from __future__ import annotations

import gzip
import re

import pytest

from helpers.cli import Shell, one_line

ANN, BOB = "ann@example.org", "bob@example.org"
BOUGHT = ("milk", "bread", "butter", "cheese", "wine", "tea", "salt")
TYPE_THIS = "--format transactions"


def rows(*owners: str, between: str = ",", header: str = "", extra: str = "") -> str:
    """Seven rows for each owner, in a table of two columns or more."""
    lines = [f"{owner}{between}{extra}{item}" for owner in owners for item in BOUGHT]
    return "\n".join([header, *lines] if header else lines) + "\n"


SERVER = "".join(
    f'10.0.0.{n % 3} [17/May/2015:10:{n:02}:03 +0000] "GET /{BOUGHT[n % 7]}{"; q=1" * (n % 4)} HTTP/1.1" 200 {n}\n' for n in range(40)
)
SYSLOG = "".join(f"May {n % 28 + 1} 10:00:{n:02} {'host ' * (n % 4 + 1)}{BOUGHT[n % 7]}\n" for n in range(40))
VARYING = "".join(f"p{n}," + ",".join(BOUGHT[: n % 5 + 1]) + "\n" for n in range(20))

# What a file holds, and what the one line says of it.
UNKNOWN: dict[str, tuple[str | bytes, str]] = {
    "a header of unknown names": (rows("ann", "bob", header="who,bought"), "all its lines have 2 fields (separated by comma)"),
    "with tabs": (rows("ann", "bob", header="who\tbought", between="\t"), "all its lines have 2 fields (separated by tab)"),
    "with semicolons": (rows("ann", "bob", header="who;bought", between=";"), "all its lines have 2 fields (separated by semicolon)"),
    "with bars": (rows("ann", "bob", header="who|bought", between="|"), "all its lines have 2 fields (separated by bar)"),
    "with blanks": (rows("ann", "bob", header="who bought", between=" "), "all its lines have 2 fields (separated by blanks)"),
    "no header": (rows("ann", "bob"), "all its lines have 2 fields"),
    "e-mail addresses without a header": (rows(ANN, BOB), "its lines hold e-mail addresses"),
    "an owner without an item": (
        rows("ann", "bob", header="user,thing"),
        "no column recognized as the text or item; it has 'user', 'thing'",
    ),
    "a patient's diagnoses": (
        rows("ann", "bob", header="patient,date,diagnosis", extra="2024-01-01,"),
        "no column recognized as the text or item; it has 'patient', 'date', 'diagnosis'",
    ),
    "an item without an owner": (rows("ann", "bob", header="who,product,date", extra=""), "no column recognized as the user"),
    "a retailer's table": (
        "household,basket,product,sku,timestamp\n" + "".join(f"{n % 3},{n},{n % 5},{n % 5},{n}\n" for n in range(30)),
        "several columns could be the item: 'product', 'sku'",
    ),
    "two owners": (rows("ann", "bob", header="email,visitor,item", extra="v,"), "several columns could be the user: 'email', 'visitor'"),
    "two byte order marks": ("\ufeff\ufeff" + rows("ann", "bob", header="who,bought"), "all its lines have 2 fields"),
    "a comment first": ("# exported in May\n" + rows("ann", "bob", header="email,item"), "its first line looks like a comment"),
    "a title first": ("Sales in May\n\n" + rows("ann", "bob", header="email,item"), "nearly all its lines have 2 fields"),
    "a stray quote first": ('"' + rows("ann", "bob", header="email,item"), "all its lines have 2 fields"),
    "a stray quote in the header": (rows("ann", "bob", header='email,"item'), "all its lines have 2 fields"),
    "a few broken lines": (rows("ann", "bob", header="who,bought") + "ann,milk,bread\nann\n", "nearly all its lines have 2 fields"),
    "a server's log of its own making": (SERVER, "its lines hold times and network addresses, as a log's do"),
    "a packed log of its own making": (gzip.compress(SERVER.encode()), "its lines hold times and network addresses"),
    "a system's log": (SYSLOG, "its lines hold times"),
    "one field a line": ("ann\nbob\nmilk\n" * 9, "its lines have a single field"),
    "one line": ("ann,milk\n", "all its lines have 2 fields"),
    "an owner and a varying number of items": (VARYING, "the first field of its lines never occurs elsewhere"),
    "the same under a header": ("who,bought\n" + VARYING, "its first line looks like a header"),
    "numbers of one width": ("1 3 9\n2 3 8\n1 4 8\n" * 9, "all its lines have 3 fields (separated by blanks)"),
}
DATA = (ANN, BOB, "ann", "bob", *BOUGHT, "10.0.0", "Agent", "host", "exported", "Sales", "p1")


def refused(shell: Shell, *words: str) -> str:
    """The one line with which a file is refused; nothing is written, and no data is shown."""
    before = shell.names()
    line = one_line(shell("anonymize", "input", "--k", "2", "--taxonomy", "generated", "--out", "release", *words))
    assert shell.names() == before
    assert not [value for value in DATA if re.search(rf"\b{re.escape(value)}\b", line)]
    return line


@pytest.mark.parametrize("name", UNKNOWN)
def test_rows_are_not_taken_for_people(shell: Shell, name: str):
    content, said = UNKNOWN[name]
    shell.file("input", content)
    line = refused(shell)
    assert said in line
    assert "several columns" in line or ("--user" in line and TYPE_THIS in line)


@pytest.mark.parametrize("sep", [";", "tab", "|", "blanks"])
def test_a_wrong_separator(shell: Shell, sep: str):
    shell.file("input", rows("ann", "bob", header="user,item"))
    assert "all its lines have 2 fields (separated by comma)" in refused(shell, "--sep", sep)


def test_a_name_that_may_be_data_is_shown_with_header_only(shell: Shell):
    shell.file("input", rows("ann", "bob", header="who,bought"))
    assert "bought" not in refused(shell)
    assert "it has 'who', 'bought'" in refused(shell, "--header")


HEADERS = (
    *("user,item", "E-Mail,item", "kunde,artikel", "user,artikel", "Household-Key,product", "visitor_id,sku", "client ip,article"),
    *("Kundennummer;Artikelname", "utilisateur,produit", "card,product", "account,tag", "klant,artikel", "msisdn,item", "benutzer,produkt"),
)


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("before", ["", "\ufeff", "\ufeff\ufeff"], ids=["", "marked", "marked twice"])
def test_more_names_are_known_and_announced(shell: Shell, header: str, before: str):
    between = ";" if ";" in header else ","
    shell.file("input", before + rows(ANN, BOB, header=header, between=between))
    done = shell("anonymize", "input", "--k", "2", "--taxonomy", "generated", "--out", "release")
    assert done.code == 0, done.err
    user, item = header.split(between)
    assert f"columns: user = '{user}', item = '{item}'" in done.err
    assert "2 records of 2 people" in done.out
    assert ANN not in done.everything


def test_a_session_is_no_person(shell: Shell):
    shell.file("input", rows("s1", "s2", header="session,item"))
    assert "all its lines have 2 fields" in refused(shell)
    assert shell("anonymize", "input", "--user", "session", "--k", "2", "--taxonomy", "generated", "--out", "release").code == 0


def test_lines_are_transactions_if_that_is_said(shell: Shell):
    shell.file("input", "who,bought\n" + rows("ann", "bob"))
    said = ("anonymize", "input", "--format", "transactions", "--k", "2", "--taxonomy", "generated", "--out")
    assert "15 records of 15 people" in shell(*said, "one").out
    assert "14 records of 14 people" in shell(*said, "two", "--header").out


BASKETS = {
    "varying": "Orange,Chicken,Beef\nBanana,Beef,Cheese\nChicken,Milk,Butter\nApple,Chicken\nChicken,Beef\n",
    "numbers": "1 2 3 \n2 3\n4\n1 2 3 4 5\n",
    "hash tags": "#cat,#dog\n#dog,#cow,#cat\n#cat\n",
    "said to have no header": "Orange,Chicken\nBeef\nBeef,Milk,Tea\n",
}


@pytest.mark.parametrize("name", BASKETS)
def test_baskets_are_still_recognised(shell: Shell, name: str):
    shell.file("input", BASKETS[name])
    words = ["--no-header"] if name == "said to have no header" else []
    done = shell("anonymize", "input", "--k", "2", "--taxonomy", "generated", "--floor", "level:1", "--out", "release", *words)
    assert done.code == 0, done.err
    assert "format transactions, detected from lines without known columns" in done.err


def test_numbered_fields_below_what_may_be_a_header(shell: Shell):
    shell.file("input", rows("ann", "bob", header="who,bought"))
    numbered = ("--user", "1", "--item", "2")
    assert "may be a header or data (use --header or --no-header)" in refused(shell, *numbered)
    said = ("anonymize", "input", *numbered, "--k", "2", "--taxonomy", "generated", "--out")
    assert "2 records of 2 people" in shell(*said, "one", "--header").out
    assert "3 records of 3 people" in shell(*said, "two", "--no-header").out
