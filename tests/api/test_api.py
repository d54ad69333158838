"""The Python interface: reading files and frames, anonymizing, writing, auditing."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from helpers.cli import ITEMS, Shell, baskets
from helpers.data import food, published
from helpers.errors import Expected, error, refuses
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.errors import GuaranteeNotMet, Infeasible
from shoal.methods import METHODS, Clump, Partition
from shoal.privacy import MODELS, KAnonymity

# The names at the top level; methods, models and data types are in modules of their own.
DOCUMENTED = {
    "Attacked", "Audit", "Cancel", "Cancelled", "Events", "GuaranteeNotMet", "Infeasible", "InputError", "Look", "OutputError",
    "ParameterError", "Result", "ShoalError", "Taxonomy", "TaxonomyError", "advise", "anonymize", "attack", "audit", "bound",
    "compare", "decode", "from_sql", "generate", "learn_taxonomy", "list_methods", "list_metrics", "list_models", "look", "mask",
    "measure", "models", "read", "read_taxonomy", "reconstruct", "reproduce", "wordnet", "__version__",
}  # fmt: skip
MOVED = {
    "Bags": "shoal.data.bags",
    "Log": "shoal.data.log",
    "Release": "shoal.data.release",
    "Verdict": "shoal.data.claims",
    "generated": "shoal.taxonomy.generated",
    **{kind.__name__: "shoal.methods" for kind in METHODS.values()},
    **{kind.__name__: "shoal.privacy" for kind in MODELS.values()},
}


def test_the_public_names_are_the_documented_ones():
    assert set(shoal.__all__) == DOCUMENTED
    assert dir(shoal) == sorted([*shoal.__all__, "errors", "methods", "privacy"])
    for name in dir(shoal):
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError, match=r"no attribute 'anonymise'$"):
        _ = shoal.anonymise


@pytest.mark.parametrize("name", MOVED)
def test_the_error_for_a_moved_name_says_where_it_is(name: str):
    with pytest.raises(AttributeError) as error:
        getattr(shoal, name)
    advice = f"from {MOVED[name]} import {name}"
    assert str(error.value) == f"module 'shoal' has no attribute {name!r}; write: {advice}"
    names: dict[str, Any] = {}
    exec(advice, names)  # the advice works
    assert names[name].__name__ == name


def test_modules_with_classes_refuse_other_names():
    for module in (shoal.methods, shoal.privacy):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Clamp'"):
            _ = module.Clamp


def test_the_example_of_the_docstring(shell: Shell):
    shell.file("baskets.txt", baskets())
    data = shoal.read("baskets.txt")
    result = shoal.anonymize(data, Clump(k=5), taxonomy=food())
    manifest = result.write("release")
    assert manifest["parameters"]["k"] == 5
    found = shoal.audit("release")
    assert found.holds
    assert found.largest_k >= 5
    assert shoal.audit("release", "k-anonymity(k=41)").holds is False
    assert shoal.audit("release", [KAnonymity(k=5), "vocabulary-k-anonymity(k=5)"]).holds
    assert shoal.audit("release", KAnonymity(k=41)).holds is False


ROWS = [(f"u{n}", ITEMS[(n * 7 + j) % len(ITEMS)]) for n in range(12) for j in range(1 + n % 3)]
COLUMNS = {"who": [who for who, _ in ROWS], "what": [what for _, what in ROWS]}

FRAMES = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "arrow": pa.table,
    "a dictionary": dict,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_read_like_files(shell: Shell, kind: str):
    shell.file("table.csv", "who,what\n" + "".join(f"{who},{what}\n" for who, what in ROWS))
    from_file = shoal.anonymize(shoal.read("table.csv", user="who", item="what"), "clump(k=3)", taxonomy=food())
    reading = shoal.read(FRAMES[kind](COLUMNS), user="who", item="what")
    from_frame = shoal.anonymize(reading, "clump(k=3)", taxonomy=food())
    assert published(from_frame.release) == published(from_file.release)
    assert from_frame.input["rows"] == len(ROWS)
    assert from_frame.input["owners"] == 12
    from_frame.write("release")
    assert shoal.audit("release", original="table.csv", user="who", item="what", taxonomy=food()).holds


TIMES = {
    "times": [dt.datetime(2006, 3, 1, 10), dt.datetime(2006, 3, 1, 10, 10), dt.datetime(2006, 3, 1, 15), None],
    "text": ["2006-03-01 10:00:00", "2006-03-01 10:10:00", "2006-03-01 15:00:00", "soon"],
    "seconds": [1141207200, 1141207800, 1141225200, None],
}


@pytest.mark.parametrize("kind", TIMES)
def test_the_times_of_a_frame(kind: str):
    frame = pl.DataFrame({"u": [1, 1, 1, 1], "q": ["dog", "cat", "tree", "car"], "t": TIMES[kind]}, strict=False)
    reading = shoal.read(frame, user="u", text="q", time="t", malformed=0.5)
    assert len(reading.data.bags(per="session")) == 2
    assert reading.rows.as_dict() == {"in": 4, "used": 3, "malformed: unreadable time": 1}


def test_rows_of_a_frame_without_a_user_or_an_item_are_counted():
    frame = pl.DataFrame({"u": ["a", None, "", "b"], "i": ["x", "y", "z", None]})
    reading = shoal.read(frame, user="u", item="i", malformed=1.0)
    assert reading.rows["used"] == 1
    assert reading.rows["malformed: no user"] == 2
    assert reading.rows["malformed: no item"] == 1
    with refuses("defective-rows", rows={"no user": [2, 3], "no item": [4]}):
        shoal.read(frame, user="u", item="i", strict=True)


def test_a_query_with_several_clicks_counts_once():
    frame = pl.DataFrame({"u": [1, 1, 2], "q": ["dog", "dog", "dog"], "t": [dt.datetime(2006, 3, 1)] * 3})
    reading = shoal.read(frame, user="u", text="q", time="t")
    assert reading.rows["repeated clicks"] == 1
    assert len(reading.data) == 2


WRONG_FRAMES: dict[str, tuple[Any, dict[str, Any], str | Expected]] = {
    "no such column": (pl.DataFrame(COLUMNS), {"user": "who", "item": "which"}, error("missing-column", columns=["who", "what"])),
    "no names": (pl.DataFrame(COLUMNS), {}, error("missing-column", columns=["who", "what"])),
    "text and item": (pl.DataFrame(COLUMNS), {"user": "who", "item": "what", "text": "what"}, "options-conflict"),
    "an empty frame": (pl.DataFrame({"a": [], "b": []}), {"user": "a", "item": "b"}, "empty-input"),
    "no frame": (object(), {"user": "a", "item": "b"}, "unsupported-data"),
}


@pytest.mark.parametrize("name", WRONG_FRAMES)
def test_frames_that_cannot_be_read(name: str):
    frame, options, said = WRONG_FRAMES[name]
    with refuses(said):
        shoal.read(frame, **options)


def records() -> Any:
    return Bags.from_lists([line.split(",") for line in baskets().splitlines()])


def test_bags_and_logs_are_taken_as_they_are():
    result = shoal.anonymize(records(), Partition(k=4), taxonomy=food(), floor=1)
    assert result.release.n_records == 40
    assert result.input["taxonomy"] == "given"
    log = Log(pl.DataFrame({"owner": [1, 2, 3, 4], "payload": ["dog", "dog", "cat", "cat"]}))
    assert shoal.anonymize(log, Clump(k=2)).release.n_records == 4


def test_the_default_method_and_methods_by_name():
    default = shoal.anonymize(records(), taxonomy=food())
    assert default.release.method == next(iter(METHODS))
    assert shoal.anonymize(records(), "partition(k=4, publish_as=lcg)", taxonomy=food()).release.parameters["publish_as"] == "lcg"
    with refuses("unknown-method", value="magic"):
        shoal.anonymize(records(), "magic", taxonomy=food())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"unknown": "kep"}, error("unknown-choice", value="kep")),
        ({"per": "month"}, error("unknown-choice", value="month")),
        ({"tree": "half"}, error("unknown-choice", value="half")),
        ({"node_loss": "total"}, error("unknown-choice", value="total")),
        ({"gap": "soon"}, error("unreadable-value", value="soon")),
        ({"taxonomy": "generated:1"}, error("out-of-range", value="1")),
    ],
)
def test_misspelt_wishes_are_refused(how: dict[str, str], said: str):
    with refuses(said):
        shoal.anonymize(records(), **how)


def test_writing(shell: Shell):
    result = shoal.anonymize(records(), Clump(k=4), taxonomy=food())
    result.write(shell.directory / "one", to="transactions", to_sep="|")
    with refuses("release-exists"):
        result.write("one")
    result.write("one", force=True)
    with refuses("unknown-choice", value="excel"):
        result.write("two", to="excel")
    with refuses("invalid-separator", value="ab"):
        result.write("two", to="transactions", to_sep="ab")
    assert shell.names() == {"one"}


def test_errors_are_one_tree():
    with refuses("too-few-people", value=40, limit=41):
        shoal.anonymize(records(), Clump(k=41), taxonomy=food())
    assert issubclass(Infeasible, shoal.ShoalError)
    assert GuaranteeNotMet.exit_code == 3


def test_the_input_is_not_changed():
    bags = records()
    before = Counter(map(tuple, bags.to_polars().to_list()))
    shoal.anonymize(bags, taxonomy=food())
    assert Counter(map(tuple, bags.to_polars().to_list())) == before
