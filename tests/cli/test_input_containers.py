"""Data in a JSON array, in a zip archive, or in all files of a directory: the release is that of a plain file."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.cli import Answer, Shell, one_line
from helpers.errors import refuses
from shoal.errors import InputError
from shoal.io.read import json_array
from shoal.io.read.source import Source

ITEMS = ("Apple", "Milk", 'Egg "L"', "Öl")
ROWS = [{"user": f"u{user}", "item": ITEMS[(user + i) % 4]} for user in range(24) for i in range(2)]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
ANONYMIZE = ("--method", "km", "--k", "2", "--m", "1", "--taxonomy", "generated", "--to", "csv")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def packed(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in members.items():
            archive.writestr(name, held)
    return content.getvalue()


def released(shell: Shell, *words: str) -> list[str]:
    """The records of the release of this input, without their order."""
    out = f"release-{len(shell.names())}"
    made = shell("anonymize", *words, *ANONYMIZE, "--out", out)
    assert made.code == 0, made
    return sorted(line.partition(",")[2] for line in (shell.directory / out / "records.csv").read_text().splitlines())


def refusal(shell: Shell, name: str) -> tuple[str, str]:
    """The code of the error and the line that is printed."""
    line = one_line(shell("look", name))
    with pytest.raises(InputError) as refused:
        shoal.read(name)
    return refused.value.code, line


# -- JSON arrays


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_is_read_like_json_lines(shell: Shell, indent: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "PIECE", 50)  # elements, and characters, lie across pieces
    shell.file("lines.jsonl", LINES)
    shell.file("array.json", "\ufeff " + json.dumps(ROWS, ensure_ascii=False, indent=indent) + "\n")
    assert released(shell, "array.json", "--memory", "600M") == released(shell, "lines.jsonl")
    looked = shell("look", "array.json")
    assert "a JSON array" in looked.err


def test_elements_that_are_no_rows_are_counted_by_their_number(shell: Shell) -> None:
    shell.file("array.json", json.dumps([*ROWS, ["u1", "Apple"], 7]))
    found = shoal.read("array.json")
    assert found.rows.as_dict()["malformed: not a JSON object"] == 2
    with refuses("defective-rows", rows={"not a JSON object": [49, 50]}):
        shoal.read("array.json", strict=True)


BROKEN = {
    "truncated": (json.dumps(ROWS)[:-30], "invalid-json"),
    "not closed": (json.dumps(ROWS)[:-1], "invalid-json"),
    "no comma": (json.dumps(ROWS).replace("}, {", "} {"), "invalid-json"),
    "something behind it": (json.dumps(ROWS) + "{}", "invalid-json"),
    "lists": ('[["u1", "Apple"]]', "not-json-lines"),
    "empty": ("[ ]", "empty-input"),
    "one object": (json.dumps({"rows": ROWS}, indent=1), "not-json-lines"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_other_json_is_refused_without_its_content(shell: Shell, case: str) -> None:
    content, code = BROKEN[case]
    shell.file("data.json", content)
    found, line = refusal(shell, "data.json")
    assert found == code
    assert "Apple" not in line.partition("hint")[0].partition("(")[0]


def test_prompts_may_be_an_array(shell: Shell) -> None:
    turns = [{"role": "user", "content": "weather"}, {"role": "assistant", "content": "fine"}]
    shell.file("conversations.json", json.dumps([{"user": f"u{n}", "conversation": turns} for n in range(3)], indent=1))
    assert shoal.read("conversations.json").format == "prompts"


# -- zip archives


def test_the_one_file_in_a_zip_archive_is_read(shell: Shell) -> None:
    shell.file("lines.jsonl", LINES)
    shell.file("data.zip", packed({"data/": b"", "data/lines.jsonl": LINES.encode(), "__MACOSX/._lines.jsonl": b"\0\5"}))
    assert released(shell, "data.zip", "--memory", "600M") == released(shell, "lines.jsonl")
    shell.file("utf16.zip", packed({"a.json": json.dumps(ROWS).encode("utf-16")}))
    assert released(shell, "utf16.zip") == released(shell, "lines.jsonl")


def test_other_archives_are_refused_by_count_alone(shell: Shell) -> None:
    shell.file("two.zip", packed({"secret-a.csv": b"x", "secret-b.csv": b"y"}))
    code, line = refusal(shell, "two.zip")
    assert code == "several-zip-members"
    assert "2 files" in line
    assert "secret" not in line
    shell.file("none.zip", packed({"folder/": b""}))
    assert refusal(shell, "none.zip")[0] == "several-zip-members"
    table = io.BytesIO()
    pl.DataFrame(ROWS).write_parquet(table)
    shell.file("parquet.zip", packed({"a.parquet": table.getvalue()}))
    assert refusal(shell, "parquet.zip")[0] == "compressed-parquet"
    whole = packed({"a.jsonl": LINES.encode() * 100})
    shell.file("damaged.zip", whole[:100] + b"\xff" * 30 + whole[130:])
    assert refusal(shell, "damaged.zip")[0] == "damaged-file"
    shell.file("encrypted.zip", bytes(whole).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"))
    assert refusal(shell, "encrypted.zip")[0] == "encrypted-archive"


# -- directories


def parts(shell: Shell, *names: str) -> Path:
    """A directory with the rows in files of these names."""
    place = shell.directory / "parts"
    place.mkdir()
    for number, name in enumerate(names):
        (place / name).write_text("".join(line + "\n" for line in LINES.splitlines()[number :: len(names)]))
    return place


def test_a_directory_is_read_as_its_files_by_name(shell: Shell) -> None:
    place = parts(shell, "2.jsonl", "1.jsonl")
    (place / "_SUCCESS").touch()
    (place / ".1.jsonl.crc").write_text("x")
    (place / "README.md").write_text("about these files")
    shell.file("lines.jsonl", LINES)
    assert released(shell, "parts") == released(shell, "lines.jsonl")
    looked: Answer = shell("look", "parts")
    assert "2 files are read as one log" in looked.err
    assert all(name in looked.err for name in ("'_SUCCESS'", "'.1.jsonl.crc'", "'README.md'"))
    assert shoal.read("parts").files == 2
    assert shoal.read("parts/").data.frame["payload"][0] == json.loads((place / "1.jsonl").read_text().splitlines()[0])["item"]


def test_rotated_logs_and_parts_without_suffix_are_data(shell: Shell) -> None:
    place = parts(shell, "rows.log", "rows.log.1", "rows.log-20240501")
    assert shoal.read(place).files == 3
    for number, file in enumerate(list(place.iterdir())):
        file.rename(place / f"part-{number:05}")
    assert shoal.read(place).files == 3


def test_a_directory_that_is_not_plainly_one_input_is_refused(shell: Shell) -> None:
    place = parts(shell, "1.jsonl", "2.csv")
    code, line = refusal(shell, "parts")
    assert code == "several-formats"
    assert "1 csv, 1 jsonl" in line
    shell.file("parts/manifest.json", "{}")
    assert "it is a release: name the file it was made from" in refusal(shell, "parts")[1]
    (place / "manifest.json").unlink()
    (place / "2.csv").unlink()
    (place / "2024").mkdir()
    assert refusal(shell, "parts")[0] == "nested-directory"
    (place / "2024").rmdir()
    (place / "1.jsonl").rename(place / ".hidden.jsonl")
    assert refusal(shell, "parts")[0] == "empty-directory"


def test_links_that_lead_out_of_the_directory_are_refused(shell: Shell) -> None:
    place = parts(shell, "1.jsonl")
    shell.file("secret.jsonl", LINES)
    (place / "2.jsonl").symlink_to(shell.directory / "secret.jsonl")
    assert refusal(shell, "parts")[0] == "link-out-of-directory"
    (place / "2.jsonl").unlink()
    (place / "2.jsonl").symlink_to("1.jsonl")  # the same rows twice
    assert refusal(shell, "parts")[0] == "input-named-twice"
    (place / "2.jsonl").unlink()
    (shell.directory / "linked").symlink_to(place)  # the user names this one
    assert shoal.read("linked").files == 1


def test_a_release_is_no_place_for_archives_and_arrays(shell: Shell) -> None:
    """What is verified is the file that is published, not what may be unpacked of it."""
    for name, content in (("a.zip", packed({"a.txt": b"Apple\nApple\n"})), ("u.txt", "Apple\nApple\n".encode("utf-16"))):
        shell.file(name, content)
        with pytest.raises(InputError) as refused:
            Source.of(shell.directory / name)
        assert refused.value.code == "not-plain-text"
