"""Text in other encodings than UTF-8: by its byte order mark, or as the user says; never guessed, and read as a stream."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import shoal
from helpers.cli import Shell, one_line
from shoal.errors import InputError, ParameterError
from shoal.io.read.encodings import PIECE, transcoded
from shoal.io.read.source import Source

ITEMS = ("Äpfel", "Käse", "Müsli", "Öl")
ROWS = "user;item\n" + "".join(f"ü{user};{ITEMS[(user + i) % 4]}\n" for user in range(24) for i in range(2))
ANONYMIZE = ("--method", "km", "--k", "2", "--m", "1", "--taxonomy", "generated", "--to", "csv")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def items_of(release: Path) -> list[str]:
    return sorted(line.partition(",")[2] for line in (release / "records.csv").read_text().splitlines())


@pytest.mark.parametrize(
    ("content", "option"),
    [
        (b"\xff\xfe" + ROWS.encode("utf-16-le"), None),
        (b"\xfe\xff" + ROWS.encode("utf-16-be"), None),
        (gzip.compress(b"\xff\xfe" + ROWS.encode("utf-16-le")), "utf-16"),
        (ROWS.encode("utf-32"), None),
        (ROWS.encode("utf-16-be"), "UTF-16BE"),
        (ROWS.encode("latin-1"), "latin-1"),
        (b"\xef\xbb\xbf" + ROWS.encode(), "utf-8"),
    ],
)
def test_every_encoding_gives_the_release_of_utf8(shell: Shell, content: bytes, option: str | None) -> None:
    shell.file("plain.csv", ROWS)
    shell.file("other.csv", content)
    typed = () if option is None else ("--encoding", option)
    assert shell("anonymize", "plain.csv", *ANONYMIZE, "--out", "a").code == 0
    assert shell("anonymize", "other.csv", *ANONYMIZE, *typed, "--out", "b", "--memory", "600M").code == 0
    assert items_of(shell.directory / "a") == items_of(shell.directory / "b")
    # The original is read as the release was made, without the option.
    audited = shell("audit", "b", "--original", "other.csv", "--json")
    assert audited.code == 0, audited
    assert shell("attack", "other.csv", "b", "-a", "known-items", "--targets", "5", "--json").code == 0


def test_a_mark_is_announced_and_the_encoding_is_recorded(shell: Shell) -> None:
    shell.file("log.csv", b"\xff\xfe" + ROWS.encode("utf-16-le"))
    assert "encoding utf-16-le, by its byte order mark" in shell("look", "log.csv").err
    shell.file("old.csv", ROWS.encode("cp1252"))
    assert shell("anonymize", "old.csv", *ANONYMIZE, "--encoding", "Windows-1252", "--out", "r").code == 0
    assert json.loads((shell.directory / "r" / "manifest.json").read_text())["input"]["reading"]["encoding"] == "cp1252"


REFUSED = {
    "UTF-16 without a mark": (ROWS.encode("utf-16-le"), (), "byte-order-unknown", "--encoding utf-16-le"),
    "UTF-16 of an unknown order": (ROWS.encode("utf-16-be"), ("--encoding", "utf-16"), "byte-order-unknown", "--encoding utf-16-be"),
    "a mark of something else": (b"\xff\xfe" + ROWS.encode("utf-16-le"), ("--encoding", "latin-1"), "encoding-conflict", "--encoding out"),
    "bytes that are not in it": (ROWS.encode("latin-1"), ("--encoding", "ascii"), "wrong-encoding", "--encoding"),
    "half a character": (b"\xff\xfe" + ROWS.encode("utf-16-le") + b"a", (), "wrong-encoding", "--encoding"),
    "Latin-1 taken for UTF-8": (ROWS.encode("latin-1"), (), "no-usable-rows", "--encoding latin-1"),
    "a header in Latin-1": (ROWS.replace("item", "Größe").encode("latin-1"), (), "not-utf8", "--encoding latin-1"),
    "no such encoding": (ROWS.encode(), ("--encoding", "latin-one"), "unknown-encoding", "latin-1"),
    "no encoding of files": (ROWS.encode(), ("--encoding", "rot13"), "unknown-encoding", "latin-1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_is_guessed(shell: Shell, case: str) -> None:
    content, options, code, hint = REFUSED[case]
    shell.file("log.csv", content)
    line = one_line(shell("look", "log.csv", *options))
    assert hint in line, line
    with pytest.raises((InputError, ParameterError)) as refused:
        shoal.read("log.csv", encoding=options[1] if options else None)
    assert refused.value.code == code


def test_a_few_lines_in_another_encoding_are_counted_with_a_hint(shell: Shell) -> None:
    shell.file("log.csv", "user;item\n" + "u1;Oil\nu2;Milk\n" * 20)
    with (shell.directory / "log.csv").open("ab") as file:
        file.write("u3;Öl\n".encode("latin-1"))
    looked = shell("look", "log.csv")
    assert looked.code == 0
    assert "1 line is not UTF-8" in looked.err
    assert "--encoding latin-1" in looked.err


@pytest.mark.parametrize("data", [[["Milk"], ["Milk"]], "table.parquet"])
def test_what_is_no_text_has_no_encoding(shell: Shell, data: object) -> None:
    import polars as pl

    pl.DataFrame({"user": ["a"], "item": ["Milk"]}).write_parquet("table.parquet")
    with pytest.raises(InputError) as refused:
        shoal.read(data, encoding="latin-1")
    assert refused.value.code == "option-not-applicable"


def test_documents_are_decoded_one_by_one(shell: Shell) -> None:
    (shell.directory / "texts").mkdir()
    shell.file("texts/a.txt", "Käse und Öl".encode("utf-16"))
    shell.file("texts/b.txt", "Käse".encode("latin-1"))
    shell.file("texts/c.txt", "plain")
    found = shoal.read("texts", format="documents", malformed=0.5)
    assert found.data.frame["payload"].to_list() == ["Käse und Öl", "plain"]
    found = shoal.read([Path("texts/b.txt"), Path("texts/c.txt")], format="documents", encoding="latin-1")
    assert found.data.frame["payload"].to_list() == ["Käse", "plain"]


def test_text_is_transcoded_in_pieces(tmp_path: Path) -> None:
    """No more than a piece is asked of the file at once, and a character may lie across two of them."""
    path = tmp_path / "log.txt"
    path.write_bytes(b"a" + "Öl\n".encode() * (PIECE // 2))

    class Watched:
        def __init__(self) -> None:
            self.file, self.largest = path.open("rb"), 0

        def read(self, size: int) -> bytes:
            self.largest = max(self.largest, size)
            return self.file.read(size)

    watched = Watched()
    stream = transcoded(watched, "utf-8", path)  # type: ignore[arg-type]
    assert stream.read() == path.read_bytes()
    assert watched.largest == PIECE
    watched.file.close()
    assert len(Source.of_data(path).head) < PIECE
