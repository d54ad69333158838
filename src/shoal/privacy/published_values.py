"""Where published values come from: a mechanism that chooses among what people did publishes nothing that is not in the original."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from shoal.counting import counted

if TYPE_CHECKING:
    from shoal.data.original_rows import LogOriginal

WORDS = r"[\p{L}\p{M}\p{N}]+"
FIRST, SECOND = "first", "second"
OF_WORDS = frozenset({"term", FIRST, SECOND})  # columns that hold words of texts, and not whole texts


def words_wanted(column: str, kind: str) -> str | None:
    """What the values of a column are of the texts of a log: matches of a pattern; None where they are whole payloads."""
    return WORDS if kind == "text" and column in OF_WORDS else None


def invented(strange: int, column: str) -> str:
    """What is said of published values that stand nowhere in the original."""
    return f"{counted(strange, 'published value')} of {column!r} stand nowhere in the original"


def apart(keys: pl.DataFrame, original: LogOriginal) -> Iterator[str]:
    """Pairs that nobody has together: a query and a URL in one row, two words in one query, two items of one person."""
    log = original.log
    if keys.columns == ["query", "url"] and "url" in log.frame.columns:
        together = log.frame.select(query="payload", url="url")
    elif keys.columns == [FIRST, SECOND]:
        texts = log.kind == "text"
        values = pl.col("payload").str.extract_all(WORDS) if texts else pl.concat_list("payload")
        held = log.frame.with_row_index("row").select("row" if texts else pl.col("owner").alias("row"), value=values).explode("value")
        wanted = held.join(_values(keys), on="value", how="semi").unique()
        together = wanted.join(wanted, on="row", suffix="_other").select(pl.col("value").alias(FIRST), pl.col("value_other").alias(SECOND))
    else:
        return
    if strange := len(keys.join(together.unique(), on=keys.columns, how="anti")):
        yield f"{counted(strange, 'published pair')} stand nowhere together in the original"


def _values(keys: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"value": pl.concat([keys[FIRST], keys[SECOND]]).unique()})
