"""A release without a guarantee is asked for, and cannot be mistaken for one with: on the screen, in every file, in an audit, in Python."""

from __future__ import annotations

import html
import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.cli import Answer, Shell, failed, one_line
from helpers.errors import refuses
from shoal.methods import METHODS
from shoal.pipeline.manifest_schema import digest_of

LOG = """user,time,query
qxann,2006-03-01 07:00:00,weather
qxann,2006-03-01 07:02:00,zqrare miller 12 elm street
qxann,2006-03-02 09:30:00,zqmail@example.org
qxben,2006-03-01 08:15:00,weather
qxben,2006-03-02 12:00:00,4111 1111 1111 1111
qxcat,2006-03-01 11:40:00,guitar
"""
NAMES = [name for name, kind in METHODS.items() if kind.guarantees_nothing]
PEOPLE = "age,income\n" + "".join(f"{20 + n},{1000 + 37 * n}\n" for n in range(12))
SOURCE = {"perturbation": "people.csv"}  # what other methods than those of logs read
K2 = {"secret-sharing": ["--k", "2"]}
KEY = "0123456789abcdefKEYKEYKEY"

every_method = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def log(shell: Shell) -> Shell:
    shell.file("log.csv", LOG)
    shell.file("people.csv", PEOPLE)
    shell.file("key", KEY)
    return shell


def make(shell: Shell, name: str, *more: str, out: str = "release") -> Answer:
    words = ["anonymize", SOURCE.get(name, "log.csv"), "--method", name, "--no-guarantee", "--to", "csv", "--out", out]
    answer = shell(*words, *K2.get(name, []), *more)
    assert answer.code == 0, answer.err
    return answer


def manifest(shell: Shell, out: str = "release") -> dict[str, Any]:
    return json.loads((shell.directory / out / "manifest.json").read_text())  # type: ignore[no-any-return]


def squeezed(text: str) -> str:
    return " ".join(text.split())


@every_method
def test_it_must_be_asked_for(log: Shell, name: str) -> None:
    line = one_line(log("anonymize", "log.csv", "--method", name, "--out", "release", *K2.get(name, [])))
    assert f"the method {name} guarantees nothing. Not protected: {METHODS[name]().not_protected}" in line
    assert line.endswith("(--no-guarantee runs it nevertheless)")
    assert "release" not in log.names()


def test_it_is_refused_before_the_file_is_read(shell: Shell) -> None:
    failed(shell("anonymize", "nowhere.csv", "--method", NAMES[0], "--out", "x"), "guarantees-nothing")


def test_it_is_not_asked_of_other_methods(log: Shell) -> None:
    line = one_line(log("anonymize", "log.csv", "--method", "infrequent", "--k", "2", "--no-guarantee", "--out", "release"))
    assert "--no-guarantee is for methods that guarantee nothing, but infrequent makes a claim (leave it out)" in line


def test_it_may_stand_in_a_file_of_options(log: Shell) -> None:
    log.file("settings.toml", 'method = "old-remedies"\nno-guarantee = true\nids = "day"\n')
    assert log("anonymize", "log.csv", "--config", "settings.toml", "--out", "release").code == 0
    assert manifest(log)["parameters"]["ids"] == "day"
    assert log("audit", "release", "--config", "settings.toml").code == 0
    log.file("without.toml", 'method = "old-remedies"\n')
    failed(log("anonymize", "log.csv", "--config", "without.toml", "--out", "other"), "guarantees-nothing")


@every_method
def test_every_output_says_so(log: Shell, name: str) -> None:
    answer = make(log, name)
    lack = f"Nothing is guaranteed. Not protected: {METHODS[name]().not_protected}."
    shown = squeezed(answer.out)
    assert shown.startswith(f"release: written WITHOUT ANY GUARANTEE. {lack}")
    assert "verified" not in shown
    assert f"warning: no guarantee. Not protected: {METHODS[name]().not_protected}" in squeezed(answer.err)
    told = manifest(log)
    assert told["no_guarantee"] == lack and told["claims"] == []
    assert list(told)[1] == "no_guarantee"
    assert (log.directory / "release" / "NO-GUARANTEE.txt").read_text() == f"{lack}\n"
    page = (log.directory / "release" / "report.html").read_text()
    first = re.sub(r"<[^>]*>", " ", page[page.index("<body>") :])
    assert "Nothing is guaranteed." in squeezed(first)[:200]
    assert page.count(lack.removeprefix("Nothing is guaranteed. ")[:60]) >= 3
    assert "<title>Nothing is guaranteed." in page
    assert "The claim holds" not in page and "contains no user ID" not in page


@every_method
def test_json_says_so(log: Shell, name: str) -> None:
    answer = make(log, name, "--json")
    assert json.loads(answer.out)["no_guarantee"].startswith("Nothing is guaranteed.")
    assert "warning: no guarantee." in answer.err


@every_method
@pytest.mark.parametrize("with_original", [True, False])
def test_an_audit_fails_unless_it_is_known_and_says_so_either_way(log: Shell, name: str, with_original: bool) -> None:
    make(log, name)
    words = ["audit", "release", *(["--original", SOURCE.get(name, "log.csv")] if with_original else [])]
    refused = log(*words)
    assert refused.code == 3
    assert "release: THE AUDIT FAILS" in refused.out and "some guarantee" in refused.out
    known = log(*words, "--no-guarantee")
    assert known.code == 0, known.out
    for answer in (refused, known):
        assert f"guarantee NONE. {manifest(log)['no_guarantee']}" in squeezed(answer.out)
    assert "release: NO GUARANTEE" in known.out
    told = json.loads(log(*words, "--json").out)
    assert told["holds"] is False and told["no_guarantee"].startswith("Nothing is guaranteed.")


def test_a_claim_of_ones_own_may_be_judged(log: Shell) -> None:
    make(log, "old-remedies", "--ids", "none")
    answer = log("audit", "release", "--claim", "support(k=2)", "--original", "log.csv", "--allow-column", "time")
    assert answer.code == 3 and "A CLAIM DOES NOT HOLD" in answer.out
    assert "guarantee NONE." in squeezed(answer.out)


def test_such_a_release_makes_no_further_claim(log: Shell) -> None:
    words = ["anonymize", "log.csv", "--method", "old-remedies", "--no-guarantee", "--out", "release", "--claim", "support(k=2)"]
    failed(log(*words), "claim-not-applicable")
    assert "release" not in log.names()


def claim(told: dict[str, Any]) -> None:
    level = {"records": 1}
    told["claims"] = [{"model": "support(k=2)", "verdict": "verified", "holds": True, "achieved": level, "achieved_from_file": level}]


def claim_alone(told: dict[str, Any]) -> None:
    claim(told)
    del told["no_guarantee"]


def soften(told: dict[str, Any]) -> None:
    told["no_guarantee"] = "Everything is fine."


def silence(told: dict[str, Any]) -> None:
    del told["no_guarantee"]


def change_ids(told: dict[str, Any]) -> None:
    told["parameters"]["ids"] = "day"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (claim, "guarantees nothing, but the manifest makes a claim"),
        (claim_alone, "guarantees nothing, but the manifest makes a claim"),
        (soften, "no_guarantee is not what the method old-remedies"),
        (silence, "no_guarantee is not what the method old-remedies"),
        (change_ids, "no_guarantee is not what the method old-remedies"),
    ],
)
def test_a_manifest_that_hides_it_is_found_out(log: Shell, edit: Callable[[dict[str, Any]], None], said: str) -> None:
    make(log, "old-remedies")
    place, told = log.directory / "release" / "manifest.json", manifest(log)
    edit(told)
    told["sha256"] = digest_of(told)
    place.write_text(json.dumps(told))
    answer = log("audit", "release", "--no-guarantee")
    assert answer.code == 3
    assert said in squeezed(answer.out)


@pytest.mark.parametrize("damage", ["removed", "changed"])
def test_the_notice_belongs_to_the_release(log: Shell, damage: str) -> None:
    make(log, "old-remedies")
    notice = log.directory / "release" / "NO-GUARANTEE.txt"
    if damage == "removed":
        notice.unlink()
    else:
        notice.write_text("All is well.\n")
    answer = log("audit", "release", "--no-guarantee")
    assert answer.code == 3 and "NO-GUARANTEE.txt" in answer.out


def test_a_release_with_a_claim_must_not_say_it(log: Shell) -> None:
    assert log("anonymize", "log.csv", "--method", "infrequent", "--k", "2", "--out", "release").code == 0
    assert "no_guarantee" not in manifest(log)
    assert not (log.directory / "release" / "NO-GUARANTEE.txt").exists()
    place, told = log.directory / "release" / "manifest.json", manifest(log)
    told["no_guarantee"] = "Nothing is guaranteed."
    told["sha256"] = digest_of(told)
    place.write_text(json.dumps(told))
    assert log("audit", "release").code == 3


def test_lists_mark_such_methods(shell: Shell) -> None:
    listed = json.loads(shell("methods", "--json").out)
    assert {name for name, told in listed.items() if told.get("guarantee") == "none"} == set(NAMES)
    assert all(listed[name]["does_not_protect"] and listed[name]["summary"].startswith("No guarantee: ") for name in NAMES)
    for name in NAMES:
        assert squeezed(shell("methods", name).out).count("guarantee none") == 1
        assert "No guarantee: " in shell("anonymize", "--method", name, "--help").out
    assert squeezed(shell("methods").out).count("No guarantee: ") == len(NAMES)


def test_measuring_says_so(log: Shell) -> None:
    make(log, "old-remedies")
    for more in ([], ["--original", "log.csv"]):
        assert "Nothing is guaranteed." in log("measure", "release", *more).err


@every_method
def test_in_python(log: Shell, name: str, caplog: pytest.LogCaptureFixture) -> None:
    k2, source = {"k": 2} if name in K2 else {}, SOURCE.get(name, "log.csv")
    with refuses("guarantees-nothing"):
        shoal.anonymize(source, name, **k2)
    with caplog.at_level(logging.WARNING):
        result = shoal.anonymize(source, name, no_guarantee=True, **k2)
    assert "no guarantee. Not protected: " in caplog.text
    assert repr(result).startswith(f"<Result of {name}: NOTHING IS GUARANTEED; ")
    shown = re.sub(r"<[^>]*>", " ", result._repr_html_())
    assert squeezed(html.unescape(shown)).startswith(f"Nothing is guaranteed. Not protected: {METHODS[name]().not_protected}.")
    result.write("release")
    assert not shoal.audit("release").holds
    assert shoal.audit("release", no_guarantee=True).holds
    with refuses("wrong-type", value="yes"):
        shoal.anonymize(source, name, no_guarantee="yes", **k2)  # type: ignore[arg-type]


# -- keys, and what must not be seen

WAYS = {
    "hashed ids and queries": ["old-remedies", "--queries", "hash", "--key", "key"],
    "hashed words": ["old-remedies", "--queries", "hash-words", "--ids", "day", "--key", "key"],
    "hashed without a key": ["old-remedies", "--queries", "hash-words"],
    "shared": ["secret-sharing", "--key", "key"],
    "shared without a key": ["secret-sharing"],
}


def texts_of(directory: Path) -> str:
    return "\n".join(file.read_text() for file in directory.rglob("*") if file.is_file())


@pytest.mark.parametrize("way", WAYS)
def test_neither_ids_nor_hashed_queries_nor_keys_are_seen(log: Shell, way: str) -> None:
    answer = make(log, *WAYS[way])
    seen = answer.everything + texts_of(log.directory / "release")
    for mark in ("qxann", "qxben", "qxcat", "zqrare", "zqmail", "weather", "4111 1111", "KEYKEY", KEY.encode().hex()):
        assert mark not in seen, mark
    assert log("audit", "release", "--original", "log.csv", "--no-guarantee").code == 0


@pytest.mark.parametrize(("ids", "users"), [("person", 3), ("day", 5), ("none", 0)])
def test_ids_are_not_seen_whatever_becomes_of_them(log: Shell, ids: str, users: int) -> None:
    make(log, "old-remedies", "--ids", ids)
    seen = texts_of(log.directory / "release")
    assert not [mark for mark in ("qxann", "qxben", "qxcat") if mark in seen]
    frame = pl.read_csv(log.directory / "release" / "log.csv")
    assert (frame["user"].n_unique() if "user" in frame.columns else 0) == users


def test_what_is_scrubbed_is_not_seen(log: Shell) -> None:
    log.file("names.txt", "zqrare miller\n")
    answer = make(log, "old-remedies", "--scrub", "--names", "names.txt")
    seen = answer.everything + texts_of(log.directory / "release")
    assert not [mark for mark in ("zqrare", "miller", "elm street", "zqmail", "4111 1111") if mark in seen]
    assert manifest(log)["accounting"]["rows"] == {"in": 6, "published": 3, "scrubbed": 3}


def test_the_same_key_gives_the_same_tokens(log: Shell) -> None:
    for out in ("one", "two"):
        make(log, "old-remedies", "--queries", "hash", "--key", "key", out=out)
    make(log, "old-remedies", "--queries", "hash", out="fresh")
    one, two, fresh = (pl.read_csv(log.directory / out / "log.csv").select(pl.all().sort()) for out in ("one", "two", "fresh"))
    assert one.equals(two)
    assert not set(one["query"]) & set(fresh["query"])


def test_a_bad_key_is_refused_in_one_line_that_does_not_show_it(log: Shell) -> None:
    log.file("short", "hunter2")
    words = ["anonymize", "log.csv", "--method", "old-remedies", "--no-guarantee", "--out", "x", "--key"]
    line = one_line(log(*words, "short"))
    assert "a key has at least 16 bytes" in line and "hunter2" not in line
    failed(log(*words, "nowhere"), "file-not-found")
    failed(log(*words, "."), "path-is-a-directory")
    assert "x" not in log.names()


# -- the decoder


def test_decoding(log: Shell) -> None:
    make(log, "secret-sharing")
    answer = log("decode", "release")
    assert answer.code == 0
    assert squeezed(answer.out) == "query people rows weather 2 2"
    assert "4 distinct queries cannot be decrypted" in answer.err
    assert json.loads(log("decode", "release", "--json").out) == {"queries": [{"query": "weather", "people": 2, "rows": 2}], "sealed": 4}
    assert shoal.decode("release").rows() == [("weather", 2, 2)]


def test_decoding_what_is_not_sealed(log: Shell) -> None:
    make(log, "old-remedies")
    failed(log("decode", "release"), "nothing-to-decode")
    failed(log("decode", "log.csv"), "not-a-release")
    failed(log("decode", "."), "not-a-release")
    failed(log("decode", "nowhere"), "not-a-release")


def test_items_of_a_table_and_prompts_are_logs_too(log: Shell) -> None:
    log.file("items.csv", "user,item\nann,milk\nann,beer\nben,milk\n")
    assert log("anonymize", "items.csv", "--method", "secret-sharing", "--k", "2", "--no-guarantee", "--out", "items").code == 0
    assert shoal.decode("items").rows() == [("milk", 2, 2)]
    turns = [
        {"user": user, "conversation": [{"role": "user", "content": text}]} for user, text in (("ann", "call 555-123-4567"), ("ben", "hi"))
    ]
    log.file("chats.jsonl", "".join(json.dumps(one) + "\n" for one in turns))
    words = ["--method", "old-remedies", "--scrub", "--key", "key", "--no-guarantee", "--to", "csv", "--out", "chats"]
    assert log("anonymize", "chats.jsonl", *words).code == 0
    assert sorted(pl.read_csv(log.directory / "chats" / "log.csv")["query"]) == ["call <phone>", "hi"]


def test_a_key_for_people_whose_names_are_not_read(log: Shell) -> None:
    log.file("access.log", '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 1\n')
    line = one_line(log("anonymize", "access.log", "--method", "old-remedies", "--key", "key", "--no-guarantee", "--out", "x"))
    assert "a key hashes user IDs, but this log was read without them" in line


def test_a_release_that_was_changed_is_not_decoded(shell: Shell) -> None:
    rows = "".join(f"u{n}\train\n" for n in range(4))
    shell.file("log.tsv", f"user\tquery\n{rows}")
    words = ("--method", "secret-sharing", "--k", "2", "--no-guarantee", "--to", "csv")
    assert shell("anonymize", "log.tsv", *words, "--out", "sealed").code == 0
    assert "rain" in shell("decode", "sealed").out
    file = shell.directory / "sealed" / "log.csv"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    failed(shell("decode", "sealed"), "release-altered")
