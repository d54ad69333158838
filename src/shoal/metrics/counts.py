"""What is left of a log of which counts are published: the words that stand in a counted value. Told only to whoever has the log."""

from __future__ import annotations

from typing import Any

import polars as pl

from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import COUNT, CountTable
from shoal.metrics import Metric

WORDS = r"[\p{L}\p{M}\p{N}]+"
WHOLE = ("query", "item")  # columns of values that are whole payloads; others hold words


def words_counted(release: Release, original: LogOriginal) -> float:
    """Words of published queries, published words, or published items: their uses as a share of all."""
    table = next(iter(release.tables.values()))
    assert isinstance(table, CountTable)
    payloads = original.log.frame["payload"]
    whole = next((name for name in WHOLE if name in table.columns), None)
    if original.log.kind == "item":
        shown = table.frame[whole] if whole else pl.concat([table.frame[name] for name in table.columns if name != COUNT])
        return _share(payloads.is_in(shown.unique().implode()).sum(), len(payloads))
    words = payloads.str.count_matches(WORDS)
    if whole is not None:
        return _share(words.filter(payloads.is_in(table.frame[whole].implode())).sum(), words.sum())
    shown = pl.concat([table.frame[name] for name in table.columns if name != COUNT])
    typed = payloads.str.extract_all(WORDS).explode(empty_as_null=False)
    return _share(typed.is_in(shown.unique().implode()).sum(), words.sum())


def _share(part: Any, whole: Any) -> float:
    return int(part) / max(1, int(whole))


WORDS_COUNTED = Metric(
    "words_counted",
    "share of the words as typed that stand in a counted value",
    "higher",
    words_counted,
    highest=1.0,
    kinds=frozenset({"counts"}),
    takes=frozenset({"log"}),
)
