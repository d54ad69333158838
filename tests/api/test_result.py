"""What a result gives and shows: all records as frames, a report, a directory, and nothing that is not for publication."""

from __future__ import annotations

import json
import logging
import pickle
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from helpers.cli import ITEMS, Shell, baskets
from helpers.data import food, published
from helpers.errors import refuses
from helpers.spine import PEOPLE, ROWS, Noisy, NoisyQueries, a_log
from shoal.methods import METHODS
from shoal.privacy import MODELS

OWNERS = [f"owner-{n:04d}" for n in range(30)]
EVENTS = pl.DataFrame([{"user": who, "item": ITEMS[(n * 5 + j) % len(ITEMS)]} for n, who in enumerate(OWNERS) for j in range(1 + n % 4)])


@pytest.fixture
def result() -> Any:
    return shoal.anonymize(EVENTS, k=3, taxonomy=food())


def records_of(frame: pl.DataFrame) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items) for items in frame["items"].to_list())


def test_frames_hold_every_record_and_not_one_a_group(result: Any):
    assert len(result.release.copies) < len(OWNERS)
    frame = result.to_polars()
    assert frame.columns == ["record", "items"]
    assert frame["record"].to_list() == list(range(1, len(OWNERS) + 1))
    assert records_of(frame) == published(result.release)
    assert min(records_of(frame).values()) >= 3


def test_all_frames_have_one_order(result: Any):
    pandas, arrow = result.to_pandas(), result.to_arrow()
    assert isinstance(pandas, pd.DataFrame)
    assert [list(items) for items in pandas["items"]] == arrow["items"].to_pylist() == result.to_polars()["items"].to_list()


def test_the_order_is_not_that_of_the_owners():
    """Records get fresh numbers in an order from the operating system: two results of one input agree by chance only."""
    orders = {tuple(map(tuple, shoal.anonymize(EVENTS, k=3, taxonomy=food()).to_polars()["items"].to_list())) for _ in range(3)}
    assert len(orders) > 1


def test_rows_of_a_log_and_of_microdata_are_frames_too():
    rows = [(n, "rain") for n in range(4)] + [(9, "my own name")]
    of_log = shoal.anonymize(pl.DataFrame(rows, schema=["user", "query"], orient="row"), "infrequent", k=3)
    assert of_log.to_polars()["query"].to_list() == ["rain"] * 4
    table = pd.DataFrame({"age": np.arange(9.0), "size": np.arange(9.0) % 4})
    of_table = shoal.anonymize(table, "mdav", k=3)
    assert of_table.to_pandas().groupby(["age", "size"]).size().min() >= 3


def test_the_long_layout_is_that_of_the_file(shell: Shell):
    """Read back from Parquet, but for the numbers of the records, which are drawn anew whenever something is written."""
    rows = [*EVENTS.iter_rows(), *EVENTS.head(9).iter_rows()]
    twice = pl.DataFrame(rows, schema=["user", "item"], orient="row")
    result = shoal.anonymize(twice, k=3, taxonomy=food(), bag=True)
    result.write("release", layout="long")
    written, held = pl.read_parquet("release/records.parquet"), result.to_polars(layout="long")
    assert held.columns == written.columns == ["record", "item", "count", "level"]
    assert held.dtypes == written.dtypes
    assert _by_record(held) == _by_record(written)
    assert result.to_arrow(layout="long").num_rows == len(result.to_pandas(layout="long")) == len(held)
    for layout, code in (("wide", "unknown-layout"), ("long", "option-not-applicable")):
        with refuses(code):
            shoal.anonymize(pl.DataFrame({"age": [1.0, 2.0, 3.0, 4.0]}), "mdav", k=2).to_polars(layout=layout)


def _by_record(rows: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    held: dict[int, list[Any]] = {}
    for record, *row in rows.iter_rows():
        held.setdefault(record, []).append(tuple(row))
    return Counter(tuple(sorted(rows, key=str)) for rows in held.values())


def test_a_table_is_asked_for_by_its_name(result: Any):
    assert result.to_polars("records").equals(result.to_polars())
    with refuses("unknown-table"):
        result.to_polars("people")


def test_a_written_release_is_what_the_command_line_writes(shell: Shell):
    EVENTS.write_csv(shell.directory / "events.csv")
    shell.file("food.csv", "\n".join(f"{name},{above}" for name, above in _edges()) + "\n")
    assert not shell("anonymize", "events.csv", "--k", "3", "--taxonomy", "food.csv", "--out", "typed").code
    manifest = shoal.anonymize(EVENTS, k=3, taxonomy="food.csv").write("called")
    typed = json.loads((shell.directory / "typed" / "manifest.json").read_text())
    assert manifest == json.loads((shell.directory / "called" / "manifest.json").read_text())
    for part in ("method", "parameters", "claims", "accounting", "metrics"):
        assert manifest[part] == typed[part]
    assert {name: fact for name, fact in manifest["input"].items() if name != "reading"} == typed["input"]
    assert records_of(pl.read_parquet("typed/records.parquet")) == records_of(pl.read_parquet("called/records.parquet"))
    assert shoal.audit("called", original=EVENTS, taxonomy="food.csv").holds


def _edges() -> list[tuple[str, str]]:
    tree = food()
    return [(tree.names[node], tree.names[int(tree.parent[node])]) for node in range(1, len(tree))]


def test_a_file_that_is_there_stays(result: Any, shell: Shell):
    result.write("release")
    page = result.report("page.html")
    assert (shell.directory / "page.html").read_text("utf-8") == page
    with refuses("output-exists"):
        result.report("page.html")
    with refuses("release-exists"):
        result.write("release")
    result.report("page.html", force=True)
    assert shell.names() == {"release", "page.html"}


def test_the_report_in_memory_is_that_of_the_directory(result: Any, tmp_path: Path):
    result.write(tmp_path / "release")
    written = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert _without_files(result.report()) == _without_files(written)


def _without_files(page: str) -> str:
    """A report but for the rows of its table of files, of which there are none in memory."""
    return re.sub(r"<tr>(?:(?!</tr>).)*(?:[0-9a-f]{64}|no file was written).*?</tr>|\s", "", page, flags=re.DOTALL)


class Parts(HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [f"{name}={value}" for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_a_table_and_a_chart_that_need_nothing_else(result: Any):
    seen = Parts(result._repr_html_())
    assert {"table", "svg", "rect"} <= set(seen.tags)
    assert not {"script", "style", "link", "img", "iframe"} & set(seen.tags)
    assert not [value for value in seen.values if value.startswith(("on", "href", "src")) or "://" in value or "url(" in value]
    assert "k-anonymity(k=3)" in seen.text
    assert f"{len(OWNERS)} records" in seen.text
    widths = [float(value.removeprefix("width=")) for value in seen.values if re.fullmatch(r"width=[\d.]+", value)]
    assert sum(widths) == pytest.approx(640, abs=1)


def test_a_notebook_says_what_is_protected_where_people_own_several_records(result: Any):
    by_event = shoal.anonymize(EVENTS, k=3, taxonomy=food(), per="event")
    assert "each event among at least 3 people, but not a person's whole history" in Parts(by_event._repr_html_()).text
    assert "whole history" not in Parts(result._repr_html_()).text


def test_names_of_users_do_not_become_markup():
    evil = '<script>alert("x")</script>'
    frame = pl.DataFrame({"who": range(6), evil: [evil, "b"] * 3})
    result = shoal.anonymize(frame, k=3, user="who", item=evil, taxonomy={evil: [evil + "s", "b"]}, unknown="drop")
    assert "<script" not in result._repr_html_()


def test_nothing_that_is_shown_names_an_owner_or_a_rare_item(result: Any, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    rare = EVENTS.vstack(pl.DataFrame({"user": ["owner-0000"], "item": ["a-rare-thing"]}))
    for one in (result, shoal.anonymize(rare, k=3, taxonomy=food())):
        shown = [repr(one), str(one), one._repr_html_(), one.report(), repr(one.release), repr(one.verdicts), repr(one.accounting)]
        shown += [repr(one.metrics), repr(one.input), repr(one.notes), repr(one.manifest), caplog.text, one.to_polars().write_json()]
        for text in shown:
            assert "owner-" not in text
            assert "a-rare-thing" not in text


def test_a_result_is_not_pickled(result: Any):
    with pytest.raises(TypeError, match="record-to-group mapping"):
        pickle.dumps(result)


def test_no_exact_count_beside_a_claim_that_forbids_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(METHODS, "_places", {**METHODS._places, NoisyQueries.name: "helpers.spine:NoisyQueries"})
    monkeypatch.setattr(MODELS, "_places", {**MODELS._places, Noisy.name: "helpers.spine:Noisy"})
    result = shoal.anonymize(a_log(), NoisyQueries())
    assert result.accounting == result.metrics == {}
    shown = repr(result) + Parts(result._repr_html_()).text + repr(result.input) + repr(result.headline)
    assert str(ROWS) not in shown
    assert str(PEOPLE) not in shown


def test_baskets_without_any_frame(shell: Shell):
    shell.file("baskets.txt", baskets())
    result = shoal.anonymize("baskets.txt", "clump", k=5, taxonomy=food(), floor=1)
    assert result.release.method == "clump"
    assert sum(n for part, n in result.accounting["records"].items() if part != "in") == 40
    assert repr(result) == f"<Result of clump: k-anonymity(k=5) verified; {result.accounting['records']['published']} records>"


def test_where_hardly_a_word_is_left_it_says_what_would_help(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    """Each line of advice is a call that is accepted, and says what it keeps and what an attacker finds."""
    monkeypatch.setenv("SHOAL_ADVICE", "60")
    rng = np.random.default_rng(3)
    queries = [" ".join(f"word{4 * q + i}" for i in range(4)) for q in range(18)]
    rows = [
        {"user": n, "time": f"2024-01-{1 + day:02d}", "query": queries[q]}
        for n in range(40)
        for day, q in enumerate(np.flatnonzero(rng.random(18) < 0.6))
    ]
    log, asked = pl.DataFrame(rows), {"k": 20, "time": "time", "taxonomy": "generated:2"}
    result = shoal.anonymize(log, **asked)
    assert result.headline.as_typed < 0.05
    assert any(line.startswith('per="session": ') for line in result.advice)
    assert any(line.startswith('method="threshold", ') for line in result.advice)
    assert not any('"p": 1' in line or "p=1" in line for line in result.advice), "most people are found in it"
    assert result.headline.warning in caplog.text
    assert result.advice[0] in caplog.text
    assert result.advice_notes[0].startswith("measured on all 40 people; this release keeps ")
    assert any(note.startswith("not proposed, because an attacker would find more than 5.0% of the people") for note in result.advice_notes)
    assert all(note in caplog.text for note in result.advice_notes)
    assert Parts(result._repr_html_()).text.count("try") == len(result.advice)
    for line in result.advice:
        assert re.search(r"keeps [\d.]+%; an attacker who knows 4 items of a \w+ finds [\d.]+% of the people$", line)
        call = line.partition(": ")[0]
        changed = eval(f"dict({call})")
        assert "k" not in changed
        shoal.anonymize(log, **{**asked, **changed})
    by_event = shoal.anonymize(log, k=20, taxonomy="generated:2", per="event")
    assert not [line for line in by_event.advice if line.startswith("per=")]


def test_a_readable_release_gets_no_advice(result: Any, caplog: pytest.LogCaptureFixture):
    assert result.headline.as_typed > 0.05
    assert result.advice == result.advice_notes == ()
    assert not caplog.text
