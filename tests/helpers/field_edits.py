"""Edits of the fields of published tables.

Files are written again as shoal writes them, and all digests are renewed, so that nothing but the content gives an edit away.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from helpers.tampering import edit, manifest_of, renew, seal, together
from shoal.io.published_frames import sheet_frame
from shoal.io.write.frame_files import frame_bytes

Tamper = Callable[[Path], None]
Change = Callable[[pl.DataFrame], pl.DataFrame]


def read(file: Path) -> pl.DataFrame:
    if file.suffix == ".parquet":
        return pl.read_parquet(file)
    if file.suffix == ".jsonl":
        return pl.read_ndjson(file, infer_schema_length=None)
    if file.suffix == ".xlsx":
        return sheet_frame(file)
    return pl.read_csv(io.BytesIO(file.read_bytes()), infer_schema=False)


def table(change: Change, name: str = "") -> Tamper:
    """Another content of the file whose name begins so, in the form in which shoal writes it."""

    def tamper(release: Path) -> None:
        names = [told["name"] for told in manifest_of(release)["files"] if "table" in told and told["name"].startswith(name)]
        file = release / names[0]
        form = {".parquet": "parquet", ".jsonl": "jsonl", ".xlsx": "xlsx"}.get(file.suffix, "csv")
        file.write_bytes(frame_bytes(change(read(file)), form))
        renew(release)

    return tamper


def declared(columns: dict[str, str], name: str = "") -> Tamper:
    """The manifest says that the file has these columns."""

    def tamper(release: Path) -> None:
        told = manifest_of(release)
        file = next(file for file in told["files"] if "table" in file and file["name"].startswith(name))
        file["columns"] = columns
        seal(release, told)

    return tamper


def column(values: Callable[[int], Any], at: int, name: str = "name", file: str = "", type: str = "text") -> Tamper:
    """A further column in a file, at this place, and in the manifest."""

    def tamper(release: Path) -> None:
        def change(frame: pl.DataFrame) -> pl.DataFrame:
            more = pl.Series(name, [values(i) for i in range(len(frame))])
            return frame.insert_column(at if at >= 0 else frame.width + 1 + at, more)

        table(change, file)(release)
        told = manifest_of(release)
        entry = next(entry for entry in told["files"] if "table" in entry and entry["name"].startswith(file))
        if "columns" in entry:
            columns = list(entry["columns"].items())
            columns.insert(at if at >= 0 else len(columns) + 1 + at, (name, type))
            entry["columns"] = dict(columns)
        seal(release, told)

    return tamper


def people(i: int) -> str:
    return f"ann{i}"


def columns_in(order: list[str], file: str = "") -> Tamper:
    """The columns of a file in another order, in the manifest too."""

    def tamper(release: Path) -> None:
        table(lambda frame: frame.select(order), file)(release)
        told = manifest_of(release)
        entry = next(entry for entry in told["files"] if "table" in entry and entry["name"].startswith(file))
        if "columns" in entry:
            entry["columns"] = {name: entry["columns"][name] for name in order}
        seal(release, told)

    return tamper


def mapped(column: str, change: Callable[[Any], Any], file: str = "") -> Tamper:
    """Other values of a column, each a function of what stood there."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        values = pl.Series(column, [change(value) for value in frame[column].to_list()], dtype=frame.schema[column])
        return frame.with_columns(values)

    return table(work, file)


def first_cell(column: str, value: Any, file: str = "") -> Tamper:
    """Another value in the first row."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        return frame.with_columns(pl.Series(column, [value, *values[1:]], dtype=frame.schema[column]))

    return table(work, file)


def everywhere(column: str, before: Any, after: Any, file: str = "") -> Tamper:
    """One value replaced wherever it stands."""
    return mapped(column, lambda value: after if value == before else value, file)


def most_frequent(column: str, after: Any, file: str = "") -> Tamper:
    """The value that most rows have replaced wherever it stands, so that as many rows are alike as before."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        before = frame[column].drop_nulls().value_counts(sort=True)[column][0]
        values = [after if value == before else value for value in frame[column].to_list()]
        return frame.with_columns(pl.Series(column, values, dtype=frame.schema[column]))

    return table(work, file)


def lines(change: Callable[[list[str]], list[str]]) -> Tamper:
    """Other lines in an access log."""

    def tamper(release: Path) -> None:
        file = release / "access.log"
        file.write_text("".join(f"{text}\n" for text in change(file.read_text().splitlines())))
        renew(release)

    return tamper


def line(pattern: str, after: str | Callable[[re.Match[str]], str]) -> Tamper:
    """Every line of an access log with a match replaced."""
    return lines(lambda every: [re.sub(pattern, after, text, count=1) for text in every])


def by_number(pattern: str, after: Callable[[int], str]) -> Tamper:
    """The same, by the number of the line."""
    return lines(lambda every: [re.sub(pattern, lambda _, i=i: after(i), text, count=1) for i, text in enumerate(every)])


def topic(text: str) -> int:
    """The number in a query, a page or an item of the test data: neighbours in the original have neighbouring ones."""
    found = re.search(r"(\d+)", text)
    return int(found.group(1)) if found else 0


def renumbered(numbers: str, values: str, file: str = "", key: Callable[[str], int] = topic) -> Tamper:
    """Pseudonyms from 1 on in the order of what stands under them, as they stand in the original."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        whole: dict[Any, list[int]] = {}
        for number, value in frame.select(numbers, values).iter_rows():
            whole.setdefault(number, []).append(key(value or ""))
        ranked = sorted(whole, key=lambda number: sum(whole[number]) / len(whole[number]))
        place = {number: i + 1 for i, number in enumerate(ranked)}
        return frame.with_columns(pl.Series(numbers, [place[n] for n in frame[numbers]]).cast(frame.schema[numbers]))

    return table(work, file)


def in_order(values: str, file: str = "", numbered: str = "", key: Callable[[str], int] = topic) -> Tamper:
    """The rows in the order of a value, as they stand in the original; record numbers count them."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        texts = [";".join(value) if isinstance(value, (list, pl.Series)) else str(value) for value in frame[values].to_list()]
        order = sorted(range(len(frame)), key=lambda i: key(texts[i]))
        mixed = frame[order]
        if numbered:
            mixed = mixed.with_columns(pl.Series(numbered, range(1, len(frame) + 1)).cast(frame.schema[numbered]))
        return mixed

    return table(work, file)


def addresses_in_order(every: list[str]) -> list[str]:
    """Addresses numbered from 1 on in the order of the pages under them."""
    pages: dict[str, list[int]] = {}
    for text in every:
        pages.setdefault(text.split(" ", 1)[0], []).append(topic(text.split('"')[1]))
    ranked = sorted(pages, key=lambda address: sum(pages[address]) / len(pages[address]))
    place = {address: f"10.0.0.{i + 1}" for i, address in enumerate(ranked)}
    return [f"{place[text.split(' ', 1)[0]]} {text.split(' ', 1)[1]}" for text in every]


def shuffled_addresses(every: list[str]) -> list[str]:
    """Other random addresses of the network 10.0.0.0/8."""
    rng = random.Random(1)
    known = sorted({text.split(" ", 1)[0] for text in every})
    drawn = {address: f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}" for address in known}
    return [f"{drawn[text.split(' ', 1)[0]]} {text.split(' ', 1)[1]}" for text in every]


def table_key(key: str, value: Any) -> Tamper:
    def change(told: dict[str, Any]) -> None:
        told["files"][0][key] = value

    return edit(change)


def kept_too(name: str) -> Tamper:
    """The manifest says that this column of microdata is left as it is."""

    def change(told: dict[str, Any]) -> None:
        told["input"]["left_as_they_are"] = [*told["input"].get("left_as_they_are", []), name]

    return edit(change)


def json_lines(change: Callable[[int, dict[str, Any]], dict[str, Any]]) -> Tamper:
    """Every object of a file of JSON lines changed."""

    def tamper(release: Path) -> None:
        (file,) = release.glob("log.jsonl")
        rows = [json.loads(text) for text in file.read_text().splitlines()]
        told = [json.dumps(change(i, row), separators=(",", ":")) for i, row in enumerate(rows)]
        file.write_text("\n".join(told) + "\n")
        renew(release)

    return tamper


def twice(release: Path) -> None:
    """One key of the first line given twice."""
    file = release / "log.jsonl"
    first, *rest = file.read_text().splitlines()
    file.write_text("\n".join([first.replace('{"query"', '{"query":"ann lee","query"', 1), *rest]) + "\n")
    renew(release)


def without(column: str) -> Tamper:
    """A file without a column, which the manifest does not list either."""

    def tamper(release: Path) -> None:
        table(lambda frame: frame.drop(column))(release)
        told = manifest_of(release)
        del told["files"][0]["columns"][column]
        seal(release, told)

    return tamper


def numbers(column: str, change: Callable[[int], int], *files: str) -> Tamper:
    """Other numbers in a column, the same in all these files."""
    return together(*(mapped(column, lambda value: str(change(int(value))), file) for file in files))


def first_weight(release: Path) -> None:
    """Another first weight in the first vector."""

    def work(frame: pl.DataFrame) -> pl.DataFrame:
        first, *rest = frame["weights"].to_list()
        parts = first.split(";")
        return frame.with_columns(pl.Series("weights", [";".join(["0.078", *parts[1:]]), *rest]))

    table(work)(release)


def towns_turned(frame: pl.DataFrame) -> pl.DataFrame:
    """Every value of a kept column one row further."""
    towns = frame["town"].to_list()
    return frame.with_columns(pl.Series("town", [*towns[1:], towns[0]]))
