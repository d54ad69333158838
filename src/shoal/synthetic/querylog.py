"""Synthetic query logs in AOL format, of any size: for trials, benchmarks and demonstrations.

Users have a few topics of WordNet each and a long-tailed number of nouns, and search for them in sessions; see `interests`, `searches` and
`sessions`. With `like="thesis"` the first users have more nouns than later ones, as Table 6.1 of Milani Fard's thesis implies of AOL's.
Users are generated in blocks of fixed size, each with its own random numbers, so that memory is constant, the same seed gives the same
bytes, and a larger log begins with the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.parameters import Declared, param

if TYPE_CHECKING:  # the parameters are shown without loading numpy
    import polars as pl

    from shoal.synthetic.query_blocks import GeneratedFacts


@dataclass(frozen=True)
class QueryLog(Declared):
    """A query log of users with topics, sessions and clicks."""

    name: ClassVar[str] = "querylog"

    users: int = param(10_000, minimum=1, help="number of people in the log")
    seed: int = param(0, minimum=0, help="random seed; the same seed gives the same log")
    nouns_per_user: float = param(21.0, minimum=1, maximum=200, help="mean number of different WordNet nouns per user")
    like: str = param(
        "even",
        choices=("even", "thesis"),
        help="nouns of early and late people: evenly many, or most for the first people, as in Milani Fard's thesis",
    )
    topics: int = param(200, minimum=1, maximum=500, help="number of topics; each user has one to five of them")
    unknown: float = param(0.35, minimum=0, maximum=0.9, help="share of terms that are not in WordNet")

    def blocks(self) -> Iterator[tuple[pl.DataFrame, GeneratedFacts]]:
        """Yield the rows, a block of users at a time, with the statistics of each block."""
        from shoal.synthetic.query_blocks import BLOCK, OF_USERS, block, numbers, world_of

        world = world_of(self.seed, self.topics, self.nouns_per_user, self.like)
        for first in range(0, self.users, BLOCK):
            rng = numbers(self.seed, OF_USERS, first // BLOCK)
            yield block(self.unknown, world, first, min(BLOCK, self.users - first), rng)
