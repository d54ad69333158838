"""The risk that remains after `shoal mask`, measured on a sample, so that masking is never proposed without its risk.

A reader of a masked log can link the requests of one network with one browser. An attacker who knows four pages of a visitor looks for the
networks and browsers that requested all four. Finding the right one counts as found, also if several visitors share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.attacks.known_items import KnownItems
from shoal.attacks.outcome import wilson
from shoal.data.log import Log
from shoal.evaluate.advise.forecast import TARGETS
from shoal.evaluate.advise.sample import SEED, sample_of
from shoal.evaluate.advise.trial import KNOWN
from shoal.evaluate.attack.stage import linked_stage
from shoal.io.read.result import Reading
from shoal.masking.mask_lines import LineMasker
from shoal.masking.options import NOTHING, Masking
from shoal.util.wording import percent

PEOPLE = 5_000  # of the sample


@dataclass(frozen=True)
class MaskingAdvice:
    """Masking with its usual options: the share of visitors that an attacker finds, of how many, and what is not protected."""

    risk: float
    people: int
    not_protected: str

    @property
    def risk_text(self) -> str:
        """The measured risk in words."""
        return (
            f"an attacker who knows {KNOWN.items} pages of a visitor finds the network and browser of {percent(self.risk)} of the visitors"
        )

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "no_guarantee": f"Nothing is guaranteed. Not protected: {self.not_protected}.",
            "risk": self.risk,
            "attacker": f"knows {KNOWN.items} pages of a visitor, and finds the visitor's network and browser",
            "measured_on": {"people": self.people},
        }


def masking_advice(reading: Reading) -> MaskingAdvice | None:
    """Mask a sample of an access log as `shoal mask` does, and attack it; None if nobody can be attacked."""
    sample = sample_of(reading, PEOPLE).data
    assert isinstance(sample, Log)
    options = Masking()
    masked = LineMasker(options).table(sample.frame.with_columns(pl.col("payload").alias("page"), pl.lit(NOTHING).alias("auth")))
    links = masked.select(pl.struct("address", "agent").rank("dense").cast(pl.Int64)).to_series().to_numpy()
    stage = linked_stage(Log(sample.frame.select("owner").with_columns(masked["request"].alias("payload")), "item"), links)
    targets = stage.drawn(SEED, TARGETS)
    if not len(targets):
        return None
    [trial] = KnownItems().trials_knowing([KNOWN], stage.scene, stage.people(targets), SEED)
    found = wilson(float(trial.success.sum()), len(trial.success))
    return MaskingAdvice(found.rate, len(stage.records), options.not_protected)
