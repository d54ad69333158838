"""shoal audit: verify a release, including one made by another tool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shoal.auditing.statements import COLUMNS_COVERED, NOT_VERIFIABLE
from shoal.cli import screen
from shoal.cli.config import config_option
from shoal.cli.config_command import ConfigCommand, options_for_original
from shoal.cli.input_options import original_option
from shoal.cli.options import data_options, no_guarantee_option, patience_option, rare_option, threads_option, verbose_option
from shoal.data.patience import allowing
from shoal.io.write.output_format import OUTPUT_FORMATS
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.auditing.audit import Audit
    from shoal.pipeline.manifest import Published
    from shoal.privacy.evidence.file_strength import Strength

NOT_IN_FILES = "not counted: the files do not show which records belong to one person"
PEOPLE_UNKNOWN = "not counted: one person may own several of the records; --release-user names a column of user IDs"


@click.command("audit", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--claim",
    "-c",
    multiple=True,
    metavar="MODEL",
    help='Claim to verify, e.g. "k-anonymity(k=5)". Repeatable. [default: the claims in the manifest]',
)
@original_option
@click.option("--sensitive", metavar="FILE", type=click.Path(path_type=Path), help="Sensitive items, for a claim that does not list them.")
@click.option("--release-format", type=click.Choice(list(OUTPUT_FORMATS)), help="Format of a single release file. [default: detected]")
@click.option("--release-sep", metavar="CHARACTER", help="Item separator of the release.")
@click.option("--release-user", metavar="COLUMN", help="Column with the user ID, for a single release file.")
@click.option(
    "--strength",
    type=int,
    metavar="K",
    help="Report the largest m for this k, and the largest k for each number m of known items. [default: 5]",
)
@click.option("--allow-column", multiple=True, metavar="NAME", help="Accept this column although no claim covers it. Repeatable.")
@data_options()
@no_guarantee_option
@rare_option
@patience_option
@threads_option
@config_option
@verbose_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    release: Path,
    claim: tuple[str, ...],
    original: Any,
    sensitive: Path | None,
    release_format: str | None,
    release_sep: str | None,
    release_user: str | None,
    strength: int | None,
    allow_column: tuple[str, ...],
    no_guarantee: bool,
    show_rare: bool,
    patience: float | None,
    threads: int | None,
    verbose: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Verify the claims of RELEASE, a release directory or a single file of records. The exit code is 3 if a claim or
    a check fails, or if a claim takes too long to verify.

    Without any claim, report the largest k against an attacker who knows 1, 2, 3, ... items or the whole record.
    """
    from shoal.auditing.audit import gather_material, located
    from shoal.pipeline.manifest import Published
    from shoal.pipeline.request import original_options

    place = Published.at(release)
    preparation = original_options(options_for_original(options, original), original, place.manifest)
    if preparation is not None:
        preparation = located(place, preparation, original=original)
    with allowing(patience), screen.naming(show_rare), screen.progress(threads):
        read_as = (release_format, release_sep, allow_column, sensitive)
        material = gather_material(release, _typed_claims(claim, place), original, preparation, *read_as, release_user=release_user)
        screen.note(*material.notes)
        audit = material.judged(strength, no_guarantee=no_guarantee)
    if as_json:
        named = {"rare": [text for verdict in audit.claims for text in verdict.rare]} if show_rare else {}
        screen.as_json({**audit.as_dict(), **named})
    else:
        show_audit(audit, release, show_rare=show_rare, verbose=verbose)
    return 0 if audit.holds else 3


def show_audit(audit: Audit, release: Path, *, show_rare: bool, verbose: bool) -> None:
    """Show the verdict on each claim, failed checks and the largest k; if `verbose`, all checks and what cannot be checked."""
    rows = [("guarantee", f"NONE. {audit.lack}")] if audit.lack else []
    rows += [("records", f"{audit.records:,}")]
    rows += [("largest k", f"{audit.largest_k:,}")] if audit.largest_k is not None else []
    rows += _people_rows(audit)
    if verbose:
        rows += screen.verdict_rows((*audit.checks, *audit.claims), show_rare=show_rare)
        rows += [("in total", f"{_beyond(unknown)} cannot be verified from the files")] if (unknown := audit.beyond_files) else []
    else:
        rows += screen.verdict_rows(audit.claims, show_rare=show_rare) + _check_rows(audit)
    screen.pairs(f"{release}: {_outcome(audit)}", rows + strength_rows(audit.strength), audit.alarms)


def _people_rows(audit: Audit) -> list[tuple[str, str]]:
    """Say that people were not counted, if a claim or the largest k is about records only."""
    if audit.strength is not None and not audit.strength.people:
        return [("people", PEOPLE_UNKNOWN)]
    of_records = any("records" in claim.achieved and "people" not in claim.achieved for claim in audit.claims)
    return [("people", NOT_IN_FILES if audit.lines else PEOPLE_UNKNOWN)] if of_records and not audit.people_known else []


def _check_rows(audit: Audit) -> list[tuple[str, str]]:
    """Return the failed or waived checks, the number of those that hold, and the number of statements that cannot be verified."""
    shown = [check for check in audit.checks if not check.holds or check.claim == COLUMNS_COVERED]
    rows = screen.verdict_rows([replace(check, notes=tuple(filter(_is_hint, check.notes))) for check in shown])
    if kept := len(audit.checks) - len(shown):
        rows.append(("checks", f"{kept:,} passed ({'files and manifest' if audit.lines else 'files'})"))
    if unknown := audit.beyond_files:
        rows.append(("", f"{_beyond(unknown)} cannot be verified from the files: -v lists {'it' if unknown == 1 else 'them'}"))
    return rows


def _beyond(unknown: int) -> str:
    return counted(unknown, "statement")


def _is_hint(note: str) -> bool:
    """Whether a note contains more than the number of statements that cannot be verified."""
    return not note.startswith(f"{NOT_VERIFIABLE}: ")


def strength_rows(strength: Strength | None) -> list[tuple[str, str]]:
    """Return the largest k for each number of known items, and the consequence for the requested k."""
    if strength is None:
        return []
    rows = [("attacker knows", f"matching {'people' if strength.people else 'records'}, at least")]
    for level in strength.levels:
        last = level is strength.levels[-1] and strength.every_m_counted
        known = f"{counted(level.m, 'item')}{' or more' if last else ''}"
        rows.append((f"  {known}", f"{level.k:,}" if level.exact else f"at most {level.k:,} (too many sets to count all)"))
    rows.append(("  the whole record", f"{strength.whole_record:,}"))
    rows.append((f"at k = {strength.k:,}", largest_m_text(strength)))
    return rows


def largest_m_text(strength: Strength) -> str:
    """Describe the values of m for which the records are k^m-anonymous."""
    if strength.every_m:
        return "k^m-anonymous for every m"
    if not strength.largest_m and strength.largest_m_exact:
        return "not k^m-anonymous for any m"
    if strength.largest_m_exact:
        return f"k^m-anonymous for m up to {strength.largest_m:,}, and no larger m"
    return f"k^m-anonymous for m up to {strength.largest_m:,}; larger m were not counted"


def _typed_claims(claims: tuple[str, ...], place: Published) -> tuple[str, ...]:
    """Return the claims to verify. If an options file names only claims of the manifest, these are all claims of the manifest."""
    from shoal.pipeline.claims import claims_of, parse_claims

    if click.get_current_context().get_parameter_source("claim") is not ParameterSource.DEFAULT_MAP:
        return claims
    stated = set(map(str, claims_of(place.manifest))) if place.manifest else set()
    return () if stated and all(str(claim) in stated for claim in parse_claims(claims)) else claims


def _outcome(audit: Audit) -> str:
    if any(claim.standing == "fails" for claim in audit.claims):
        return "A CLAIM DOES NOT HOLD"
    if unjudged := sum(claim.standing == "not judged" for claim in audit.claims):
        return f"{unjudged:,} OF {len(audit.claims):,} CLAIMS NOT VERIFIED"
    if not audit.holds:
        return "THE AUDIT FAILS"
    if audit.lack and not audit.claims:
        return "NO GUARANTEE"
    if audit.unchecked:
        return f"no claim fails, but {audit.unchecked:,} NOT CHECKABLE with the available data"
    return "all claims hold" if audit.claims else "no claims"
