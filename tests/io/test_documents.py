"""Documents from folders, text files, JSON lines, Parquet and frames: whose they are, what is counted, what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.documents import json_lines
from helpers.errors import refuses
from shoal.data.log import Log
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.options import ReadOptions


def documents(data: Any, **said: Any) -> Reading:
    return read(data, ReadOptions(format="documents", **said))


def texts(reading: Reading) -> list[str]:
    assert isinstance(reading.data, Log)
    return reading.data.frame["payload"].to_list()


def owners(reading: Reading) -> list[int]:
    assert isinstance(reading.data, Log)
    return reading.data.frame["owner"].to_list()


def folder(place: Path, **files: bytes) -> Path:
    directory = place / "papers"
    (directory / "more").mkdir(parents=True)
    for name, content in files.items():
        (directory / name.replace("__", "/").replace("_", ".")).write_bytes(content)
    return directory


def test_every_file_of_a_folder_is_a_document_and_its_own_owner(tmp_path: Path) -> None:
    place = folder(tmp_path, b_txt=b"two\nlines", a_txt="\ufeffone".encode(), more__c_txt=b"three", z_gz=gzip.compress(b"packed"))
    (place / ".hidden").write_text("not seen")
    found = documents(place)
    assert texts(found) == ["one", "two\nlines", "packed", "three"]
    assert owners(found) == [0, 1, 2, 3]
    assert "each document counts as a separate user" in found.notes[0]
    assert found.rows.as_dict() == {"in": 4, "used": 4}


def test_files_that_are_not_text_are_counted_and_with_strict_refused(tmp_path: Path) -> None:
    place = folder(tmp_path, **{f"d{n}_txt": b"dog" for n in range(30)}, x_txt=b"\xff\xfd", y_txt=b"a\0b", e_txt=b"")
    found = documents(place)
    assert found.rows.as_dict() == {"in": 33, "used": 31, "malformed: not UTF-8": 1, "malformed: not text": 1}
    assert found.empty_texts == 1
    with refuses("defective-rows"):
        documents(place, strict=True)


def test_many_files_that_are_not_text_are_refused(tmp_path: Path) -> None:
    with refuses("too-many-malformed-rows"):
        documents(folder(tmp_path, a_txt=b"dog", b_txt=b"\xff"))


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with refuses("empty-directory"):
        documents(folder(tmp_path))


def test_text_files_are_named_one_by_one(tmp_path: Path) -> None:
    place = folder(tmp_path, a_txt=b"one", b_txt=b"two")
    assert texts(documents([place / "a.txt", place / "b.txt"])) == ["one", "two"]


def test_json_lines_have_texts_and_perhaps_authors(tmp_path: Path) -> None:
    place = tmp_path / "d.jsonl"
    place.write_text(json_lines(["one\ntext", "two", "three"], writtenby=["ann", "ben", "ann"]))
    assert texts(documents(place)) == ["one\ntext", "two", "three"]
    assert owners(documents(place)) == [0, 1, 2]
    assert owners(documents(place, user="writtenby")) == [0, 1, 0]


@pytest.mark.parametrize("name", ["author", "user_id"])
def test_a_column_of_authors_is_not_passed_over(tmp_path: Path, name: str) -> None:
    place = tmp_path / "d.jsonl"
    place.write_text(json_lines(["one", "two"], **{name: ["ann", "ann"]}))
    with refuses("user-column-unclear"):
        documents(place)
    assert owners(documents(place, user=name)) == [0, 0]
    assert owners(documents(place, user="id")) == [0, 1]


def test_the_author_is_not_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json_lines(["x"]))
    with refuses("column-role-conflict"):
        read(tmp_path / "a.jsonl", ReadOptions(format="documents", user="text"))


def test_a_document_without_its_author_is_a_defect(tmp_path: Path) -> None:
    place = tmp_path / "d.jsonl"
    place.write_text(json_lines(["one"] * 20, author=["ann"] * 19 + [None]) + "not json\n")
    assert documents(place, user="author").rows.as_dict() == {"in": 21, "used": 19, "malformed: not JSON": 1, "malformed: no user": 1}


def test_authors_written_alike_are_asked_about(tmp_path: Path) -> None:
    place = tmp_path / "d.jsonl"
    place.write_text(json_lines(["one", "two"], author=["ann", "Ann"]))
    with refuses("user-spelling-unclear", written=2, folded=1):
        documents(place, user="author")
    assert owners(documents(place, user="author", owners="folded")) == [0, 0]


def test_frames_and_parquet_are_read_as_json_lines_are(tmp_path: Path) -> None:
    frame = pl.DataFrame({"body": ["one", None], "n": [1, 2]})
    frame.write_parquet(tmp_path / "d.parquet")
    for data in (frame, tmp_path / "d.parquet"):
        found = documents(data, text="body")
        assert texts(found) == ["one", ""]
        assert found.empty_texts == 1
    with refuses("missing-column", columns=["body", "n"]):
        documents(frame)


def test_what_is_not_for_documents_is_refused(tmp_path: Path) -> None:
    with refuses("option-not-applicable"):
        ReadOptions(format="documents", sep=",")
    with refuses("missing-column"):
        documents(folder(tmp_path, a_txt=b"one"), user="author")
