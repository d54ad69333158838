"""What is shown of a release that was made: the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.cli import screen
from shoal.data.claims import Verdict
from shoal.io.release_directory import REPORT
from shoal.kinds import summary_of
from shoal.report.alarms import alarms, other_notes
from shoal.report.attacks import attack_lines
from shoal.report.summary import PROTECTS
from shoal.report.verdict_text import lack_of
from shoal.util.wording import counted

ONE_PART = 2  # a ledger of one part has nothing to tell: its total and that part


def told(verdicts: Sequence[Verdict], manifest: dict[str, Any], out: Path, *, as_json: bool) -> None:
    """The manifest, or what is to be known about the release at a glance."""
    if as_json:
        screen.as_json(manifest)
        screen.alarm(*alarms(manifest), error_stream=True)
    else:
        show_outcome(verdicts, manifest, out)


def show_outcome(verdicts: Sequence[Verdict], manifest: dict[str, Any], out: Path) -> None:
    """What was published and lost, what went in and where it went, which guarantee was verified, which file to open."""
    given, account = manifest["input"], manifest["accounting"]
    shown = [name for name in account if name != "words" or len(account[name]) > ONE_PART]
    used = ", ".join(f"{n}={screen.plain(v)}" for n, v in manifest["parameters"].items() if v is not None)
    summary, lack = summary_of(manifest), lack_of(manifest)
    rows = [
        *summary.lines,
        ("input", _came_in(given)),
        *([("protected", given[PROTECTS])] if PROTECTS in given else []),
        *((name, screen.ledger_line(account[name])) for name in shown),
        *_unknown(given),
        *screen.verdict_rows(verdicts),
        *attack_lines(manifest),
        *(("", text) for text in other_notes(manifest)),
        ("method", f"{manifest['method']} with {used}"),
        ("report", str(out / REPORT)),
    ]
    outcome = f"written WITHOUT ANY GUARANTEE. {lack}" if lack else "verified and written"
    screen.side_by_side(f"{out}: {outcome}", [(share.name, share.text) for share in summary.shares], rows, alarms(manifest))


def _came_in(given: dict[str, Any]) -> str:
    if "owners" not in given:
        return "not published: exact numbers would break the guarantee"
    people = counted(given["owners"], "person", "people")
    if "records" not in given:
        return f"{counted(given['rows'], 'row')} of {people}"
    return f"{counted(given['records'], 'record')} of {people}, {counted(given['items'], 'distinct term')}"


def _unknown(given: dict[str, Any]) -> list[tuple[str, str]]:
    if "unknown_items" not in given:
        return []
    terms, occurrences = counted(given["unknown_items"], "term"), counted(given["unknown_occurrences"], "occurrence")
    return [("unknown terms", f"{terms}, {occurrences} ({given['unknown']})")]
