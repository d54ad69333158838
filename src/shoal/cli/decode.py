"""shoal decode: what a release of shares tells to whoever puts them together."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli import screen
from shoal.counting import counted
from shoal.evaluate.decode import decode


@click.command("decode", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(release: Path, as_json: bool) -> None:
    """Read what can be read of RELEASE, a release directory of shares: the queries that enough
    people asked, each with the number of people and of rows. No key is needed.
    """
    found = decode(release)
    if as_json:
        screen.as_json({"queries": found.queries.to_dicts(), "sealed": found.sealed})
        return
    screen.listing(["query", "people", "rows"], [[text, f"{people:,}", f"{rows:,}"] for text, people, rows in found.queries.iter_rows()])
    screen.note(f"{counted(found.sealed, 'different query stays', 'different queries stay')} sealed: too few people asked")
