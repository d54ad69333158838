"""shoal decode: decrypt the queries of a secret-sharing release."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli import screen
from shoal.util.wording import counted


@click.command("decode", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(release: Path, as_json: bool) -> None:
    """Decode RELEASE, a release directory made by secret-sharing: print the queries that enough
    people issued, with the number of people and rows. No key is needed.
    """
    from shoal.evaluate.decode import decode

    decoded = decode(release)
    if as_json:
        screen.as_json({"queries": decoded.queries.to_dicts(), "sealed": decoded.sealed})
        return
    screen.listing(["query", "people", "rows"], [[text, f"{people:,}", f"{rows:,}"] for text, people, rows in decoded.queries.iter_rows()])
    screen.note(f"{counted(decoded.sealed, 'distinct query', 'distinct queries')} cannot be decrypted: too few people issued them")
