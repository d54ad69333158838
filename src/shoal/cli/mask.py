"""shoal mask: mask an access log in its own format, without a guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.input_options import files_argument
from shoal.cli.options import declared_options
from shoal.masking.options import Masking


@click.command("mask", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@files_argument
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="File to write; compressed if it ends in .gz.")
@declared_options(Masking)
@click.option("--strict", is_flag=True, help="Reject a file with malformed lines instead of leaving them out and counting them.")
@click.option("--malformed", type=float, metavar="SHARE", help="Largest accepted share of malformed lines. [default: 0.1]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(input: tuple[Path, ...], out: Path, strict: bool, malformed: float | None, force: bool, as_json: bool, **typed: Any) -> None:
    """Mask the access log INPUT line by line, WITHOUT ANY GUARANTEE: people can still be identified by the pages they visited.

    Addresses are truncated, times coarsened, query strings and user names removed, and user agents reduced to the browser family. The
    format and the order of the lines stay, so log tools read the result. For a log with a guarantee: shoal advise INPUT --for log
    """
    from shoal.cli import screen
    from shoal.masking.mask_file import clear_leftovers, mask_log

    options = Masking.parse({name: value for name, value in typed.items() if value is not None})
    screen.note(*clear_leftovers(out))
    screen.warn(f"no guarantee. Not protected: {options.not_protected}")
    with screen.progress():
        done = mask_log(input, out, options, force=force, strict=strict, malformed=malformed)
    if as_json:
        screen.as_json(done.as_dict())
        return
    masked = ", ".join(f"{name.replace('_', '-')}={value}" for name, value in done.as_dict()["masked"].items())
    rows = [("lines", screen.ledger_line(done.rows.as_dict())), *(("", note) for note in done.notes), ("masked", masked)]
    screen.pairs(f"{out}: masked and written WITHOUT ANY GUARANTEE. {done.lack}", [*rows, ("label", str(done.label))])
