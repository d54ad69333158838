"""Writing chunks: NAME_subrecords, NAME_shared, NAME_terms and NAME_clusters."""

from __future__ import annotations

from pathlib import Path

from shoal.data.tables.chunks import PARTS, ChunkTable
from shoal.io.write.frames import write_frame
from shoal.io.write.output_format import FileFact, OutputForm


def write(table: ChunkTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file for each part; neither separator nor layout apply."""
    form.refuse_layout(table.kind)
    return tuple(
        write_frame(frame, directory, f"{name}_{part}", form.format, table=name, kind=table.kind, part=part)
        for part, frame in zip(PARTS, table.shuffled(), strict=True)
    )
