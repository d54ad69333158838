"""Opening files: what they are is told by their content, what is wrong with them in one line."""

from __future__ import annotations

import gzip
import os

import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import error, refuses
from helpers.files import written
from shoal.errors import InputError
from shoal.io.read import source as module
from shoal.io.read.source import Source


def content(path, take=len):
    """All bytes of a file, taken chunk by chunk."""
    out = b""
    for chunk in Source.of(path).chunks():
        chunk.taken = take(chunk.text)
        out += chunk.text[: chunk.taken]
    return out


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_packed_files_are_read_as_they_are(tmp_path, name):
    text = b"one\ntwo\n" * 1000
    path = written(tmp_path, name, text)
    renamed = path.rename(tmp_path / "name-that-tells-nothing")
    assert content(renamed) == text


def test_packed_files_may_have_several_parts(tmp_path):
    two = tmp_path / "two.gz"
    two.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert content(two) == b"one\ntwo\n"
    three = tmp_path / "three.zst"
    three.write_bytes(b"".join(zstandard.compress(p) for p in (b"one\n", b"", b"two\n")))
    assert content(three) == b"one\ntwo\n"


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
def test_a_truncated_file_is_refused(tmp_path, name):
    path = written(tmp_path, name, os.urandom(100_000).hex())
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with refuses("truncated-file"):
        content(path)


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
def test_a_damaged_file_is_refused(tmp_path, name):
    path = written(tmp_path, name, "")
    text = os.urandom(100_000).hex().encode()
    packed = {"a.gz": gzip.compress, "a.zst": zstandard.ZstdCompressor(write_checksum=True).compress}[name](text)
    raw = bytearray(packed)
    raw[50:5000] = bytes(4950)
    path.write_bytes(raw)
    with refuses("damaged-file"):
        content(path)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "empty-input"),
        (b"\xef\xbb\xbf", "empty-input"),
        (gzip.compress(b"", mtime=0), "empty-input"),
        (zstandard.compress(b""), "empty-input"),
        (bytes(range(256)) * 10, "not-plain-text"),
        (b"PK\x03\x04" + bytes(100), error("not-plain-text", found="a zip archive or a spreadsheet")),
        ("user,item\n".encode("utf-16"), error("not-plain-text", found="encoded in UTF-16")),
        (gzip.compress(b"\0" * 1000, mtime=0), "not-plain-text"),
        (b"BZh91AY&SY" + bytes(30), error("not-plain-text", found="compressed with bzip2")),
        (b"user,item\r1,a\r", "unsupported-line-ends"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, raw, says):
    path = tmp_path / "input"
    path.write_bytes(raw)
    with refuses(says) as caught:
        Source.of(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    with refuses("file-not-found"):
        Source.of(tmp_path / "absent")
    with refuses("path-is-a-directory"):
        Source.of(tmp_path)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refuses("not-a-regular-file"):
        Source.of(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path):
    path = written(tmp_path, "a", "x")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        Source.of(path)


def test_parquet_is_told_by_both_ends(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "real")
    assert Source.of(tmp_path / "real").is_parquet
    assert not Source.of(written(tmp_path, "text", "PAR1 PAR2\nPAR3\n")).is_parquet
    (tmp_path / "packed.gz").write_bytes(gzip.compress((tmp_path / "real").read_bytes()))
    with refuses("compressed-parquet"):
        Source.of(tmp_path / "packed.gz")


def test_text_that_begins_like_a_packed_file_is_text(tmp_path):
    assert content(written(tmp_path, "a", "BZh ORC %PDF\n")) == b"BZh ORC %PDF\n"


def test_a_byte_order_mark_is_no_content(tmp_path):
    path = written(tmp_path, "a", b"\xef\xbb\xbfone\n")
    assert content(path) == b"one\n"
    assert Source.of(path).head == b"one\n"


@given(st.binary(min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 5), st.booleans())
@settings(deadline=None, max_examples=60)
def test_what_is_not_taken_comes_again(tmp_path_factory, raw, chunk, step, marked):
    text = b"t" + raw.hex().encode()
    path = tmp_path_factory.mktemp("source") / "a"
    path.write_bytes((b"\xef\xbb\xbf" if marked else b"") + text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        out, rest = b"", b""
        for piece in Source.of(path).chunks():
            assert piece.text.startswith(rest)
            piece.taken = len(piece.text) if piece.last else min(len(piece.text), step)
            out, rest = out + piece.text[: piece.taken], piece.text[piece.taken :]
        assert out == text


def test_an_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 100)
    monkeypatch.setattr(module, "LONGEST_LINE", 1 << 20)
    path = written(tmp_path, "a", b"x" * 1_200_000)
    with refuses("line-too-long"):
        content(path, take=lambda _: 0)
