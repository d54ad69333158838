"""Files that name or weigh items."""

from __future__ import annotations

import gzip
from decimal import Decimal

import pytest

from helpers.errors import error, refuses
from shoal.io.read.parameter_files import read_items, read_weights, with_files_read
from shoal.methods import Cohesion, Partition
from shoal.privacy import Coherence


def test_names_one_a_line(tmp_path):
    file = tmp_path / "private.txt"
    file.write_bytes("\ufeffflu\r\nhay fever\n\n  cold \nflu\n".encode())
    assert read_items(file).names == {"flu", "hay fever", "cold"}
    assert read_items(file).described == "a file"


def test_compressed_names(tmp_path):
    file = tmp_path / "private.txt.gz"
    file.write_bytes(gzip.compress(b"flu\ncold"))
    assert read_items(file).names == {"flu", "cold"}


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\n \n", "items-not-named"), (b"a\xff\xfe\n", error("defective-rows", rows={"not UTF-8": [1]})), (b"", "empty-input")],
)
def test_files_that_name_nothing(tmp_path, content: bytes, says: str):
    file = tmp_path / "items"
    file.write_bytes(content)
    with refuses(says):
        read_items(file)


def test_weights(tmp_path):
    file = tmp_path / "weights.tsv"
    file.write_text("red wine\t0.5\nbeer\t2\n")
    assert read_weights(file).weights == (("red wine", Decimal("0.5")), ("beer", Decimal(2)))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("beer 2\n", "unreadable-line"),
        ("beer\t2\nwine\tmuch\n", "out-of-range"),
        ("beer\t-1\n", "out-of-range"),
        ("beer\t1\nbeer\t2\n", "duplicate-item"),
        ("\n", "items-not-named"),
    ],
)
def test_bad_weights(tmp_path, content: str, says: str):
    file = tmp_path / "weights.tsv"
    file.write_text(content)
    with refuses(says):
        read_weights(file)


def test_files_of_parameters_are_read(tmp_path):
    (tmp_path / "private.txt").write_text("flu\n")
    (tmp_path / "w.tsv").write_text("a\t1\n")
    private = str(tmp_path / "private.txt")
    method = with_files_read(Cohesion(private=private, il="weights", weights=str(tmp_path / "w.tsv")))
    assert method.private.names == {"flu"}
    assert method.weights.weights == (("a", Decimal(1)),)
    assert with_files_read(Coherence(private=private)).private.names == {"flu"}
    assert with_files_read(method) is method
    plain = Partition(k=3)
    assert with_files_read(plain) is plain
