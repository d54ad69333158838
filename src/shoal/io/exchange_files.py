"""Rows on their way from the tasks that produce them to the partitions that need them, as files on a shared file system.

A task writes one file: the offsets of the rows for each partition, and then the rows by partition. The worker of a partition reads its rows
from all of these files. So a cluster moves no rows itself, and a lost worker loses none.
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
    """Create a directory for the files of one exchange."""
    with disk_errors(name):
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=place))


def end_exchange(directory: Path) -> None:
    """Remove the files of an exchange; what a superseded attempt still writes is removed with everything else."""
    shutil.rmtree(directory, ignore_errors=True)


def write_exchanged(table: pa.Table, places: Ints, parts: int, directory: Path, task: int) -> tuple[str, int]:
    """Write rows by partition, and return the name and size of the file. Names are random, so that attempts do not interfere."""
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
    """Read the rows for a partition from the files of all tasks, in file order. Columns that a task lacks are null."""
    found = [held for held in (_for_part(file, part) for file in files) if held]
    return unpacked(found) if found else pa.table({})


def packed(table: pa.Table) -> bytes:
    """Serialize all rows of a table as one value."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=PACKING) as out:
        out.write_table(table)
    return bytes(sink.getvalue())


def unpacked(values: Iterable[bytes]) -> pa.Table:
    """Concatenate the rows of serialized tables."""
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
