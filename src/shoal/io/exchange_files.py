"""Rows on their way from the tasks that make them to the parts where they are needed next, as files that all machines see.

A task writes one file: where the rows for each part begin, and then the rows, part by part. Who works on a part reads its rows in all of
these files. So a cluster moves no rows itself, and a worker that is lost takes none with it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.data.bags import Ints
from shoal.errors import ShoalError
from shoal.io.release_directory import disk_errors
from shoal.io.step_files import PACKING

PLACE = np.dtype("<i8")  # where something begins in a file


def begin_exchange(place: Path, name: str) -> Path:
    """A directory for the files of one exchange."""
    with disk_errors(name):
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=place))


def end_exchange(directory: Path) -> None:
    """The rows are where they are needed. What an attempt still writes that nobody waits for goes with all that was stored."""
    shutil.rmtree(directory, ignore_errors=True)


def write_exchanged(table: pa.Table, places: Ints, parts: int, directory: Path, task: int) -> tuple[str, int]:
    """Write rows, each for the part that its place tells; the name and size of the file. Names are random: no attempt touches another's."""
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=parts))
    ordered = table.combine_chunks().take(pa.array(order))
    name = f"task-{task:05}-{secrets.token_hex(8)}.rows"
    begins = np.zeros(parts + 1, PLACE)
    with disk_errors(directory.name), (directory / name).open("wb") as file:
        file.seek(begins.nbytes)
        for part, (start, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
            begins[part] = file.tell()
            if end > start:
                file.write(packed(ordered.slice(start, end - start)))
        begins[parts] = file.tell()
        file.seek(0)
        file.write(begins.tobytes())
    return name, int(begins[parts])


def read_exchanged(files: Sequence[Path], part: int) -> pa.Table:
    """The rows for a part in the files of all tasks, in the order of the files. Columns that a task lacks are null; no rows, no columns."""
    found = [held for held in (_for_part(file, part) for file in files) if held]
    return unpacked(found) if found else pa.table({})


def packed(table: pa.Table) -> bytes:
    """All rows of a table as one value."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=PACKING) as out:
        out.write_table(table)
    return bytes(sink.getvalue())


def unpacked(values: Iterable[bytes]) -> pa.Table:
    """The rows of packed values, one behind the other."""
    return pa.concat_tables((pa.ipc.open_stream(value).read_all() for value in values), promote_options="default")


def _for_part(path: Path, part: int) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        begin, end = np.frombuffer(_bytes_at(handle, part * PLACE.itemsize, 2 * PLACE.itemsize), PLACE).tolist()
        return _bytes_at(handle, begin, end - begin)
    finally:
        os.close(handle)


def _bytes_at(handle: int, begin: int, size: int) -> bytes:
    held = os.pread(handle, size, begin)
    if len(held) != size:
        raise ShoalError("a file that a task wrote is incomplete: nothing was written", code="incomplete-task-file")
    return held
