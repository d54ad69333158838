"""JSON lines: what Polars decodes is what reading line by line gives, whatever the lines hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.io.published_frames import raw_frame
from shoal.io.read import json_lines
from shoal.io.read.json_lines import Wanted, item_lists, json_frames, text_values
from shoal.io.read.result import Tally
from shoal.io.read.source import Source
from shoal.kinds.bags import read_json as json_records

WANTED = {"values": text_values(["u", "a b.c"]), "lists": item_lists("u")}


def read(path: Path, wanted: Wanted) -> tuple[list[tuple[object, ...]], Mapping[str, tuple[int, ...]]]:
    tally = Tally(Source.of(path), strict=False)
    rows = []
    for frame, lines in json_frames(tally.source, wanted, tally):
        texts = [name for name, kind in frame.schema.items() if kind == pl.String]
        shown = frame.with_columns(pl.col(texts).fill_null("").str.strip_chars())
        rows += [(int(line), *row) for line, row in zip(lines, shown.iter_rows(), strict=True)]
    return rows, tally.defects.frozen().lines


def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], wanted: Wanted) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n" + "\n".join(lines).encode("utf-8", "surrogatepass"))
    monkeypatch.setattr(json_lines, "FEWEST_LINES", 1)
    by_polars = read(path, wanted)
    monkeypatch.setattr(json_lines, "FEWEST_LINES", 1 << 40)
    one_by_one = read(path, replace(wanted, plain=pl.lit(value=False)))
    assert by_polars[0] == one_by_one[0]
    assert {why: sorted(where) for why, where in by_polars[1].items()} == {why: sorted(where) for why, where in one_by_one[1].items()}


ODD = [
    '{"u": 1}',
    '{"u": 1.0, "a b.c": -0.0}',
    '{"u": "1", "a b.c": 0.0}',
    '{"u": -0, "a b.c": -7.00}',
    '{"u": 12345678901234567890123, "a b.c": 1e22}',
    '{"u": 0.1, "a b.c": 1e400}',
    '{"u": NaN, "a b.c": Infinity}',
    '{"u": "x", "a b.c": 1, "other": -Infinity}',
    '{"u": ["x"], "other": [NaN, 1e400]}',
    '{"u": [1, 2.0, "x", 1.5], "a b.c": "[1, 2]"}',
    '{"u": true, "a b.c": null}',
    '{"u": ["a", true]}',
    '{"u": ["a", null]}',
    '{"u": ["a", ["b"]]}',
    '{"u": ["a, b", "c\\"]", ""]}',
    '{"u": []}',
    '{"u": {"u": 1}, "a b.c": "x"}',
    '{"v": {"u": "inner", "a b.c": 2}}',
    '{"v": {"u": ["inner"]}}',
    '{"v": {"u": "inner"}, "u": "outer", "a b.c": 1}',
    '{"u": "first", "u": "second", "a b.c": 1}',
    '{"u": "first", "\\u0075": "second", "a b.c": 1}',
    '{"u": ["first"], "\\u0075": ["second"]}',
    '{"u": "\\ud800", "a b.c": 1}',
    '{"u": ["\\ud800"]}',
    '{"u": "x", "a b.c": 1, "v": "\\udc00"}',
    '{"u": "\\ud83d\\ude00", "a b.c": "\\u00fc"}',
    '{"u": "\\u001f x \\u0085", "a b.c": " \\t y \\n"}',
    '{"u": "a"} {"u": "b"}',
    '{"u": "a", "a b.c": 1}, {"u": "b"}',
    '{"u": "a", "a b.c": 1',
    '"more": 2}',
    '{"u": "a", "a b.c": 1,}',
    '{"u": "a\\q", "a b.c": 1}',
    '{"u": "say \\"u\\": 5", "a b.c": 1}',
    '{"aXbYc": 5, "u": 1}',
    "null",
    "5",
    '"u"',
    "[1, 2]",
    "{}",
    "",
    '{"u": "tab\there", "a b.c": 1}',
    '{"u":"x","a b.c":' + "[" * 3000 + "]" * 3000 + "}",
]


@pytest.mark.parametrize("wanted", WANTED)
def test_odd_lines_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    compare(tmp_path, monkeypatch, ODD, WANTED[wanted])
    for line in ODD:
        compare(tmp_path, monkeypatch, [line] * 3, WANTED[wanted])


keys = st.sampled_from(["u", "a b.c", "v", "u ", "U", "\u00fc"])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), st.sampled_from(["u", '"u":1', "\ud800", "1.0", "[1]"])
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=5)


@st.composite
def json_line(draw: st.DrawFn) -> str:
    pairs = draw(st.lists(st.tuples(keys, values), max_size=4))
    between = draw(st.sampled_from([", ", ","])), draw(st.sampled_from([": ", ":", " : "]))
    escaped = draw(st.booleans())
    written = [json.dumps(k, ensure_ascii=escaped) + between[1] + json.dumps(v, ensure_ascii=escaped) for k, v in pairs]
    line = "{" + between[0].join(written) + "}"
    cut = draw(st.integers(0, len(line) * 8))  # some lines break off
    return line[:cut].replace("\n", " ")


@pytest.mark.parametrize("wanted", WANTED)
@given(lines=st.lists(json_line(), min_size=1, max_size=12))
@example(lines=['{"u": "x", "a b.c": 1}'] * 20)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_lines_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, lines: list[str]) -> None:
    compare(tmp_path, monkeypatch, lines, WANTED[wanted])


def test_plain_lines_are_decoded_by_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the comparison above would compare a way of reading with itself."""
    seen = []
    decode = pl.read_ndjson
    monkeypatch.setattr(pl, "read_ndjson", lambda *given, **how: seen.append(len(found := decode(*given, **how))) or found)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"u": n, "a b.c": f"word \u00fc {n}", "v": [n]}) + "\n" for n in range(100)))
    assert len(read(path, WANTED["values"])[0]) == 100
    path.write_text("".join(json.dumps({"id": n, "u": ["a", n]}) + "\n" for n in range(100)))
    assert len(read(path, WANTED["lists"])[0]) == 100
    assert seen == [100, 100]


# -- records that were published

PUBLISHED = {
    "numbered": ['{"record": 1, "items": ["a", "b"]}', '{"record": 2, "items": []}', '{"record": 3, "items": ["b", 7]}'],
    "numbered from 0": ['{"record": 0, "items": ["a"]}', '{"record": 1, "items": ["a"]}'],
    "numbered otherwise": ['{"record": 17, "items": ["a"]}', '{"record": 4, "items": ["a"]}'],
    "numbered in part": ['{"record": 1, "items": ["a"]}', '{"items": ["a"]}', '{"record": 3, "items": ["a"]}'],
    "items alone": ['{"items": ["a", "a"]}', '{"items":["\\u00fc"]}'],
    "bare lists": ['["a", "b"]', '["c"]'],
    "more keys": ['{"record": 1, "items": ["a"]}', '{"record": 2, "items": ["a"], "name": "Ann"}'],
}


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("chunk", [1, 8 << 20])
def test_published_records_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, chunk: int) -> None:
    monkeypatch.setattr("shoal.io.read.source.CHUNK", chunk)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(PUBLISHED[name]) + "\n")
    found = []
    for polars in (json_records.decoded, lambda *_: None):
        monkeypatch.setattr(json_records, "decoded", polars)
        bags, beside, numbering = json_records.json_records(Source.of(path), Tally(Source.of(path), strict=True))
        found.append(([bags.record(i) for i in range(len(bags))], beside, numbering))
    assert found[0] == found[1]
    expected = {"numbered otherwise": ("record",), "numbered in part": ("record",), "more keys": ("name",)}
    assert found[0][1] == expected.get(name, ())


@pytest.mark.parametrize("line", ['{"q": "a", "q": "b"}', '{"q": "a", "\\u0071": "b"}'])
def test_a_key_given_twice_in_published_rows_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"q":"a"}\n' + line + "\n")
    with refuses("duplicate-key"):
        raw_frame(path, "jsonl", own=False)
    path.write_text('{"q": "a"}\n\n{"q":"\\u00fc"}\n')
    assert raw_frame(path, "jsonl", own=False)["q"].to_list() == ["a", "\u00fc"]
