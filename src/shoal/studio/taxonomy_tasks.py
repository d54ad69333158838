"""What a worker does for taxonomies: make one from a file, a product table or the topics of an opened file; and see what it covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.api.data_options import prepared_as
from shoal.data.column_list import ColumnNames
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ShoalError
from shoal.io.read.dispatch import read
from shoal.io.read.formats import column_names
from shoal.io.read.taxonomies import read_taxonomy
from shoal.io.read.taxonomy_levels import read_levels
from shoal.io.write.taxonomy_file import write_edges
from shoal.pipeline.events import Cancel, Events, running
from shoal.pipeline.learn_taxonomy import learn_taxonomy
from shoal.pipeline.options import TOPICS, Preparation
from shoal.pipeline.prepare import records_of, taxonomy_of
from shoal.studio.spelling import on_page
from shoal.studio.tasks import Values
from shoal.taxonomy.tree_drawing import coverage

FILE, TABLE = "file", "table"  # and topics: what a taxonomy is made from
COLUMNS = "columns"  # nothing is made yet: which columns a file has
MOST_NODES = 200_000  # of a taxonomy that is edited
MISSING = 20


def taxonomy_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Make a taxonomy and write it as the file of edges that the command line reads."""
    with running(events, cancel):
        if task["make"] == COLUMNS:
            return {"columns": columns_of(Path(task["path"]))}
        tree, notes = _made(Path(task["path"]), task)
        if len(tree) > MOST_NODES:
            raise InputError(
                f"the taxonomy has {len(tree):,} nodes, and the studio edits at most {MOST_NODES:,}",
                code="too-many-nodes",
                hint="use it with the command line",
            )
        write_edges(tree, Path(task["target"]))
    return {"nodes": len(tree), "notes": list(map(on_page, notes))}


def _made(path: Path, task: Mapping[str, Any]) -> tuple[Taxonomy, tuple[str, ...]]:
    if task["make"] == TABLE:
        levels = read_levels(path, ColumnNames.parse(task["levels"]).names)
        return levels.taxonomy, (*levels.notes, *(f"conflict: {one}" for one in levels.conflicts[:MISSING]))
    if task["make"] == TOPICS:
        options = {name: value for name, value in task["options"].items() if name not in {"taxonomy", "per"}}
        topics = {} if options.get("items_table") else {"taxonomy": TOPICS}  # items of a table have a taxonomy of their own
        learned = learn_taxonomy((path,), prepared_as({**options, **topics}, Preparation())[0], task["people"])
        words = f"{learned.placed:,} of {learned.words:,} items are below one; {learned.left_out:,} of few people are left out"
        return learned.taxonomy, (f"{learned.topics:,} topics; {words}", *learned.notes)
    found = read_taxonomy(str(path), loss=DEFAULT_LOSS)
    return found.taxonomy, (f"read as {found.form}", *found.notes)


def columns_of(path: Path) -> list[str]:
    """Return the columns of a product table; none if the file is no table."""
    try:
        return column_names(path, None, None)
    except ShoalError:  # making the taxonomy says what is wrong with the file
        return []


def coverage_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Return how much of a file a taxonomy covers, and the frequent items that it lacks; those of few people are only counted."""
    with running(events, cancel):
        preparation = prepared_as({**task["options"], "taxonomy": task["taxonomy"]}, Preparation())[0]
        records = records_of(read(Path(task["path"]), preparation.reading).data, preparation)
        found = coverage(records.folded, taxonomy_of(records, preparation)[0], MISSING)
    return {**asdict(found), "share": found.share, "missing": [list(one) for one in found.missing]}
