"""The Python interface: what the command line does, for notebooks and programs.

import shoal
data = shoal.read("queries.tsv.gz")                     # or a Polars, pandas or Arrow frame
result = shoal.anonymize(data, shoal.Clump(k=5), taxonomy="wordnet")
shoal.write(result, "release")
shoal.audit("release").holds
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.app.audit import audit
from shoal.app.job import Preparation, Target
from shoal.app.pipeline import Judged, publish
from shoal.app.pipeline import anonymize as judge
from shoal.app.prepare import prepare_data, with_reading
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.io.directory import ReleaseDirectory
from shoal.io.read.inputs import Reading
from shoal.io.read.inputs import read as read_file
from shoal.io.read.options import ReadOptions
from shoal.methods import METHODS, Method
from shoal.taxonomy.tree import Taxonomy

__all__ = ["anonymize", "audit", "read", "write"]


def read(source: str | Path | Any, **options: Any) -> Reading:
    """A file, a frame or lists of items, with options as in `ReadOptions`."""
    return read_file(source, ReadOptions(**options))


def anonymize(
    data: Reading | Log | Bags | Table,
    method: Method | str | None = None,
    *,
    taxonomy: str | Taxonomy | None = None,
    **how: Any,
) -> Judged:
    """A release that passed all its claims.

    The method is a value such as `Clump(k=5)`, or the same as text. Without a taxonomy, WordNet is taken by a method that needs one;
    the others publish names as they were typed, and a taxonomy only chooses items for them.

    `how` as in `Preparation`: per, gap, loss, unknown, scope, as_sets.
    """
    chosen = METHODS.make(method) if isinstance(method, str) else method or next(iter(METHODS.values()))()
    given = taxonomy if isinstance(taxonomy, Taxonomy) else None
    start = Preparation.default_for(chosen)
    named = "given" if given is not None else taxonomy or start.taxonomy
    preparation = replace(start, **how, taxonomy=str(named))
    content = data.data if isinstance(data, Reading) else data
    prepared = prepare_data(content, preparation, given)
    return judge(with_reading(prepared, data) if isinstance(data, Reading) else prepared, chosen)


def write(result: Judged, directory: str | Path, *, format: str = "parquet", sep: str = "\t", force: bool = False) -> dict[str, Any]:
    """Write a release directory and return its manifest. The written file is judged before it gets its name."""
    for note in ReleaseDirectory(directory, force=force).clear():
        warnings.warn(note, stacklevel=2)
    return publish(result, Target(Path(directory), format, sep, force))
