"""Parts of plain files: every line is in one part, however the file is cut, and as Spark would give it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.io.read.byte_ranges import Span, first_lines_of, lines_in, spans_of, without_line

ENDS = (b"\n", b"\r\n")
MARK = b"\xef\xbb\xbf"
pieces = st.sampled_from([b"\n", b"\n", b"\r\n", b"a", b"bc", b"\xef\xbb\xbf", b"\xff", b"\t"])


def lines_of(content: bytes) -> list[bytes]:
    """By the definition: without one mark at the head, cut behind every line feed, the last line with an end."""
    lines = content.removeprefix(MARK).split(b"\n")
    return [line + b"\n" for line in (lines if lines[-1] else lines[:-1])]


@given(st.lists(st.lists(pieces, max_size=30).map(b"".join), min_size=1, max_size=3), st.integers(1, 20))
def test_every_line_is_in_one_part(contents: list[bytes], largest: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place) / str(number) for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
            assert first_lines_of(path, 3) == lines_of(content)[:3]
        parts = b"".join(map(lines_in, spans_of(paths, largest)))
        assert parts == b"".join(line for content in contents for line in lines_of(content))


@given(
    st.lists(
        st.sampled_from([b"head", b"header", b"a head", b"", b"x"]).flatmap(lambda line: st.sampled_from([line + end for end in ENDS]))
    )
)
def test_lines_that_are_the_header_are_left_out_and_counted(lines: list[bytes]) -> None:
    kept = [line for line in lines if line.rstrip(b"\r\n") != b"head"]
    assert without_line(b"".join(lines), b"head", ENDS) == (b"".join(kept), len(lines) - len(kept))


def test_a_file_that_grew_or_went_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.tsv"
    path.write_bytes(b"one\ntwo\n")
    (span,) = spans_of([path], 100)
    path.write_bytes(b"one\ntwo\nthree\n")
    with refuses("file-changed"):
        lines_in(span)
    with refuses("file-not-found"):
        lines_in(Span(tmp_path / "none", 0, 1, 1))
