"""shoal metrics: what can be measured of a release."""

from __future__ import annotations

import click

from shoal.cli import screen
from shoal.metrics import METRICS


@click.command("metrics", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(as_json: bool) -> None:
    """What can be measured of a release."""
    if as_json:
        facts = {m.name: {"summary": m.summary, "better": m.better, "range": m.range, "routine": m.routine} for m in METRICS.values()}
        screen.as_json(facts)
        return
    rows = [(m.name, m.summary, m.better, m.range, "every release" if m.routine else "on request") for m in METRICS.values()]
    screen.listing(["name", "what it is", "better", "range", "measured"], rows)
