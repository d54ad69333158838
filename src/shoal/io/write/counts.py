"""Writing counts."""

from __future__ import annotations

from pathlib import Path

from shoal.data.tables.counts import CountTable
from shoal.io.write.frames import write_frame
from shoal.io.write.output_format import FileFact, OutputForm


def write(table: CountTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file; neither separator nor layout apply."""
    form.refuse_layout(table.kind)
    return (write_frame(table.shuffled(), directory, name, form.format, table=name, kind=table.kind),)
