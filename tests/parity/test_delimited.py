"""The kernel that cuts delimited text, against Python's csv module and against itself in other pieces."""

from __future__ import annotations

import csv
import io
import itertools

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _kernels
from shoal.io.read.columns import repeats_name

FEW, MANY, NOT_UTF8, BINARY, OPEN, MISPLACED = 1, 2, 3, 4, 5, 6


def cut(text, dialect, width, pieces=(), threads=1):
    """Rows with their lines, broken lines with their defects, and the numbers of blank and all lines."""
    cutter = _kernels.ColumnCutter(dialect, list(range(width)), width, width, threads)
    rows, broken, blank, line, rest = [], [], 0, 0, b""
    edges = [0, *sorted(pieces), len(text)]
    chunks = [text[a:b] for a, b in itertools.pairwise(edges)]
    for chunk, last in [*((c, False) for c in chunks), (b"", True)]:
        rest += chunk
        taken = 0
        for i in range(cutter.cut(rest, last, _kernels.Task())):
            part = cutter.part(i)
            columns = [pl.Series(part.column(c)).to_list() for c in range(width)]
            lines = (part.facts.row_lines() + line).tolist()
            rows += list(zip(lines, zip(*columns, strict=True) if width else (() for _ in lines), strict=True))
            broken += [(at + line, why) for at, why in zip(part.facts.broken, part.facts.defects, strict=True)]
            blank += part.facts.blank
            line += part.facts.lines
            taken += part.facts.consumed
        rest = rest[taken:]
    assert rest == b""
    return rows, broken, blank, line


def lines_twin(text, separator, width):
    """The same for text without quotes, a line at a time."""
    rows, broken, blank = [], [], 0
    lines = text.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    for number, line in enumerate(lines):
        body = line.removesuffix(b"\r")
        fields = [f.strip(b" \t".replace(separator, b"")) for f in body.split(separator)]
        try:
            decoded = [f.decode() for f in fields]
        except UnicodeDecodeError:
            decoded = None
        if b"\0" in body:
            broken.append((number, BINARY))
        elif decoded is None:
            broken.append((number, NOT_UTF8))
        elif fields == [b""]:
            blank += 1
        elif len(fields) != width:
            broken.append((number, FEW if len(fields) < width else MANY))
        else:
            rows.append((number, tuple(decoded)))
    return rows, broken, blank, len(lines)


noise = st.lists(
    st.sampled_from(
        [
            b"a",
            b"bc",
            b" ",
            b"\t",
            b",",
            b"\n",
            b"\r\n",
            b"\r",
            b"\xc3\xa9",
            b"\xe9",
            b"\0",
            b"0123456789abcdef",
        ]
    ),
    max_size=60,
).map(b"".join)


@given(noise, st.sampled_from([b"\t", b","]), st.integers(1, 3), st.lists(st.integers(0, 80), max_size=4))
@settings(deadline=None, max_examples=400)
def test_plain_lines_are_cut_like_split_does_in_any_pieces(text, separator, width, pieces):
    dialect = _kernels.Dialect(separator.decode(), False)
    assert cut(text, dialect, width, [min(p, len(text)) for p in pieces]) == lines_twin(text, separator, width)


cells = st.text(st.sampled_from('ab ,;"\n\r\té'), max_size=6)


@given(
    st.lists(st.tuples(cells, cells, cells), max_size=8),
    st.sampled_from(",;|"),
    st.booleans(),
    st.lists(st.integers(0, 200), max_size=4),
)
@settings(deadline=None, max_examples=300)
def test_what_the_csv_module_writes_is_read_back_in_any_pieces(records, separator, quote_all, pieces):
    out = io.StringIO()
    # The module leaves a lone carriage return unquoted, which cannot be told from a part of the line end.
    quote_all |= any("\r" in cell for record in records for cell in record)
    style = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=separator, quoting=style, lineterminator="\n").writerows(records)
    text = out.getvalue().encode()
    dialect = _kernels.Dialect(separator, True, trimmed=False)
    rows, broken, blank, lines = cut(text, dialect, 3, [min(p, len(text)) for p in pieces])
    assert [row for _, row in rows] == records
    assert (broken, blank, lines) == ([], 0, text.count(b"\n"))
    starts = [sum(("".join(r)).count("\n") + 1 for r in records[:i]) for i in range(len(records))]
    assert [line for line, _ in rows] == starts


quoted_noise = st.lists(st.sampled_from([b"a", b'"', b'""', b",", b"\n", b"\r\n", b" ", b"\xe9"]), max_size=50).map(b"".join)


@given(quoted_noise, st.integers(1, 3), st.lists(st.integers(0, 60), max_size=5))
@settings(deadline=None, max_examples=400)
def test_pieces_do_not_matter_and_no_line_is_lost_whatever_the_quotes(text, width, pieces):
    dialect = _kernels.Dialect(",", True)
    whole = cut(text, dialect, width)
    assert cut(text, dialect, width, [min(p, len(text)) for p in pieces]) == whole
    rows, broken, _, lines = whole
    assert lines == text.count(b"\n") + (not text.endswith(b"\n") and text != b"")
    starts = [line for line, _ in rows] + [line for line, _ in broken]
    assert len(set(starts)) == len(starts)


def test_a_quote_that_is_never_closed_costs_its_own_line_only():
    text = b'1,a\n2,"b\n3,c\n4,d\n'
    rows, broken, _, _ = cut(text, _kernels.Dialect(",", True), 2)
    assert rows == [(0, ("1", "a")), (2, ("3", "c")), (3, ("4", "d"))]
    assert broken == [(1, OPEN)]


def test_text_behind_a_closing_quote_costs_its_own_line_only():
    text = b'1,a\n2,"b"x\n3,"c"\n'
    rows, broken, _, _ = cut(text, _kernels.Dialect(",", True), 2)
    assert rows == [(0, ("1", "a")), (2, ("3", "c"))]
    assert broken == [(1, MISPLACED)]


def test_a_quote_inside_a_field_is_a_letter():
    rows, broken, _, _ = cut(b'1,5" disk\n', _kernels.Dialect(",", True), 2)
    assert (rows, broken) == ([(0, ("1", '5" disk'))], [])


def test_a_broken_record_over_several_lines_is_given_up_as_a_whole():
    rows, broken, _, lines = cut(b'1,"a\n\xe9,x"\n2,b\n', _kernels.Dialect(",", True), 2)
    assert (rows, broken, lines) == ([(2, ("2", "b"))], [(0, NOT_UTF8)], 3)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_long_text_is_cut_the_same_by_any_number_of_threads(threads, end):
    lines = [f"{i}\t{'x' * (i % 40)}" if i % 97 else "lonely" for i in range(20_000)]
    text = "\n".join(lines).encode() + end
    assert len(text) > 7 * (64 << 10) // 2
    dialect = _kernels.Dialect("\t", False)
    assert cut(text, dialect, 2, threads=threads) == lines_twin(text, b"\t", 2)


@pytest.mark.parametrize("threads", [2, 3])
def test_a_line_longer_than_a_part_is_cut_once(threads):
    text = b"1\t" + b"y" * (400 << 10)
    rows, broken, blank, lines = cut(text, _kernels.Dialect("\t", False), 2, threads=threads)
    assert (rows, broken, blank, lines) == ([(0, ("1", "y" * (400 << 10)))], [], 0, 1)


def test_an_endless_quoted_field_is_taken_for_an_open_quote():
    text = b'1,"' + b"z" * (5 << 20) + b'"\n2,b\n'
    rows, broken, _, lines = cut(text, _kernels.Dialect(",", True), 2, pieces=[3, 1 << 20])
    assert (rows, broken, lines) == ([(1, ("2", "b"))], [(0, OPEN)], 2)


def items(text, dialect, keep_blank):
    interner = _kernels.Interner()
    indptr, codes, facts = _kernels.cut_items(text, dialect, interner, keep_blank, True, _kernels.Task())
    names = [interner.strings()[c] for c in codes]
    return [names[a:b] for a, b in itertools.pairwise(indptr)], facts.blank


@given(noise.filter(lambda t: b"\0" not in t and b"\xe9" not in t and b"\r" not in t), st.booleans())
@settings(deadline=None, max_examples=200)
def test_items_between_blanks_are_cut_like_split_does(text, keep_blank):
    lines = text.decode().split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    found = [line.split() for line in lines]
    blank = [f for f in found if not f]
    assert items(text, _kernels.Dialect("", False), keep_blank) == ((found, 0) if keep_blank else ([f for f in found if f], len(blank)))


def test_empty_fields_are_no_items():
    assert items(b"a,,b,\n,\n", _kernels.Dialect(",", True), True) == ([["a", "b"], []], 0)


MARKS = ["", '"', "\ufeff", '\ufeff"', " ", "\t"]
SOME_CELLS = st.tuples(st.sampled_from(MARKS), st.text("anonidusrkeéİ7K1", max_size=6), st.booleans())


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(["AnonID", "user", "İd", "key", "7", '"q', "é"]), st.lists(SOME_CELLS, max_size=20))
def test_no_cell_that_repeats_a_name_is_passed_over(name: str, drawn: list[tuple[str, str, bool]]) -> None:
    """Cells of the lengths that headers have, in any case, with marks around them. Few others are looked at again."""
    cells = [before + (name.swapcase() if repeats else text) + before[-1:].strip() for before, text, repeats in drawn]
    column = pl.Series(cells, dtype=pl.String)
    found = set(_kernels.TextColumn(column.__arrow_c_stream__()).places_like(name).tolist())
    near = {i for i, cell in enumerate(cells) if len(cell.encode()) - len(name.encode()) in {0, 2, 3, 5}}
    repeating = set(repeats_name(column, name).arg_true().to_list())
    assert near & repeating <= found <= near
    assert not any(cells[i][0].isdigit() for i in found if name in {"AnonID", "user", "key"})
