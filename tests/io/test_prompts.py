"""Conversations as logs of prompts: forms of exports, whose they are, when, what is counted and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.errors import refuses
from helpers.files import written
from helpers.prompts import TEA, lines, openai, sharegpt, wildchat
from shoal.data.log import Log
from shoal.errors import InputError
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.options import ReadOptions


def found(directory: Path, content: str, **said: Any) -> Reading:
    return read(written(directory, "chats.jsonl", content), ReadOptions(**said))


def events(reading: Reading) -> list[tuple[int, str]]:
    assert isinstance(reading.data, Log)
    return list(reading.data.frame.select("owner", "payload").iter_rows())


def times(reading: Reading) -> list[str]:
    assert isinstance(reading.data, Log)
    return reading.data.frame["time"].dt.to_string("%Y-%m-%d %H:%M:%S").to_list()


def test_prompts_of_people_are_events_and_turns_of_models_are_counted(tmp_path: Path) -> None:
    reading = found(tmp_path, lines(*TEA))
    assert reading.format == "prompts"
    assert events(reading) == [
        (0, "green tea please"),
        (0, "black tea"),
        (1, "green tea"),
        (1, "green tea"),
        (2, "green tea"),
        (2, "black tea"),
    ]
    assert reading.rows.as_dict() == {"in": 11, "used": 6, "left out: turns of models": 5}
    assert reading.roles == {"user": "hashed_ip", "time": "timestamp", "text": "conversation"}
    assert times(reading)[1] == "2023-04-09 02:00:00"


def test_sharegpt_and_openai_are_read_where_an_owner_stands_beside_them(tmp_path: Path) -> None:
    said = [("human", "one"), ("gpt", "answer"), ("human", "two")]
    assert events(found(tmp_path, lines(sharegpt(said, account=7)))) == [(0, "one"), (0, "two")]
    tree = found(tmp_path, lines(openai([("system", ""), ("user", "one"), ("assistant", "a"), ("user", "two")], account="x")))
    assert events(tree) == [(0, "one"), (0, "two")]
    assert tree.roles["time"] == "mapping.create_time"
    assert times(tree) == ["2023-07-22 04:26:41", "2023-07-22 04:26:43"]
    assert tree.rows.as_dict() == {"in": 4, "used": 2, "left out: turns of models": 2}


def test_the_time_of_a_turn_goes_before_that_of_its_conversation(tmp_path: Path) -> None:
    one = wildchat("aa", [("user", "a"), ("user", "b")], time="2024-01-01T00:00:00Z")
    one["conversation"][1]["timestamp"] = "2024-01-01T00:09:00Z"
    reading = found(tmp_path, lines(one))
    assert times(reading) == ["2024-01-01 00:00:00", "2024-01-01 00:09:00"]
    assert any("that of its turn ('timestamp')" in note for note in reading.notes)
    assert times(found(tmp_path, lines(one), time="timestamp")) == ["2024-01-01 00:00:00"] * 2


def test_conversations_without_an_owner_are_refused_until_one_is_named(tmp_path: Path) -> None:
    content = lines(sharegpt([("human", "my secret")]), sharegpt([("human", "other")]) | {"id": "b2"})
    for said in ({}, {"format": "prompts"}):
        with refuses("missing-user-column") as refused:
            found(tmp_path, content, **said)
        assert 'user="id" takes each conversation for one person\'s' in refused.value.hint
        assert "secret" not in str(refused.value) + refused.value.hint
    assert events(found(tmp_path, content, user="id")) == [(0, "my secret"), (1, "other")]


def test_several_owners_are_asked_about(tmp_path: Path) -> None:
    with refuses("ambiguous-column", role="user", columns=["hashed_ip", "account"]):
        found(tmp_path, lines(wildchat("aa", [("user", "a")]) | {"account": 1}))


def test_defects_of_lines_and_turns_are_counted_without_their_content(tmp_path: Path) -> None:
    good = [wildchat(f"u{n}", [("user", "tea"), ("user", "pot")]) for n in range(20)]
    odd = [
        wildchat("x", [("user", "fine"), ("butler", "canary")]),
        wildchat("x", [("user", {"canary": 1})]),
        wildchat("x", []),
        wildchat("x", [("user", "fine")]) | {"conversation": ["canary"]},
        wildchat("", [("user", "canary")]),
        wildchat(["x"], [("user", "canary")]),
    ]
    reading = found(tmp_path, lines(*good, *odd) + "{canary\n\n", malformed=0.3)
    assert reading.rows.as_dict() == {
        "in": 49,
        "used": 41,
        "blank lines": 1,
        "malformed: no turns": 1,
        "malformed: no list of turns": 1,
        "malformed: neither text nor number": 1,
        "malformed: not JSON": 1,
        "malformed: speaker of a turn is not known": 1,
        "malformed: turn without a readable text": 1,
        "malformed: no user": 1,
    }
    assert "canary" not in " ".join((*reading.notes, *reading.defects.described()))
    assert reading.defects.lines["no turns"] == (23,)
    with refuses("defective-rows"):
        found(tmp_path, lines(*good, *odd), strict=True)
    with refuses(
        "too-many-malformed-rows",
        defects={
            "no turns": 1,
            "no list of turns": 1,
            "neither text nor number": 1,
            "speaker of a turn is not known": 1,
            "turn without a readable text": 1,
            "no user": 1,
        },
    ):
        found(tmp_path, lines(*good, *odd))


def test_parts_that_are_no_text_are_left_out_and_counted(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "what is"}, {"type": "image_url", "image_url": {"url": "x"}}, "this"]
    reading = found(tmp_path, lines(wildchat("aa", [("user", parts), ("user", None)])))
    assert events(reading) == [(0, "what is\nthis"), (0, "")]
    assert "1 part of prompts is not text (e.g. images) and skipped" in reading.notes
    assert reading.empty_texts == 1


def test_a_file_that_could_be_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    both = lines(wildchat("aa", [("user", "a")]) | {"query": "b"})
    with refuses("ambiguous-column"):
        found(tmp_path, both)
    assert events(found(tmp_path, both, format="prompts")) == [(0, "a")]
    assert events(found(tmp_path, both, text="conversation")) == [(0, "a")]
    assert events(found(tmp_path, both, text="query")) == [(0, "b")]


def test_several_or_oddly_named_conversations_must_be_named(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}]
    with refuses("ambiguous-column"):
        found(tmp_path, lines({"user": 1, "messages": turns, "turns": turns}))
    with pytest.raises(InputError):
        found(tmp_path, lines({"user": 1, "talk": turns}))
    assert events(found(tmp_path, lines({"user": 1, "talk": turns}), format="prompts")) == [(0, "a")]
    with refuses("missing-column", value="user"):
        found(tmp_path, lines({"user": 1, "talk": turns}), format="prompts", text="user")


def test_keys_that_may_be_data_are_not_quoted(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}]
    with pytest.raises(InputError) as refused:
        found(tmp_path, lines({"ann canary": turns}), format="prompts")
    assert "canary" not in str(refused.value) + refused.value.hint


def test_an_export_is_an_array_or_lines_of_objects(tmp_path: Path) -> None:
    array = written(tmp_path, "all.json", json.dumps(TEA, indent=1))
    assert read(array, ReadOptions(format="prompts")).format == "prompts"
    with refuses("no-conversations"):
        read(written(tmp_path, "all.txt", "tea\n"), ReadOptions(format="prompts"))
    with refuses("option-not-applicable"):
        ReadOptions(format="prompts", item="x")


def test_parquet_and_frames_give_the_same_events(tmp_path: Path) -> None:
    wanted = found(tmp_path, lines(*TEA))
    table = pl.DataFrame(TEA).with_columns(pl.col("timestamp").str.to_datetime(time_zone="UTC"))
    table.write_parquet(tmp_path / "chats.parquet")
    for data in (table, tmp_path / "chats.parquet"):
        reading = read(data, ReadOptions())
        assert reading.format == "prompts"
        assert events(reading) == events(wanted)
        assert times(reading) == times(wanted)
        assert reading.rows.as_dict() == wanted.rows.as_dict()


def test_records_may_be_conversations_and_files_several(tmp_path: Path) -> None:
    first, second = written(tmp_path, "a.jsonl", lines(*TEA[:2])), written(tmp_path, "b.jsonl.gz", lines(*TEA[2:]))
    reading = read([first, second], ReadOptions(record="conversation_hash"))
    assert isinstance(reading.data, Log)
    assert reading.data.n_records("record") == 4
    assert reading.data.n_owners == 3
