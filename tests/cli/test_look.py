"""shoal look: what is said of an input before anything is made of it."""

from __future__ import annotations

import gzip
import io
import json
import re

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import Shell, one_line
from helpers.errors import refuses
from shoal.cli.look import command
from shoal.data.accounting import Ledger, kept
from shoal.data.bags import Bags
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.io.read.result import Defects, Reading
from shoal.io.read.source import Portion
from shoal.pipeline import look as looking
from shoal.pipeline.options import Preparation, load_taxonomy
from shoal.taxonomy.tree_drawing import coverage

OWNERS = ("ann@example.org", "bob@example.org", "cid@example.org")
BOUGHT = ("milk", "bread", "butter", "cheese", "wine", "tea", "salt")
# The first owner has six rows of ten, the others two each.
ROWS = [(OWNERS[0], item) for item in BOUGHT[:6]] + [(owner, item) for owner in OWNERS[1:] for item in BOUGHT[5:]]
TABLE = "email,when,item\n" + "".join(f"{who},2024-01-01 0{n}:00,{what}\n" for n, (who, what) in enumerate(ROWS))


def seen(shell: Shell, *words: str) -> dict[str, object]:
    """What look says of the file `input`, for programs; nothing is written."""
    before = shell.names()
    done = shell("look", "input", "--json", "--show-rare", *words)
    assert done.code == 0, done.err
    assert shell.names() == before
    assert not any(owner in done.everything for owner in OWNERS)
    return json.loads(done.out)


def test_people_records_and_the_largest_owner(shell: Shell):
    shell.file("input", TABLE)
    found = seen(shell, "--taxonomy", "generated")
    assert found["format"] == "table"
    assert found["columns"]["user"] == "email" and found["columns"]["item"] == "item"
    assert (found["people"], found["records"], found["items"], found["occurrences"]) == (3, 3, 7, 10)
    assert found["largest_owner"] == {"rows": 6, "records": 1}
    assert found["density"] == 10 / (3 * 7)
    assert found["part"] == 1
    by_event = seen(shell, "--taxonomy", "generated", "--per", "event")
    assert (by_event["people"], by_event["records"]) == (3, 10)
    assert by_event["largest_owner"] == {"rows": 6, "records": 6}


def test_what_each_way_of_making_records_protects(shell: Shell):
    shell.file("input", TABLE)
    said = seen(shell, "--taxonomy", "none", "--per", "session", "--gap", "90m")["protects"]
    assert said["user"] == "3 records; hides a person's whole history among at least k people"
    assert said["session"].startswith("3 records; hides each session among at least k people, but not a person's whole history")
    assert said["event"].startswith("10 records; hides each event among at least k people, but not a person's whole history")


def test_without_times_there_are_no_sessions(shell: Shell):
    shell.file("input", TABLE.replace("when", "code").replace("2024-01-01 ", "x"))
    assert seen(shell, "--taxonomy", "none")["protects"]["session"].startswith("possible if --time COLUMN names a column with times")


def test_times_that_are_not_read_are_not_called_missing(shell: Shell):
    shell.file("input", TABLE.replace("when", "time"))
    assert seen(shell, "--taxonomy", "none")["protects"]["session"].startswith(
        "not counted, because times are read only for records per session"
    )


def test_the_help_fits_one_screen_and_names_every_option(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    plain, everything = shell("look", "--help").out, shell("look", "--help-all").out
    assert len(plain.splitlines()) <= 40
    own = [max(option.opts, key=len) for option in command.params if isinstance(option, click.Option)]
    squeezed = "".join(plain.split())
    assert [name for name in own if name not in squeezed] == []
    assert [name for name in own if f"  {name}" not in everything] == []


def test_three_records_of_different_people_as_parsed(shell: Shell):
    shell.file("input", TABLE)
    found = seen(shell, "--taxonomy", "none", "--per", "event")
    assert found["examples"] == [[["milk", "1"]], [["tea", "1"]], [["tea", "1"]]]
    whole = seen(shell, "--taxonomy", "none")
    assert [dict(record) for record in whole["examples"]] == [dict.fromkeys(BOUGHT[:6], "1")] + [dict.fromkeys(BOUGHT[5:], "1")] * 2


def test_the_taxonomy_is_tried(shell: Shell):
    shell.file("input", TABLE)
    shell.file("tree.csv", "child,parent\nmilk,food\nbread,food\n")
    known = seen(shell, "--taxonomy", "tree.csv")["known"]
    assert (known["items"], known["items_known"], known["occurrences"], known["occurrences_known"]) == (7, 2, 10, 2)
    assert not known["refused"]


def test_a_taxonomy_that_anonymize_refuses(shell: Shell):
    shell.file("input", TABLE)
    shell.file("tree.csv", "child,parent\nyak,beast\nox,beast\n")
    assert seen(shell, "--taxonomy", "tree.csv")["known"]["refused"]
    assert "anonymize rejects it" in shell("look", "input", "--taxonomy", "tree.csv").out
    assert "less than 1%" in one_line(shell("anonymize", "input", "--taxonomy", "tree.csv", "--k", "2", "--out", "release"))


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_file_is_read_in_part_and_that_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch, packed: bool):
    monkeypatch.setattr(looking, "FIRST_PART", Portion(1000, 500))
    monkeypatch.setattr("shoal.io.read.source.CHUNK", 600)
    text = ("user,item\n" + "".join(f"u{n},{BOUGHT[n % 7]}\n" for n in range(100_000))).encode()
    shell.file("input", gzip.compress(text) if packed else text)
    found = seen(shell, "--taxonomy", "none")
    assert found["part"] < 1
    assert 0 < found["rows"]["in"] < 1000
    assert found["rows"] == {"in": found["rows"]["in"], "used": found["rows"]["in"]}  # the line that was cut is no defect
    done = shell("look", "input", "--taxonomy", "none")
    assert re.search(rf"the first {found['rows']['in']:,} rows \(<?\d+% of the file; --all reads the rest\)", done.out)
    assert seen(shell, "--taxonomy", "none", "--all")["people"] == 100_000


def test_a_small_file_is_read_whole(shell: Shell):
    shell.file("input", TABLE)
    assert "the first" not in shell("look", "input", "--taxonomy", "none").out


def test_the_screen_shows_no_owner(shell: Shell):
    shell.file("input", TABLE)
    done = shell("look", "input", "--taxonomy", "generated")
    assert done.code == 0
    assert not any(owner in done.everything for owner in OWNERS)
    assert "columns: user = 'email', item = 'item'" in done.err
    assert "6 (60.0%) of the used rows and 1 (33.3%) of the records" in done.out


def test_a_table_of_people_is_recognized(shell: Shell):
    """Lines of numbers without known names are read as a table, which a note states; a decimal comma is not taken for a separator."""
    shell.file("input", "age,pay\n" + "".join(f"{30 + n % 2},{300 + n % 3}\n" for n in range(30)))
    found = shell("look", "input")
    assert found.code == 0 and "quasi-identifiers  'age', 'pay'" in found.out
    assert "so this is read as a table of people: --format microdata states it" in found.everything
    shell.file("input", "age;pay;town\n" + "".join(f"{30 + n % 2};{300 + n % 3},50;Ulm\n" for n in range(30)))
    refused = shell("look", "input")
    assert refused.code == 1 and "all its lines have 3 fields (separated by semicolon)" in refused.err
    assert "--format microdata" in refused.err


def test_transactions_and_microdata(shell: Shell):
    shell.file("input", "milk,bread\nmilk\nbread,tea,salt\n")
    found = seen(shell, "--format", "transactions", "--taxonomy", "none")
    assert (found["people"], found["records"], found["items"]) == (3, 3, 4)
    assert list(found["protects"]) == ["user"]
    shell.file("input", "who,age,pay\n" + "".join(f"{owner},{n},{n * 10}\n" for n, owner in enumerate(OWNERS, 30)))
    table = seen(shell, "--format", "microdata", "--user", "who")
    assert table["columns"] == {"age": "quasi-identifier", "pay": "quasi-identifier"}
    assert table["examples"][0] == [["age", "30.0"], ["pay", "300.0"]]
    assert "age = 30.0, pay = 300.0" in shell("look", "input", "--show-rare", "--format", "microdata", "--user", "who").out


def test_values_of_few_people_are_counted_and_not_shown(shell: Shell):
    """Five people bought milk, four bread, and one something else; nine rows have the same pay."""
    shell.file("input", "milk,bread,gin\n" + "milk,bread\n" * 3 + "milk\n")
    words = ("look", "input", "--format", "transactions", "--taxonomy", "none")
    found = json.loads(shell(*words, "--json").out)
    assert (found["examples"][0], found["rare"][0]) == ([["milk", "1"]], 2)
    out = shell(*words).out
    assert "milk and 2 rare items hidden (--show-rare)" in out and "gin" not in out and "bread" not in out
    assert "gin" in shell(*words, "--show-rare").out
    shell.file("input", "age,pay\n" + "".join(f"{age},100\n" for age in range(9)))
    table = json.loads(shell("look", "input", "--format", "microdata", "--json").out)
    assert (table["examples"][0], table["rare"][0]) == ([["pay", "100.0"]], 1)


def test_what_anonymize_refuses_is_refused_alike(shell: Shell):
    shell.file("input", "who,bought\nann,milk\nbob,milk\n")
    refusal = one_line(shell("anonymize", "input", "--k", "2", "--out", "release"))
    assert one_line(shell("look", "input")) == refusal


def test_parquet_in_part(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    import polars as pl

    monkeypatch.setattr(looking, "FIRST_PART", Portion(1 << 20, 40))
    table = pl.DataFrame({"user": [f"u{n}" for n in range(100)], "item": ["milk"] * 100})
    table.write_parquet(shell.directory / "input")
    found = seen(shell, "--taxonomy", "none")
    assert (found["part"], found["people"]) == (0.4, 40)
    assert seen(shell, "--taxonomy", "none", "--all")["people"] == 100
    table.select(items=pl.concat_list("user", "item")).write_parquet(shell.directory / "input")
    lists = seen(shell, "--taxonomy", "none")
    assert (lists["part"], lists["people"], lists["items"]) == (0.4, 40, 41)
    assert seen(shell, "--taxonomy", "none", "--all")["people"] == 100
    pl.DataFrame({"age": range(100), "pay": range(100)}).write_parquet(shell.directory / "input")
    people = seen(shell, "--format", "microdata")
    assert (people["part"], people["people"]) == (0.4, 40)
    assert seen(shell, "--format", "microdata", "--all")["people"] == 100


def test_long_texts_of_parquet_are_fewer_rows(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    import polars as pl

    monkeypatch.setattr(looking, "FIRST_PART", Portion(100_000, 5_000))
    table = pl.DataFrame({"user": [f"u{n}" for n in range(5_000)], "query": [f"{n} " * 200 for n in range(5_000)]})
    table.write_parquet(shell.directory / "input")
    found = seen(shell, "--taxonomy", "none")
    assert 0 < found["rows"]["in"] < 5_000 and found["part"] == found["rows"]["in"] / 5_000
    assert 50_000 < sum(map(len, table["query"][: found["rows"]["in"]])) < 200_000


def test_as_many_short_lines_are_read_as_wanted(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(looking, "FIRST_PART", Portion(1_000_000, 300))
    monkeypatch.setattr("shoal.io.read.source.PIECE", 512)
    shell.file("input", "user,item\n" + "".join(f"u{n},{BOUGHT[n % 7]}\n" for n in range(20_000)))
    found = seen(shell, "--taxonomy", "none")
    assert 300 <= found["rows"]["in"] <= 300 + 512 and found["part"] < 0.1


def test_a_line_longer_than_the_part_is_read(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """What is read in part has a row at least, where a file has any."""
    monkeypatch.setattr(looking, "FIRST_PART", Portion(500, 10))
    shell.file("input", "user,item\n" + "".join(f"u{n},{'x' * 3_000}\n" for n in range(50)))
    found = seen(shell, "--taxonomy", "none")
    assert 1 <= found["rows"]["in"] < 50


def test_several_files_share_the_part(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(looking, "FIRST_PART", Portion(10_000, 10_000))
    for file in range(4):
        shell.file(f"input{file}.csv", "user,item\n" + "".join(f"u{n},{BOUGHT[file]}\n" for n in range(5_000)))
    found = json.loads(shell("look", "input*.csv", "--taxonomy", "none", "--json").out)
    assert found["items"] == 4 and 500 < found["rows"]["in"] < 2_000  # of each file some rows, about 10,000 bytes in all
    assert found["part"] < 0.1


def test_of_a_part_of_standard_input_no_share_is_stated(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """Its size is not known, but that there is more is."""
    text = "user,item\n" + "".join(f"u{n},{BOUGHT[n % 7]}\n" for n in range(20_000))
    monkeypatch.setattr(looking, "FIRST_PART", Portion(5_000, 10_000))

    def look(*words: str) -> str:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return shell("look", "-", "--taxonomy", "none", *words).out

    found = json.loads(look("--json"))
    assert found["part"] == 0 and 0 < found["rows"]["in"] < 1_000
    assert f"standard input: the first {found['rows']['in']} rows (--all reads the rest)" in look()
    assert "nothing was written" in look("--all")


@given(st.lists(st.lists(st.text("ab/ ?.A", min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=4), min_size=1, max_size=8))
def test_a_taxonomy_made_of_the_items_has_all_of_them(records: list[list[str]]):
    """It is not made to be sure of that. A recount makes it."""
    bags = Bags.from_lists(records)
    for spec in ("generated", "generated:2", "paths"):
        if spec == "paths" and not any("/" in name for name in bags.vocabulary.names):
            with refuses("no-paths"):
                looking.look_at(bags_reading(bags), Preparation(taxonomy=spec))
            continue
        tree, notes = load_taxonomy(spec, DEFAULT_LOSS, bags.vocabulary)
        covered = coverage(bags, tree, 0)
        assert covered.terms_covered == covered.terms
        known = looking.look_at(bags_reading(bags), Preparation(taxonomy=spec))
        assert known.known is not None and notes[0] in known.notes
        found = known.known
        assert (found.items, found.items_known) == (covered.terms, covered.terms_covered)
        assert (found.occurrences, found.occurrences_known) == (covered.occurrences, covered.occurrences_covered)


def bags_reading(bags: Bags) -> Reading:
    return Reading(bags, "transactions", Ledger(len(bags), {"used": kept(len(bags))}), Defects(), ())


def test_a_column_that_may_be_the_record_is_named(shell: Shell):
    """It is not used unasked, because it changes what is protected."""
    shell.file("input", "user,basket_id,item\n" + "".join(f"u{n},{n},milk\n" for n in range(6)))
    assert "not used: 'basket_id', which --record basket_id makes the record" in shell("look", "input", "--taxonomy", "none").err
    assert "not used" not in shell("look", "input", "--taxonomy", "none", "--record", "basket_id").err
