"""shoal anonymize: from a file to a verified release directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shoal.app.cli import screen
from shoal.app.cli.options import chosen_method, data_options, method_options, preparation
from shoal.app.job import Target
from shoal.app.pipeline import Judged, Prepared, anonymize, prepare, publish
from shoal.io.directory import ReleaseDirectory
from shoal.io.records import RECORD_FORMATS
from shoal.methods import METHODS


@click.command("anonymize", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("input", type=click.Path(path_type=Path))
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="Directory to write; it must not exist yet.")
@click.option("--method", "-m", default=next(iter(METHODS)), show_default=True, metavar="NAME", help="See `shoal methods`.")
@method_options
@data_options()
@click.option("--to", "form", type=click.Choice(list(RECORD_FORMATS)), default="parquet", show_default=True, help="Form of the records.")
@click.option("--to-sep", metavar="CHARACTER", default="\t", help="What separates items in transaction lines. [default: tab]")
@click.option("--force", is_flag=True, help="Replace an older release.")
@click.option("--threads", type=click.IntRange(1), help="[default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest instead of a table.")
def command(input: Path, out: Path, method: str, form: str, to_sep: str, force: bool, threads: int | None, as_json: bool, **said: Any) -> None:
    """Turn INPUT into a release directory whose guarantee was verified before it was written."""
    how = preparation(said)
    chosen = chosen_method(method, said)
    target = Target(out, form, to_sep, force)
    ReleaseDirectory(out, force=force).check()
    with screen.progress(threads):
        prepared = prepare(input, how)
        judged = anonymize(prepared, chosen)
        manifest = publish(judged, target)
    if as_json:
        click.echo(json.dumps(manifest, indent=2, ensure_ascii=False))
        return
    show_outcome(prepared, judged, manifest, out)


def show_outcome(prepared: Prepared, judged: Judged, manifest: dict[str, Any], out: Path) -> None:
    """What went in, what was published, what was lost, which guarantee was verified, which file to open."""
    screen.note(*prepared.notes)
    if prepared.reading:
        screen.note(*(f"left out: {line}" for line in prepared.reading.defects.described()))
    given, metrics, account = manifest["input"], manifest["metrics"], manifest["accounting"]
    rows = [("in", f"{given['records']:,} records of {given['owners']:,} people, {given['items']:,} different terms")]
    if "rows" in account:
        rows.append(("rows", screen.ledger_line(account["rows"])))
    rows += [
        ("records", screen.ledger_line(account["records"])),
        ("occurrences", screen.ledger_line(account["occurrences"])),
        ("unknown terms", f"{given['unknown_items']:,} terms, {given['unknown_occurrences']:,} occurrences ({given['unknown']})"),
        ("published", f"{judged.release.n_records:,} records in {len(judged.release.copies):,} groups, {metrics['mean_length']:.1f} items each"),
        ("lost", f"{metrics['loss']:.1%} of the information (GGD per occurrence)"),
        *screen.verdict_rows(judged.verdicts),
        ("method", f"{manifest['method']} with {', '.join(f'{n}={v}' for n, v in manifest['parameters'].items() if v is not None)}"),
        ("open", str(out / "report.html")),
    ]
    screen.pairs(f"{out}: verified and written", rows)
