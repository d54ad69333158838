"""shoal epsilon: test a claim of differential privacy by experiment."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli import screen
from shoal.cli.options import declared_options
from shoal.evaluate.option_defaults import CanaryDraw
from shoal.util.wording import percent

BROKEN = 3


@click.command("epsilon", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("method")
@click.argument("parameters", metavar="[NAME=VALUE]...", nargs=-1)
@declared_options(CanaryDraw)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(method: str, parameters: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Test the noise of METHOD: plant people in synthetic data, guess from the releases who took part, and compute a lower
    bound on epsilon.

    The exit code is 3 if the bound exceeds the claimed epsilon. A bound below the claim proves nothing: an experiment can reveal errors,
    but cannot show that there are none.
    """
    import dataclasses

    from shoal.errors import ParameterError
    from shoal.evaluate.epsilon_audit import audit_epsilon, audited_method
    from shoal.packages import insist_on_extra

    draw = CanaryDraw.parse({name: value for name, value in options.items() if value is not None})
    if wrong := [word for word in parameters if "=" not in word]:
        raise ParameterError(f"{wrong[0]!r} is not a parameter with its value", code="unreadable-value", hint="write NAME=VALUE")
    chosen = audited_method(method, dict(word.split("=", 1) for word in parameters))
    insist_on_extra("dp")
    result = audit_epsilon(chosen, draw)
    if as_json:
        screen.as_json({**dataclasses.asdict(result), "holds": result.holds})
    else:
        bound = f"at least {result.epsilon:.2f}, with a confidence of {percent(result.confidence)}"
        rows = [("claimed", f"epsilon {result.claimed:g}, delta {result.delta:g}"), ("measured", bound)]
        rows += [] if result.gaussian is None else [("Gaussian", f"at least {result.gaussian:.2f} if the noise is Gaussian, as stated")]
        rows.append(("guesses", f"{result.right:,} of {result.named:,} right, among {result.canaries:,} planted people"))
        screen.pairs(f"{method}: {'no contradiction to the claim' if result.holds else 'THE CLAIM DOES NOT HOLD'}", rows)
    return 0 if result.holds else BROKEN
