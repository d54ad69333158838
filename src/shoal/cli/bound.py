"""shoal bound: a lower bound on the loss of any release of a file."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli import screen
from shoal.cli.input_options import called, input_argument
from shoal.cli.options import WholeNumber, data_options, threads_option
from shoal.util.wording import counted, percent


@click.command("bound", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@input_argument
@click.option("--k", "-k", type=WholeNumber(2), default=5, show_default=True, help="Minimum number of people per published record.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, help="Random seed for sampling.")
@click.option(
    "--effort",
    type=click.Choice(["fast", "balanced", "thorough"]),
    default="balanced",
    show_default=True,
    help="How long to search for a larger bound: seconds, up to a minute, or up to half an hour on two cores.",
)
@data_options()
@threads_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(input: Any, k: int, seed: int, effort: str, threads: int | None, as_json: bool, **options: Any) -> None:
    """Compute a lower bound on the loss of any k-anonymous release of INPUT, whatever the method."""
    from shoal.pipeline.options import Preparation
    from shoal.pipeline.prepare import prepare
    from shoal.pipeline.request import parse_preparation
    from shoal.taxonomy.bound import EXACT_RECORDS, loss_lower_bound

    preparation = parse_preparation(options, Preparation())
    with screen.progress(threads):
        prepared = prepare(input, preparation)
        screen.note(*prepared.notes)
        lower_bound = loss_lower_bound(prepared.records.bags, prepared.records.tree, k, seed=seed, effort=effort)
    if as_json:
        screen.as_json({"k": k, **lower_bound.as_dict()})
        return
    rows = [("loss", f"at least {percent(lower_bound.normalised)}"), ("distortion (GGD)", f"at least {lower_bound.value:,.1f}")]
    if lower_bound.exact:
        rows.append(("records", f"all {counted(lower_bound.n_sampled, 'record')} that are not empty"))
    else:
        rows += [
            ("records", f"a sample of {lower_bound.n_sampled:,} records, because there are more than {EXACT_RECORDS:,}"),
            ("confidence", f"{percent(lower_bound.confidence, 0)}; the sample's mean is {percent(lower_bound.estimate)}"),
        ]
    screen.pairs(f"{called(input)}: lower bounds for any release with k = {k}", rows)
