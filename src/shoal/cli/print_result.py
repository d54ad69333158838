"""Output about a written release, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.cli import screen
from shoal.data.claims import Verdict
from shoal.io.read.options import ITEMS_TABLE
from shoal.io.release_directory import REPORT
from shoal.kinds import is_attackable, summary_of
from shoal.pipeline.prepare import READ_AS
from shoal.report.alarms import other_notes
from shoal.report.attacks import ATTACKS, attack_lines, attacks_without_rate, conclusion_in, outcomes_on
from shoal.report.summary import ITEMS_ARE, PROTECTS, SummaryShare, words_title
from shoal.report.verdict_text import lack_of
from shoal.util.wording import counted

ONE_PART = 2  # a ledger of one part has nothing to tell: its total and that part
ACCOUNTS = ("distinct items", "loss")  # lines of a summary that are shown with the accounts only
BAR = 12  # characters of the bar of published words
SHADES = {"same": "█", "near": "▓", "changed": "▒", "vague0": "░"}  # of the bar, by the tone of a share; what is gone stays blank
SHADES_IN_ASCII = {"same": "#", "near": "+", "changed": "-", "vague0": "."}


def print_release(
    verdicts: Sequence[Verdict],
    manifest: dict[str, Any],
    out: Path,
    warnings: Sequence[str] = (),
    *,
    as_json: bool = False,
    verbose: bool = False,
) -> None:
    """Print the manifest, a short outcome or, if `verbose`, all accounts."""
    if as_json:
        screen.as_json(manifest)
        screen.alarm(*warnings, error_stream=True)
        return
    show = show_accounts if verbose else show_outcome
    show(verdicts, manifest, out, warnings)


def show_outcome(verdicts: Sequence[Verdict], manifest: dict[str, Any], out: Path, warnings: Sequence[str] = ()) -> None:
    """Print in a few lines which guarantee was verified, the utility, the risk, and which file to open."""
    facts, summary = manifest["input"], summary_of(manifest)
    rows = [
        *(("guarantee", screen.verdict_line(verdict)) for verdict in verdicts),
        *([("utility", utility_bar(summary.shares))] if any(share.n for share in summary.shares) else []),
        *((name, text) for name, text in summary.lines if name not in ACCOUNTS or not summary.shares),
        ("input", _input_text(facts)),
        *_item_level(facts),
        *([("protected", facts[PROTECTS])] if PROTECTS in facts else []),
        *risk_lines(manifest),
        ("report", f"{out / REPORT} ({_more(manifest)})"),
    ]
    screen.pairs(_title(manifest, out), rows, warnings)


def show_accounts(verdicts: Sequence[Verdict], manifest: dict[str, Any], out: Path, warnings: Sequence[str] = ()) -> None:
    """Print what was published and lost, the outcome of every row, record and item, all verdicts, attacks and notes."""
    facts, account = manifest["input"], manifest["accounting"]
    shown = [name for name in account if name != "words" or len(account[name]) > ONE_PART]
    used = ", ".join(f"{n}={screen.plain(v)}" for n, v in manifest["parameters"].items() if v is not None)
    summary = summary_of(manifest)
    rows = [
        *summary.lines,
        ("input", _input_text(facts)),
        *_item_level(facts),
        *([("protected", facts[PROTECTS])] if PROTECTS in facts else []),
        *((_ledger_name(name, manifest), screen.ledger_line(account[name])) for name in shown),
        *_unknown(facts),
        *screen.verdict_rows(verdicts),
        *attack_lines(manifest),
        *(("", text) for text in other_notes(manifest)),
        ("method", f"{manifest['method']} with {used}"),
        ("report", str(out / REPORT)),
    ]
    screen.side_by_side(_title(manifest, out), [(share.name, share.text) for share in summary.shares], rows, warnings)


def utility_bar(shares: Sequence[SummaryShare]) -> str:
    """Return a bar of fixed width with the forms in which items are published, and the shares that are not zero."""
    shades = SHADES if screen.prints("".join(SHADES.values())) else SHADES_IN_ASCII
    ends, drawn, reached = 0, "", 0.0
    for share in shares:
        reached += share.value
        width = round(BAR * reached) - ends
        drawn, ends = drawn + shades.get(share.tone, " ") * width, ends + width
    return f"[{drawn:{BAR}}] {', '.join(f'{share.text} {share.name}' for share in shares if share.n)}"


def risk_lines(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the measured risk if the release was attacked; otherwise how to measure it, if possible."""
    if ATTACKS in manifest:
        verdict, missing = conclusion_in(manifest), attacks_without_rate(manifest)
        rows = [("risk", verdict.in_fact), ("bound", verdict.promised)] if outcomes_on(manifest) else []
        return [*rows, *(("not measured", sentence) for sentence in missing)]
    return [("risk", "not measured; --attack measures it")] if is_attackable(manifest) else []


def _title(manifest: dict[str, Any], out: Path) -> str:
    lack = lack_of(manifest)
    return f"{out}: " + (f"written WITHOUT ANY GUARANTEE. {lack}" if lack else "verified and written")


def _more(manifest: dict[str, Any]) -> str:
    notes = len(other_notes(manifest))
    return "-v shows all numbers" + (f" and {counted(notes, 'note')}" if notes else "")


def _item_level(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Note that items were replaced by a level of a product table, so `as typed` refers to that level."""
    level = facts.get(READ_AS, {}).get(ITEMS_TABLE, {}).get("level")
    return [] if level is None else [("item level", f"{level}: each item was replaced by its {level} first")]


def _ledger_name(name: str, manifest: dict[str, Any]) -> str:
    """Return the label of a ledger: that of words counts how words or items were read, or what is published of the words of queries."""
    return f"{words_title(manifest)} read" if name == "words" and manifest["input"].get("read_as") != "log" else name


def _input_text(facts: dict[str, Any]) -> str:
    if "owners" not in facts:
        return "not published: exact numbers would break the guarantee"
    people = counted(facts["owners"], "person", "people")
    if "records" not in facts:
        return f"{counted(facts['rows'], 'row')} of {people}"
    which = f" ({ITEMS_ARE[facts['format']]})" if facts.get("format") in ITEMS_ARE else ""
    return f"{counted(facts['records'], 'record')} of {people}, {counted(facts['items'], 'distinct item')}{which}"


def _unknown(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if "unknown_items" not in facts:
        return []
    items, occurrences = counted(facts["unknown_items"], "item"), counted(facts["unknown_occurrences"], "occurrence")
    return [("not in taxonomy", f"{items}, {occurrences} ({facts['unknown']})")]
