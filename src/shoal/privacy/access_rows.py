"""What an access log is judged by: which addresses or rows are alike, which rows are a unit, how many people share a published value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

import polars as pl

from shoal.taxonomy.urls import page_levels
from shoal.text.agents import agent_levels

_WRITTEN = ("time", "request", "status", "size", "referrer", "agent")
_LEVELS: Mapping[str, Callable[[str], tuple[str, ...]]] = {"page": page_levels, "referrer": page_levels, "agent": agent_levels}
_REQUEST = r"^\S+ (.*?)(?: HTTP/\d(?:\.\d)?)?$"
_PARTS = {"method": r"^(\S+) ", "protocol": r" (HTTP/\d(?:\.\d)?)$"}
_NOTHING = "-"


def classes_of_rows(frame: pl.DataFrame) -> pl.Series:
    """The class of each row: those that are the same in every field."""
    return frame.select(pl.struct(frame.columns).rank("dense").alias("class")).to_series()


def classes_of_addresses(frame: pl.DataFrame) -> pl.Series:
    """The class of each row's address: addresses with the same rows, each as often, whatever their order."""
    row = frame.select("address", pl.struct(_WRITTEN).rank("dense").alias("row"))
    profiles = row.group_by("address").agg(pl.col("row").sort().cast(pl.String).str.join(" "))
    numbered = profiles.select("address", pl.col("row").rank("dense").alias("class"))
    return row.join(numbered, on="address", how="left", maintain_order="left")["class"]


def units_of(rows: pl.DataFrame, per: str, gap: timedelta) -> pl.Series:
    """The unit of each row of the original: an owner, a row, or a session of one owner, address and agent without a pause above `gap`."""
    if per == "owner":
        return rows["owner"].alias("unit")
    if per == "row":
        return pl.int_range(len(rows), eager=True).alias("unit")
    whose = ["owner", "address", "agent"]
    pause = pl.col("time").diff().over(whose, order_by="time") > gap
    begun = rows.select(*whose, "time", pause.fill_null(False).alias("late"))
    turn = begun.with_columns(turn=pl.col("late").cast(pl.Int64).cum_sum().over(whose, order_by="time"))
    return turn.select(pl.struct(*whose, "turn").rank("dense").alias("unit")).to_series()


def starts_of_few(told: pl.DataFrame, known: pl.DataFrame, per: str, gap: timedelta, least: int) -> int:
    """How many published sessions begin at the second at which sessions of some people of their class do, but of fewer than `least`."""
    if per == "row":
        begun, shown = known.select("class", "owner", "time"), told.select("class", "time")
    else:
        begun = known.with_columns(session=units_of(known, "session", gap)).group_by("class", "owner", "session").agg(pl.col("time").min())
        numbered = told.select("class", "time", "address", "agent", owner="address")
        shown = numbered.with_columns(session=units_of(numbered, "session", gap)).group_by("class", "session").agg(pl.col("time").min())
    people = begun.with_columns(pl.col("time").dt.truncate("1s")).group_by("class", "time").agg(people=pl.col("owner").n_unique())
    return int((shown.join(people, on=["class", "time"], how="inner")["people"] < least).sum())


def few_owners(told: pl.DataFrame, known: pl.DataFrame, name: str, least: int) -> tuple[int, int]:
    """How many published values fewer people of their class share than `least`, and how many share the rarest; `-` tells nothing.

    A value is shared by all who have it, or one that it is a generalization of.
    """
    page = pl.coalesce(pl.col("request").str.extract(_REQUEST), pl.col("request"))  # what is no request is judged as a whole
    shown = told.with_columns(page=page) if name == "page" else told
    published = shown.select("class", value=pl.col(name)).filter(pl.col("value") != _NOTHING).unique()
    held = known.select("class", "owner", value=pl.col(name)).drop_nulls().unique()
    values = held["value"].unique()
    above = pl.Series([list(dict.fromkeys((value, *_LEVELS[name](value)))) for value in values.to_list()], dtype=pl.List(pl.String))
    spread = pl.DataFrame({"value": values, "level": above}).explode("level")
    sharing = held.join(spread, on="value").group_by("class", "level").agg(people=pl.col("owner").n_unique())
    counted = published.join(sharing, left_on=["class", "value"], right_on=["class", "level"], how="left")["people"].fill_null(0)
    return int((counted < least).sum()), int(counted.min() if len(counted) else known["owner"].n_unique())  # type: ignore[arg-type]


def few_holders(told: pl.DataFrame, known: pl.DataFrame, name: str, least: int, usual: str) -> int:
    """How many published methods, protocols or statuses fewer people of their class have than `least`; the usual one tells nothing."""
    value = pl.col("request").str.extract(_PARTS[name]) if name in _PARTS else pl.col(name).cast(pl.String)
    published = told.select("class", value=value).drop_nulls().filter(pl.col("value") != usual).unique()
    held = known.select("class", "owner", value=pl.col(name).cast(pl.String)).drop_nulls().unique()
    people = held.group_by("class", "value").agg(people=pl.len())
    return int((published.join(people, on=["class", "value"], how="left")["people"].fill_null(0) < least).sum())


def out_of_range(told: pl.DataFrame, known: pl.DataFrame, gap: timedelta) -> Iterator[tuple[str, int]]:
    """Published times and sizes that are no means of those of their class: how many of each are below the least or above the largest.

    Sessions of one profile are kept apart by pauses, so that its last row may come later than any of the original, by a pause a row.
    """
    longest = told.group_by("class", "address").len()["len"].max()
    later = (gap + timedelta(seconds=1)) * (longest if isinstance(longest, int) else 0)
    for name, slack in (("time", later), ("size", 0)):
        bounds = known.group_by("class").agg(least=pl.col(name).min(), most=pl.col(name).max())
        both = told.select("class", value=pl.col(name)).drop_nulls().join(bounds, on="class", how="left")
        outside = (pl.col("value") < pl.col("least")) | (pl.col("value") > pl.col("most") + slack)
        if n := int(both.select(outside.fill_null(True).sum()).item()):
            yield name, n
