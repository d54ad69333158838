"""Writing groups with two parts: NAME_rows and NAME_histogram."""

from __future__ import annotations

from pathlib import Path

from shoal.data.tables.groups import PARTS, GroupTable
from shoal.io.write.files import FileFact, OutputForm
from shoal.io.write.frames import write_frame


def write(table: GroupTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file for each part; neither separator nor layout apply."""
    form.refuse_layout(table.kind)
    return tuple(
        write_frame(frame, directory, f"{name}_{part}", form.format, table=name, kind=table.kind, part=part)
        for part, frame in zip(PARTS, table.shuffled(), strict=True)
    )
