"""How reconstructions are drawn: options of `shoal reconstruct`, which are shown without loading numpy."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.parameters import Declared, param


@dataclass(frozen=True)
class Draws(Declared):
    """The number of reconstructions, and the random seed."""

    name = "draws"

    number: int = param(1, minimum=1, maximum=1000, help="number of reconstructions")
    seed: int | None = param(None, minimum=0, help="random seed (default: a different one each time)")
