"""User microaggregation: groups people of a query log by MDAV over their histories; one common history per group.

Navarro-Arribas, Torra, Erola and Castella-Roca, "User k-anonymity for privacy preserving data mining of query logs", Information Processing
& Management 48(3), 2012; the tree of queries, times and clicks is that of their WI-IAT 2009 paper. Guarantee: user k-anonymity; and, unlike
in the paper, no query, word or URL of fewer than `min_owners` members. Queries enter the common histories in proportion to their frequency,
by quotas that are carried over from group to group, so that frequent queries keep their frequencies. People are compared inside blocks of
similar ones, so time grows linearly: O(people * block / k) distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.data.original import LogOriginal
from shoal.methods.bases.user_profiles import Choose, ProfileMethod
from shoal.microaggregation.histories import Histories
from shoal.microaggregation.history_aggregation import Matches, Quota, shared_queries
from shoal.microaggregation.mdav import mdav_of_people
from shoal.microaggregation.query_tree_space import Forest, Weights, blocks_of_people
from shoal.parameters import param


@dataclass(frozen=True)
class UserMicroaggregation(ProfileMethod):
    """Groups people with MDAV over trees of queries, words, times and clicks; publishes one aggregated history per group."""

    name = "user-microaggregation"
    paper = (
        'Navarro-Arribas, Torra, Erola and Castella-Roca, "User k-anonymity for privacy preserving data mining of query logs", '
        "Information Processing & Management 2012"
    )

    compare: str = param("words", choices=("words", "letters"), help="how to compare query texts: by words, or by edit distance of letters")
    text_weight: float = param(1.0, minimum=0, help="weight of the text in the distance between two queries")
    time_weight: float = param(1.0, minimum=0, help="weight of the time in the distance between two queries")
    click_weight: float = param(1.0, minimum=0, help="weight of the clicks in the distance between two queries")
    rank_weight: float = param(1.0, minimum=0, help="weight of the rank in the distance between two clicks")
    host_weight: float = param(1.0, minimum=0, help="weight of the host in the distance between two clicks")
    queries: str = param(
        "proportion",
        choices=("proportion", "shared"),
        help="which queries make up the history of a group: in proportion to their frequency, or those of the most members first",
    )
    compared: int = param(64, minimum=1, help="maximum number of queries to compare per person, most popular first")

    def groups(self, histories: Histories, original: LogOriginal) -> list[Ints]:
        """Run MDAV inside each block of similar people."""
        weights = Weights(self.text_weight, self.time_weight, self.click_weight, self.rank_weight, self.host_weight)
        forest = Forest(histories, weights, "letters" if self.compare == "letters" else "words", self.compared)

        def form(people: Ints, task: _kernels.Task) -> list[Ints]:
            labels = mdav_of_people(forest.space(people), self.k, task)
            return [people[labels == group] for group in range(int(labels.max()) + 1)]

        return self.formed_in_blocks(len(histories), lambda _, size: blocks_of_people(histories, size), form)

    def chooser(self, histories: Histories) -> Choose:
        """Select the average number of queries of the members: in proportion to their frequency, or those of the most members first."""
        quota = Quota(histories)

        def choose(members: Ints, matches: Matches) -> Ints:
            if self.queries == "shared":
                return np.sort(shared_queries(histories, members, matches, self.min_owners))
            return np.sort(quota.take(members, matches, self.min_owners))

        return choose
