"""The Python interface: what the command line does, for notebooks and programs.

    import shoal
    data = shoal.read("queries.tsv.gz")                     # or a Polars, pandas or Arrow frame
    result = shoal.anonymize(data, shoal.Clump(k=5), taxonomy="wordnet")
    shoal.write(result, "release")
    shoal.audit("release").holds
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.app.audit import audit
from shoal.app.job import Preparation, Target
from shoal.app.pipeline import Judged, Prepared, prepare_records, publish, records_of
from shoal.app.pipeline import anonymize as judge
from shoal.data.accounting import Ledger
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.errors import InputError, ParameterError
from shoal.io.defects import Defects
from shoal.io.formats import ReadOptions
from shoal.io.read import Reading
from shoal.io.read import read as read_file
from shoal.methods import METHODS, Method
from shoal.taxonomy.tree import Taxonomy

__all__ = ["anonymize", "audit", "read", "write"]


def read(source: str | Path | Any, **options: Any) -> Reading:
    """A file (options as in `ReadOptions`), or a frame with a user column and a text or item column (named with user=, text=, item=)."""
    if isinstance(source, (str, Path)):
        return read_file(source, ReadOptions(**options))
    return _from_frame(source, **options)


def anonymize(data: Reading | Log | Bags, method: Method | str | None = None, *, taxonomy: str | Taxonomy = "wordnet", **how: Any) -> Judged:
    """A release that passed all its claims. `how` as in `Preparation`: per, gap, loss, unknown, scope, as_sets."""
    chosen = METHODS[method]() if isinstance(method, str) else method or next(iter(METHODS.values()))()
    reading = data if isinstance(data, Reading) else None
    content = data.data if isinstance(data, Reading) else data
    given = taxonomy if isinstance(taxonomy, Taxonomy) else None
    preparation = Preparation(**how, taxonomy="given" if given is not None else str(taxonomy))
    prepared = prepare_records(records_of(content, preparation), preparation, given)
    if reading is not None:
        facts = {"format": reading.format, "rows": reading.rows.total, **prepared.facts}
        prepared = Prepared(prepared.original, facts, reading, (*reading.notes, *prepared.notes))
    return judge(prepared, chosen)


def write(result: Judged, directory: str | Path, *, format: str = "parquet", sep: str = "\t", force: bool = False) -> dict[str, Any]:
    """Write a release directory and return its manifest. The written file is judged before it gets its name."""
    return publish(result, Target(Path(directory), format, sep, force))


def _from_frame(source: Any, *, user: str, text: str | None = None, item: str | None = None, time: str | None = None) -> Reading:
    if (text is None) == (item is None):
        raise ParameterError("name either the text column or the item column of the frame")
    frame = source if isinstance(source, pl.DataFrame) else pl.DataFrame(source)
    payload = text or item
    wanted = [name for name in (user, payload, time) if name is not None]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise InputError(f"the frame has no column {missing[0]!r}", hint=f"it has {', '.join(frame.columns)}")
    columns = [
        pl.col(user).rank("dense").cast(pl.Int64).alias("owner"),
        *([pl.col(time).cast(pl.Datetime("us")).alias("time")] if time else []),
        pl.col(str(payload)).cast(pl.String).alias("payload"),
    ]
    whole = frame.drop_nulls(wanted)
    log = Log(whole.select(columns), "text" if text else "item")
    once = log.without_repeats()
    parts = {"used": len(once), "repeated clicks": len(log) - len(once), "malformed: null": len(frame) - len(whole)}
    return Reading(once, "querylog" if text else "table", Ledger(len(frame), parts), Defects(), ())
