"""Odd inputs are drawn, and the checker notices if shoal reads them otherwise than documented."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import polars as pl
import pytest

from campaign.figures import OF_A_SEED
from fuzz.make import samples
from fuzz.make.every import made, numbers_from
from fuzz.make.oddities import ODDITIES
from fuzz.running import fresh, run_number
from shoal.io.read import columns, event_rows, json_lines
from shoal.io.read.access_logs import access_log

SEED, DRAWN = 6, 700


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """The first numbers of a seed by what is odd in their input."""
    found: dict[str, list[int]] = {}
    place = tmp_path_factory.mktemp("cases")
    for number in numbers_from(SEED * OF_A_SEED, DRAWN):
        with fresh(place / str(number)) as directory:
            found.setdefault(made(number, directory).twist, []).append(number)
    return found


def test_all_oddities_are_drawn(numbers: dict[str, list[int]]) -> None:
    assert {*ODDITIES, "sample"} <= numbers.keys()


def test_samples_are_taken_for_some_cases_of_their_methods_only() -> None:
    assert not any(samples.takes_sample(number, "dp-queries") for number in range(1000))
    taken = sum(samples.takes_sample(number, "km") for number in range(1000))
    assert 0 < taken < 100


def nobody(written: pl.Series) -> pl.Series:
    return written.is_null()


def lenient(names: frozenset[str] | None) -> Callable[[json_lines.Pairs], dict[str, object]]:
    return dict


def as_number(name: str) -> float:
    return float(name)


def headers_stay(self: event_rows.Collector, held: list[object], lines: object) -> tuple[list[object], object]:
    return held, lines


WEAKER: dict[str, list[tuple[object, str, object]]] = {
    "spellings": [(columns, "folded", lambda names: names)],
    "numbers as user IDs": [(columns, "folded", lambda names: names)],
    "addresses": [(access_log, "not_addresses", nobody), (access_log, "moved_fields", lambda fields: nobody(fields["address"]) & False)],
    "odd JSON": [(json_lines, "keys_once", lenient)],
    "missing values": [(json_lines, "_constant", as_number)],
    "odd Parquet": [(event_rows, "finite", lambda series: series)],
    "repeated headers": [(event_rows.Collector, "_without_headers", headers_stay)],
}


def found(numbers: list[int], place: Path) -> Iterator[list[str]]:
    for number in numbers:
        with fresh(place / str(number)) as directory:
            if wrong := run_number(number, directory).wrong:
                yield wrong


@pytest.mark.parametrize("oddity", WEAKER)
def test_a_reader_that_is_not_as_documented_is_found(
    numbers: dict[str, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oddity: str
) -> None:
    for place, name, weak in WEAKER[oddity]:
        monkeypatch.setattr(place, name, weak)
    assert list(islice(found(numbers[oddity], tmp_path), 1))


def test_the_number_of_a_case_says_what_is_odd(tmp_path: Path, numbers: dict[str, list[int]]) -> None:
    number = numbers["odd JSON"][0]
    contents = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        case = made(number, tmp_path / name)
        contents.append((json.dumps(case.said), (tmp_path / name / case.inputs[0]).read_bytes()))
    assert contents[0] == contents[1]
