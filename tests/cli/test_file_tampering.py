"""A release whose files say more than their content: every mark is found, in every kind of table and every format."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.cli import Shell, one_line
from helpers.errors import refuses
from helpers.file_tamperings import TAMPERINGS, tampered_file
from helpers.kinds import FOOD, KINDS, baskets
from helpers.tampering import manifest_of, renew, seal
from shoal.api.result import Result
from shoal.io.rules_file import read_rules
from shoal.kinds import read_tables

FORM = "files in canonical form"
Maker = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    """Makes a release of this kind in this format, perhaps with a layout; each is made once."""
    place = tmp_path_factory.mktemp("made")
    results: dict[str, Result] = {}

    def release(kind: str, form: str) -> Path:
        target = place / f"{kind} {form}".replace(" ", "-")
        if not target.exists():
            if kind not in results:
                results[kind] = KINDS[kind](place)
            format, _, layout = form.partition(" ")
            results[kind].write(target, to=format, layout=layout or "lists")
        return target

    return release


@pytest.fixture
def copied(made: Maker, tmp_path: Path) -> Callable[[str, str], Path]:
    """The same, to be spoilt."""
    return lambda kind, form: Path(shutil.copytree(made(kind, form), tmp_path / "release"))


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_mark_in_a_table(copied: Callable[[str, str], Path], name: str):
    tampering = TAMPERINGS[name]
    release = copied(tampering.kind, tampering.form)
    file = tampered_file(release, tampering.file)
    before = file.read_bytes()
    after = tampering.edit(before)
    assert after != before
    file.write_bytes(after)
    renew(release)
    if tampering.anyhow:
        assert not _holds(release)
        return
    found = shoal.audit(release, no_guarantee=True)
    verdict = next(check for check in found.checks if check.claim == FORM)
    assert not verdict.holds, name
    assert not found.holds
    assert tampering.words in " | ".join(verdict.witnesses)
    assert all(file.name in witness for witness in verdict.witnesses)
    assert "bob" not in " ".join(verdict.witnesses)
    if not tampering.also:
        assert [check.claim for check in (*found.checks, *found.claims) if not check.holds] == [FORM]


def _holds(release: Path) -> bool:
    try:
        return shoal.audit(release, no_guarantee=True).holds
    except shoal.ShoalError:
        return False


def test_there_are_enough_of_them():
    assert len(TAMPERINGS) >= 140
    assert {one.kind for one in TAMPERINGS.values()} == KINDS.keys()
    assert {one.form.split()[0] for one in TAMPERINGS.values()} == {"parquet", "csv", "jsonl", "xlsx", "transactions", "accesslog"}


def test_the_command_names_the_file_and_what_is_in_it(made: Maker, shell: Shell):
    release = shell.directory / "release"
    shutil.copytree(made("chunks", "parquet"), release)
    assert shell("audit", "release").code == 0
    file = tampered_file(release, "_terms.parquet")
    file.write_bytes(TAMPERINGS["chunks, Parquet, metadata"].edit(file.read_bytes()))
    renew(release)
    answer = shell("audit", "release")
    assert answer.code == 3
    assert "THE AUDIT FAILS" in answer.out
    assert f"{file.name} is not in canonical form: metadata 'owners'" in " ".join(answer.out.split())
    assert "ann" not in answer.everything.replace("cannot", "")
    refused = one_line(shell("audit", "release", "--allow-column", "metadata:owners"))
    assert "there is no column 'metadata:owners' to allow" in refused


# -- files that are no tables

MANIFESTS: dict[str, Callable[[bytes], bytes]] = {
    "no indentation": lambda data: json.dumps(json.loads(data)).encode(),
    "more indentation": lambda data: (json.dumps(json.loads(data), indent=4) + "\n").encode(),
    "a blank at the end": lambda data: data + b" ",
    "two line feeds at the end": lambda data: data + b"\n",
    "no line feed at the end": lambda data: data[:-1],
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
    "a letter as an escape": lambda data: data.replace(b'"method"', b'"\\u006dethod"', 1),
    "a longer number": lambda data: re.sub(rb"(: 0\.\d+)", rb"\g<1>0", data, count=1),
    "a tab": lambda data: data.replace(b'"method": ', b'"method":\t', 1),
    "a blank before a comma": lambda data: data.replace(b",\n", b" ,\n", 1),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_mark_in_the_manifest(copied: Callable[[str, str], Path], name: str):
    release = copied("bags", "csv")
    place = release / "manifest.json"
    before = place.read_bytes()
    place.write_bytes(MANIFESTS[name](before))
    assert place.read_bytes() != before
    found = shoal.audit(release)
    failing = [check for check in (*found.checks, *found.claims) if not check.holds]
    assert [check.claim for check in failing] == [FORM]
    assert all(witness.startswith("manifest.json is not in canonical form: ") for witness in failing[0].witnesses)


def test_a_byte_order_mark_in_the_manifest(copied: Callable[[str, str], Path]):
    release = copied("bags", "csv")
    place = release / "manifest.json"
    place.write_bytes(b"\xef\xbb\xbf" + place.read_bytes())
    assert not _holds(release)


@pytest.fixture(scope="module")
def with_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("rules")
    shoal.anonymize(baskets(), "apriori", k=3, m=2, taxonomy=FOOD).write(place / "release", to="csv")
    return place / "release"


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: json.dumps(json.loads(data)).encode(),
        lambda data: data + b"\n",
        lambda data: data.replace(b'"items"', b'"\\u0069tems"', 1),
        lambda data: data.replace(b"\n", b"\r\n"),
    ],
    ids=["no indentation", "a line feed more", "an escape", "carriage returns"],
)
def test_a_mark_in_the_rules(with_rules: Path, tmp_path: Path, edit: Callable[[bytes], bytes]):
    release = Path(shutil.copytree(with_rules, tmp_path / "release"))
    assert shoal.audit(release).holds
    place = release / "rules.json"
    place.write_bytes(edit(place.read_bytes()))
    renew(release)
    found = shoal.audit(release)
    assert [check.claim for check in (*found.checks, *found.claims) if not check.holds] == [FORM]


def test_a_text_as_the_version_of_the_rules(with_rules: Path, shell: Shell):
    release = Path(shutil.copytree(with_rules, shell.directory / "release"))
    place = release / "rules.json"
    place.write_bytes(read_rules(place).content("ann, bob").encode())
    renew(release)
    found = shoal.audit(release)
    assert [check.claim for check in (*found.checks, *found.claims) if not check.holds] == [FORM, "rules as published"]
    told = manifest_of(release)
    told["shoal"] = "ann, bob"
    seal(release, told)
    assert "shoal must be the number of a version" in one_line(shell("audit", "release"))


def test_a_mark_in_the_notice(copied: Callable[[str, str], Path]):
    release = copied("no guarantee", "csv")
    place = release / "NO-GUARANTEE.txt"
    place.write_bytes(place.read_bytes() + b"ann\n")
    renew(release)
    found = shoal.audit(release, no_guarantee=True)
    assert [check.claim for check in found.checks if not check.holds] == [FORM]


@pytest.mark.parametrize(("kind", "form"), [("bags", "csv"), ("rows", "parquet"), ("chunks", "jsonl"), ("access log", "accesslog")])
@pytest.mark.parametrize("which", [0, -1, None], ids=["table", "report", "manifest"])
def test_a_file_that_is_a_symbolic_link(copied: Callable[[str, str], Path], kind: str, form: str, which: int | None):
    release = copied(kind, form)
    name = "manifest.json" if which is None else manifest_of(release)["files"][which]["name"]
    aside = release.parent / "aside"
    (release / name).rename(aside)
    (release / name).symlink_to(aside)
    found = shoal.audit(release)
    failing = [check for check in (*found.checks, *found.claims) if not check.holds]
    assert [check.claim for check in failing] == [FORM]
    assert failing[0].witnesses == (f"{name} is not in canonical form: a symbolic link, not a file",)


def test_a_file_that_is_a_directory_or_a_pipe(copied: Callable[[str, str], Path]):
    release = copied("bags", "csv")
    (release / "report.html").unlink()
    (release / "report.html").mkdir()
    assert not _holds(release)
    (release / "report.html").rmdir()
    os.mkfifo(release / "report.html")
    assert not _holds(release)
    (release / "report.html").unlink()
    (release / "records.csv").unlink()
    (release / "records.csv").mkdir()
    assert not _holds(release)


NAMED = [(kind, "accesslog" if kind == "access log" else "csv") for kind in KINDS]


@pytest.mark.parametrize(("kind", "form"), NAMED)
def test_a_table_called_after_a_person(made: Maker, shell: Shell, kind: str, form: str):
    release = Path(shutil.copytree(made(kind, form), shell.directory / "release"))
    told = manifest_of(release)
    for file in told["files"]:
        if "table" in file:
            name = file["name"].replace(file["table"], "ann", 1)
            (release / file["name"]).rename(release / name)
            file |= {"name": name, "table": "ann"}
    seal(release, told)
    assert "files[0].table must be " in one_line(shell("audit", "release"))


def test_a_part_called_after_a_person(made: Maker, shell: Shell):
    release = Path(shutil.copytree(made("bags", "parquet"), shell.directory / "release"))
    told = manifest_of(release)
    (release / "records.parquet").rename(release / "records_ann.parquet")
    told["files"][0] |= {"name": "records_ann.parquet", "part": "ann"}
    seal(release, told)
    assert "files[0].part is not a part of a table of bags" in one_line(shell("audit", "release"))


@pytest.mark.parametrize(("kind", "raw"), [("profiles", "rows"), ("groups", "bags")])
def test_a_second_table_under_the_name_of_the_first(made: Maker, shell: Shell, kind: str, raw: str):
    release = Path(shutil.copytree(made(kind, "csv"), shell.directory / "release"))
    told = manifest_of(release)
    first = told["files"][0]
    if "part" not in first:
        (release / first["name"]).rename(release / f"{first['table']}_00002.csv")
        first |= {"name": f"{first['table']}_00002.csv", "part": "00002"}
    name = f"{first['table']}.csv"
    (release / name).write_text("record,items\n1,ann;hiv\n" if raw == "bags" else "user,query\nann,hiv\n")
    facts = {"name": name, "table": first["table"], "kind": raw, "rows": 1, "format": "csv", "sha256": "0" * 64}
    counts = dict.fromkeys(("occurrences", "items", "different", "groups", "profiles"), 1)
    shape = {"separator": ";"} if raw == "bags" else {"columns": {"user": "text", "query": "text"}}
    told["files"].insert(0, facts | counts | shape)
    seal(release, told)
    renew(release)
    assert "tables of two kinds under one name" in one_line(shell("audit", "release"))
    with refuses("duplicate-table"):
        read_tables(release, told["files"][:-1])


@pytest.mark.parametrize(("kind", "form"), [("access log", "accesslog"), ("profiles", "csv"), ("weighted bags", "csv")])
def test_a_second_part_of_a_table_of_one_file(made: Maker, shell: Shell, kind: str, form: str):
    release = Path(shutil.copytree(made(kind, form), shell.directory / "release"))
    told = manifest_of(release)
    first = told["files"][0]
    name = first["name"].replace(".", "_00002.", 1)
    shutil.copy(release / first["name"], release / name)
    told["files"].insert(1, first | {"name": name, "part": "00002"})
    seal(release, told)
    assert f"files[1].part is not a part of a table of {kind}" in one_line(shell("audit", "release"))


@pytest.mark.parametrize(("kind", "file"), [("weighted bags", 0), ("groups", 0)])
@pytest.mark.parametrize("separator", [None, "", "ann", "\n", "\u00e9"])
def test_a_separator_that_is_none(made: Maker, shell: Shell, kind: str, file: int, separator: str | None):
    release = Path(shutil.copytree(made(kind, "csv"), shell.directory / "release"))
    told = manifest_of(release)
    facts = told["files"][file]
    if facts.pop("separator") and separator is not None:
        facts["separator"] = separator
    seal(release, told)
    words = "is missing" if separator is None else "must be one ASCII character"
    assert f"files[{file}].separator {words}" in one_line(shell("audit", "release"))


def _in_two_files(release: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Records of the long layout in two files, the second changed."""
    told = manifest_of(release)
    frame = pl.read_csv(release / "records.csv", infer_schema=False)
    half = int(frame["record"].cast(int).max() or 0) // 2  # type: ignore[arg-type]
    number = pl.col("record").cast(int)
    frame.filter(number <= half).write_csv(release / "records.csv")
    second = change(frame.filter(number > half).with_columns((number - half).cast(str).alias("record")))
    second.write_csv(release / "records_00002.csv")
    shape = {key: told["files"][0][key] for key in ("format", "table", "kind", "layout")}
    _add_parts(release, [{**shape, "rows": len(second), "name": "records_00002.csv", "part": "00002", "sha256": "0" * 64}])


def _add_parts(release: Path, parts: list[dict[str, Any]]) -> None:
    told = manifest_of(release)
    told["files"][1:1] = parts
    seal(release, told)
    renew(release)


@pytest.mark.parametrize("form", ["parquet", "parquet long", "jsonl"])
@pytest.mark.parametrize(("shift", "holds"), [(0, True), (7, False)], ids=["going on", "with a gap"])
def test_record_numbers_may_go_on_from_file_to_file(copied: Callable[[str, str], Path], form: str, shift: int, holds: bool):
    """As a cluster writes them; any other numbers could name people."""
    release = copied("bags", form)
    (file,) = (fact for fact in manifest_of(release)["files"] if fact.get("table") == "records")
    whole = pl.read_ndjson(release / file["name"]) if form == "jsonl" else pl.read_parquet(release / file["name"])
    half = len(whole) // 2 if "long" not in form else int((whole["record"] <= len(whole) // 8).sum())
    second = whole[half:].with_columns(pl.col("record") + shift)
    for name, frame in ((file["name"], whole[:half]), (f"records_00002.{file['format']}", second)):
        (frame.write_ndjson if form == "jsonl" else frame.write_parquet)(release / name)
    parts = [file | {"name": f"records_00002.{file['format']}", "part": "00002"}]
    _add_parts(release, parts)
    found = shoal.audit(release)
    extra = [witness for check in found.checks for witness in check.witnesses if "'record' is not covered by any claim" in witness]
    assert bool(extra) != holds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.with_columns(level=pl.lit("7777")), "'level' is not covered by any claim"),
        (lambda frame: frame.select("record", "count", "item", "level"), "the columns of the records are in another order"),
    ],
    ids=["levels", "order of columns"],
)
def test_a_mark_in_the_second_file_of_a_table(
    copied: Callable[[str, str], Path], change: Callable[[pl.DataFrame], pl.DataFrame], words: str
):
    release = copied("bags", "csv long")
    _in_two_files(release, change)
    found = shoal.audit(release)
    assert words in " | ".join(witness for check in found.checks for witness in check.witnesses)


def test_equal_levels_in_both_files_of_a_table(copied: Callable[[str, str], Path]):
    release = copied("bags", "csv long")
    _in_two_files(release, lambda frame: frame)
    found = shoal.audit(release)
    assert "level" not in " | ".join(witness for check in found.checks for witness in check.witnesses)
