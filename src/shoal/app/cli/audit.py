"""shoal audit: judge a release, also one that another tool made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shoal.app.audit import Audit, Published, audit, preparation_of
from shoal.app.cli import screen
from shoal.app.cli.options import data_options, preparation
from shoal.app.job import Preparation
from shoal.errors import ParameterError
from shoal.io.records import RECORD_FORMATS


@click.command("audit", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--claim", "-c", multiple=True, metavar="MODEL", help='Such as "k-anonymity(k=5)"; by default what the manifest claims.')
@click.option("--original", type=click.Path(path_type=Path), help="The file the release was made from, for a stricter judgement.")
@click.option("--release-format", type=click.Choice(list(RECORD_FORMATS)), help="Form of a single file of records; guessed, and announced.")
@click.option("--release-sep", metavar="CHARACTER", help="What separates items in the release.")
@data_options()
@click.option("--threads", type=click.IntRange(1), help="[default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    release: Path,
    claim: tuple[str, ...],
    original: Path | None,
    release_format: str | None,
    release_sep: str | None,
    threads: int | None,
    as_json: bool,
    **said: Any,
) -> int:
    """Judge RELEASE, a release directory or a file of records. Leaves with 3 where a claim does not hold.

    Without a claim it says the largest k for which the records are k-anonymous.
    """
    given = [name for name, value in said.items() if value is not None]
    if given and original is None:
        raise ParameterError(f"--{given[0].replace('_', '-')} says how to read the original, and no --original is given")
    how = preparation(said, base=_recorded(release)) if original else None
    with screen.progress(threads):
        found = audit(release, claim, original, how, release_format, release_sep)
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        show_audit(found, release)
    return 0 if found.holds else 3


def _recorded(release: Path) -> Preparation | None:
    manifest = Published.at(release).manifest
    return preparation_of(manifest) if manifest else None


def show_audit(found: Audit, release: Path) -> None:
    """The verdicts, the largest k, and how things were counted."""
    screen.note(*found.notes)
    state = "all claims hold" if found.holds else "A CLAIM DOES NOT HOLD"
    rows = [("records", f"{found.records:,}"), ("largest k", f"{found.largest_k:,}")]
    screen.pairs(f"{release}: {state if found.verdicts else 'no claim was made'}", rows + screen.verdict_rows(found.verdicts))
