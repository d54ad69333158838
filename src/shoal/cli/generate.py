"""shoal generate: realistic synthetic query logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import screen
from shoal.cli.options import declared_options
from shoal.synthetic.querylog import QueryLog


@click.command("generate", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("output", type=click.Path(path_type=Path))
@declared_options(QueryLog)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def command(output: Path, force: bool, **options: Any) -> None:
    """Generate a synthetic query log in AOL format at OUTPUT (compressed if it ends in .gz). Memory use does not depend on its size."""
    from shoal.io import partial_outputs as unfinished
    from shoal.io.release_directory import disk_errors
    from shoal.io.synthetic_log import write_log

    log = QueryLog.parse({name: value for name, value in options.items() if value is not None})
    screen.note(*unfinished.clear(output.parent))
    with disk_errors(str(output)), screen.bars() as watch:
        facts = write_log(log, output, force=force, progress=watch)
    rows = [("users", f"{facts.users:,}"), ("queries", f"{facts.queries:,}"), ("rows", f"{facts.rows:,}")]
    screen.pairs(f"{output}: written", [*rows, ("nouns per user", f"{facts.nouns / facts.users:.1f}")])
