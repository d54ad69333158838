"""The first look at delimited text, line by line against plain Python."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal import _kernels, kernels

SOME = settings(deadline=None, max_examples=250)

TOO_FEW, TOO_MANY, NOT_UTF8, BINARY, OPEN_QUOTE = range(1, 6)

plain = [b"a", b"bc", b",", b",", b"\n", b"\r\n", b"\r", b'"', b'""', b" ", "ä€😀".encode()]
wrong = [b"\0", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xe2\x82"]
pieces = st.sampled_from(plain + wrong)
texts = st.lists(pieces, max_size=30).map(b"".join)


@dataclass
class Scan:
    lines: int = 0
    records: int = 0
    consumed: int = 0
    broken: list[tuple[int, int]] = field(default_factory=list)
    clean: bytes = b""


def split_records(text: bytes, quoted: bool) -> list[tuple[bytes, bool]]:
    """Pieces that end with a line end outside quotes; whether each is whole."""
    pieces, start, inside = [], 0, False
    for i in range(len(text)):
        if quoted and text[i : i + 1] == b'"':
            inside = not inside
        elif text[i : i + 1] == b"\n" and not inside:
            pieces.append((text[start : i + 1], True))
            start = i + 1
    return [*pieces, (text[start:], False)] if start < len(text) else pieces


def is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def fields(body: bytes, quoted: bool) -> int:
    outside = body.split(b'"')[::2] if quoted else [body]
    return 1 + sum(part.count(b",") for part in outside)


def defect(body: bytes, fewest: int, most: int, quoted: bool) -> int:
    """The first thing that is wrong, 0 for nothing."""
    if quoted and body.count(b'"') % 2:
        return OPEN_QUOTE
    if b"\0" in body:
        return BINARY
    if not is_utf8(body):
        return NOT_UTF8
    n = fields(body, quoted)
    return TOO_FEW if n < fewest else TOO_MANY if n > most else 0


def twin(text: bytes, fewest: int, most: int, quoted: bool, last: bool) -> Scan:
    scan = Scan()
    for piece, whole in split_records(text, quoted):
        if not whole and not last:
            break
        body = piece.rstrip(b"\r\n")
        wrong = defect(body, fewest, most, quoted) if body else 0
        scan.records += bool(body)
        if wrong:
            scan.broken.append((scan.lines, wrong))
        else:
            scan.clean += piece
        scan.lines += piece.count(b"\n") + (not piece.endswith(b"\n"))
        scan.consumed += len(piece)
    return scan


def scanned(text: bytes, fewest: int, most: int, quoted: bool, last: bool) -> Scan:
    found = kernels.run(_kernels.scan_lines, text, ",", fewest, most, quoted, last)
    broken = list(zip(found.broken, found.defect, strict=True))
    clean = found.clean if broken else text[: found.consumed]
    return Scan(found.lines, found.records, found.consumed, broken, clean)


@SOME
@given(texts, st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
@example(b'a,"b\n', 1, 3, True, True)
@example(b'a,"b\nc', 1, 3, True, True)
@example(b"\n\n", 1, 3, False, True)
def test_every_line_is_judged_as_the_twin_does(
    text: bytes, fewest: int, most: int, quoted: bool, last: bool
) -> None:
    assert scanned(text, fewest, most, quoted, last) == twin(text, fewest, most, quoted, last)


@SOME
@given(texts, st.integers(1, 8), st.booleans())
def test_chunks_add_up_to_the_whole(text: bytes, size: int, quoted: bool) -> None:
    """What a chunk leaves unconsumed is put before the next one; nothing is judged twice or lost."""
    total, rest = Scan(), b""
    for at in range(0, len(text), size):
        rest += text[at : at + size]
        part = scanned(rest, 1, 2, quoted, at + size >= len(text))
        total.broken += [(total.lines + line, why) for line, why in part.broken]
        total.lines += part.lines
        total.records += part.records
        total.consumed += part.consumed
        total.clean += part.clean
        rest = rest[part.consumed :]
    assert total == twin(text, 1, 2, quoted, True)
    assert total.consumed == len(text)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"a", TOO_FEW),
        (b"a,b,c", TOO_MANY),
        (b"a,\xff", NOT_UTF8),
        (b"a,\xc3", NOT_UTF8),
        (b"a,\xf5\x80\x80\x80", NOT_UTF8),
        (b"a,\xe0\x80\xaf", NOT_UTF8),
        (b"a,b\0", BINARY),
        (b"a,b", 0),
        ("ä,€".encode(), 0),
        (b'"a,a",b', 0),
        (b'"a""a",b', 0),
        (b",", 0),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_one_broken_line_between_two_good_ones(line: bytes, why: int, end: bytes) -> None:
    text = b"x,y" + end + line + end + b"x,y" + end
    found = scanned(text, 2, 2, True, False)
    assert found.broken == ([(1, why)] if why else [])
    assert found.clean == (text if not why else b"x,y" + end + b"x,y" + end)
    assert (found.lines, found.records, found.consumed) == (3, 3, len(text))


def test_a_quoted_record_over_several_lines_is_one() -> None:
    found = scanned(b'a,"b\nb\nb"\nc\n', 2, 2, True, True)
    assert (found.lines, found.records, found.broken) == (4, 2, [(3, TOO_FEW)])


def test_a_separator_is_one_byte() -> None:
    with pytest.raises(ValueError, match="one byte"):
        kernels.run(_kernels.scan_lines, b"a", "ä", 1, 1, False, True)
