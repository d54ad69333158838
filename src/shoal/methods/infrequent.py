"""Deletion of infrequent queries: a query stays in the log if enough people issued it.

Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008; counted in people, as by Adar, "User
4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis. It is the method `threshold` with fixed settings. Guarantee: at
least k different people issued every published query. Time: O(rows log rows), one pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.methods.bases.threshold import Kept, ThresholdMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Infrequent(ThresholdMethod):
    """Deletes the rows of a log whose query fewer than k people issued; publishes only the queries of the others."""

    name = "infrequent"
    paper = 'Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008'

    k: int = param(5, minimum=2, help="minimum number of people who issued each published query")

    @property
    def kept(self) -> Kept:
        """The settings: whole queries without other columns."""
        return Kept(k=self.k)
