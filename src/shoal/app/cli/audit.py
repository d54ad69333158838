"""shoal audit: judge a release, also one that another tool made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.app.audit import Audit, gathered, located
from shoal.app.cli import screen
from shoal.app.cli.config import config_option
from shoal.app.cli.config_command import ConfigCommand, said_of_original
from shoal.app.cli.options import data_options, original_option, rare_option
from shoal.app.manifest import Published
from shoal.app.request import original_options
from shoal.io.write.files import OUTPUT_FORMATS


@click.command("audit", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--claim", "-c", multiple=True, metavar="MODEL", help='Such as "k-anonymity(k=5)"; by default what the manifest claims.')
@original_option
@click.option("--sensitive", metavar="FILE", type=click.Path(path_type=Path), help="The items of a claim that holds their digest only.")
@click.option("--release-format", type=click.Choice(list(OUTPUT_FORMATS)), help="Form of a single file of records; guessed, and announced.")
@click.option("--release-sep", metavar="CHARACTER", help="What separates items in the release.")
@click.option("--allow-column", multiple=True, metavar="NAME", help="A column beside the items that may stay unjudged; give it once each.")
@data_options()
@rare_option
@click.option("--threads", type=click.IntRange(1, screen.MOST_THREADS), help="How many threads may work. [default: all cores]")
@config_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    release: Path,
    claim: tuple[str, ...],
    original: tuple[Path, ...],
    sensitive: Path | None,
    release_format: str | None,
    release_sep: str | None,
    allow_column: tuple[str, ...],
    show_rare: bool,
    threads: int | None,
    as_json: bool,
    **said: Any,
) -> int:
    """Judge RELEASE, a release directory or a file of records. Exit code 3 where a claim or a check fails.

    Without a claim it says the largest k for which the records are k-anonymous.
    """
    place = Published.at(release)
    originals = original or None
    how = original_options(said_of_original(said, originals), originals, place.manifest)
    if how is not None:
        how = located(place, how, original=originals)
    with screen.naming(show_rare), screen.progress(threads):
        material = gathered(release, claim, originals, how, release_format, release_sep, allow_column, sensitive)
        screen.note(*material.notes)
        found = material.judged()
    if as_json:
        named = {"rare": [text for verdict in found.claims for text in verdict.rare]} if show_rare else {}
        screen.as_json({**found.as_dict(), **named})
    else:
        show_audit(found, release, show_rare)
    return 0 if found.holds else 3


def show_audit(found: Audit, release: Path, show_rare: bool) -> None:
    """The verdicts, the largest k, and how things were counted."""
    rows = [("records", f"{found.records:,}")]
    rows += [("largest k", f"{found.largest_k:,}")] if found.largest_k is not None else []
    screen.pairs(f"{release}: {_outcome(found)}", rows + screen.verdict_rows((*found.checks, *found.claims), show_rare=show_rare))


def _outcome(found: Audit) -> str:
    if not all(claim.holds for claim in found.claims):
        return "A CLAIM DOES NOT HOLD"
    if not found.holds:
        return "THE AUDIT FAILS"
    if found.unchecked:
        return f"no claim fails, {found.unchecked:,} NOT CHECKABLE from what is at hand"
    return "all claims hold" if found.claims else "no claim was made"
