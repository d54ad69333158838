"""shoal measure: numbers about an original and its release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.app.audit import located, seen_at
from shoal.app.cli import screen
from shoal.app.cli.options import data_options
from shoal.app.manifest import Published
from shoal.app.manifest_schema import DIGEST, digest_of
from shoal.app.prepare import prepare
from shoal.app.request import original_options
from shoal.errors import InputError, ParameterError
from shoal.metrics import METRICS, measure


@click.command("measure", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--original", type=click.Path(path_type=Path), help="The file the release was made from.")
@click.option("--metric", "-m", "names", multiple=True, metavar="NAME", help="See `shoal metrics`. [default: all that can be computed]")
@data_options()
@click.option("--threads", type=click.IntRange(1, screen.MOST_THREADS), help="How many threads may work. [default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(release: Path, original: Path | None, names: tuple[str, ...], threads: int | None, as_json: bool, **said: Any) -> None:
    """Measure RELEASE. Without the original: the numbers its manifest recorded; with it: measured anew from the files.

    Which record became which is never written, so metrics that need it are only in the manifest.
    """
    place = Published.at(release)
    how = original_options(said, original, place.manifest)
    for name in names:
        if METRICS[name].needs_groups and original is not None:
            raise ParameterError(
                f"{name} needs to know which record became which, which a file does not record", hint="leave --original out"
            )
    if original is None or how is None:
        numbers = _recorded(place, names)
    else:
        with screen.progress(threads):
            prepared = prepare(original, located(place, how))
            found = seen_at(place, ())
            screen.note(*(f"original: {note}" for note in prepared.notes), *found.notes)
            numbers = measure(found.release, prepared.original, list(names) or None)
    if as_json:
        screen.as_json(numbers)
    else:
        rows = [(name, screen.number(value), METRICS[name].summary if name in METRICS else "") for name, value in numbers.items()]
        screen.listing(["metric", "value", "what it is"], rows)


def _recorded(place: Published, names: tuple[str, ...]) -> dict[str, float]:
    if place.manifest is None:
        raise ParameterError("a single file has no recorded metrics", hint="give the --original to measure it")
    if place.manifest[DIGEST] != digest_of(place.manifest):
        raise InputError("the manifest was changed after it was written: its SHA-256 is another", hint="give the --original to measure it")
    screen.note("as the manifest states it; give the --original to measure it anew")
    recorded = place.manifest["metrics"]
    missing = [n for n in names if n not in recorded]
    if missing:
        raise ParameterError(f"the manifest does not record {missing[0]}", hint="give the --original to measure it")
    return {n: recorded[n] for n in names} if names else dict(recorded)
