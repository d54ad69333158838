"""DiffPart: sets of items with noisy counts of people, found by dividing people along a public taxonomy.

Chen, Mohammed, Fung, Desai and Xiong, "Publishing set-valued data via differential privacy", PVLDB 4(11), 2011. Guarantee: epsilon-
differential privacy of a person with all of their rows, if the taxonomy does not depend on the data. Time: O(parts * (2^fanout + people)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Part, changed, gone
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.log import whole_items
from shoal.data.noise_record import COUNTS as COUNTED
from shoal.data.noise_record import DIVISIONS, LAPLACE, WHOLE, NoisyStep
from shoal.data.original import NOT_IN_TAXONOMY, LogOriginal
from shoal.data.tables.column_types import ITEMS, Slots
from shoal.data.tables.counts import COUNT
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, option
from shoal.methods.bases.noisy_counts import COUNTS, Mechanism, NoisyCounts, epsilon_parameter
from shoal.noise.bounded_tree import BoundedTree, Cut, bounded_tree
from shoal.noise.divide_records import LeafEntries, PathBudget, divide
from shoal.noise.mechanisms import laplace_scale, with_noise
from shoal.noise.per_person_bounds import OWNER, distinct_of_people
from shoal.parameters import param
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.text.terms import in_one_case, terms_of

PUBLIC = "the taxonomy is taken to be public: its items may be published in sets that nobody has"


@dataclass(frozen=True)
class DiffPart(Mechanism):
    """Publishes sets of items with noisy counts of people under differential privacy, along a public taxonomy."""

    name = "diffpart"
    paper = 'Chen, Mohammed, Fung, Desai and Xiong, "Publishing set-valued data via differential privacy", PVLDB 4(11), 2011'
    takes_baskets = True
    public_taxonomy = True

    epsilon: float = epsilon_parameter()
    cap: int = param(8, minimum=1, maximum=100, help="maximum number of items per person, those that the person has most often")
    fanout: int = param(8, minimum=2, maximum=12, help="children that are distinguished at once; wider nodes are divided into groups")
    counts: float = param(0.5, minimum=0.05, maximum=0.95, help="share of the budget for the counts of published sets")
    spurious: float = param(
        0.1, minimum=0.000001, maximum=100, help="expected number of sets without anybody that are kept each time people are divided"
    )
    generalized: bool = param(False, help="also publish people who were not divided further, as sets of categories")

    @property
    def needs_taxonomy(self) -> bool:
        """True: people are divided along it."""
        return True

    @property
    def caution(self) -> str:
        """State what the guarantee assumes."""
        return f"{PUBLIC}. If it was made from this data, the guarantee does not hold"

    def claims(self) -> tuple[Model, ...]:
        """Claim differential privacy of a person, with a delta of 0."""
        return (DifferentialPrivacy(epsilon=self.epsilon, delta=0.0),)

    def noisy_steps(self) -> tuple[NoisyStep, ...]:
        """Return the noise of every path: what its divisions give away together, and its count."""
        shares = ((DIVISIONS, 1 - self.counts), (COUNTED, self.counts))
        return tuple(
            NoisyStep(purpose, COUNTS, LAPLACE, WHOLE, laplace_scale(1, self.epsilon * share), 0, 1, 1.0) for purpose, share in shares
        )

    def columns_of(self, table: str) -> Slots:
        """Return the items and the count."""
        return ((ITEMS,), (COUNT,))

    def counted(self, original: LogOriginal) -> NoisyCounts:
        """Divide people along the taxonomy and count the parts."""
        if original.taxonomy is None:
            raise ParameterError(
                f"the method {self.name} needs a taxonomy", code="needs-taxonomy", hint=f"name one with {option('taxonomy')}"
            )
        tree = bounded_tree(original.taxonomy, self.fanout)
        values, outcomes = _leaves_of_people(original, original.taxonomy, tree)
        held = distinct_of_people(values, self.cap)
        people = np.repeat(np.arange(held.n_people), np.diff(held.starts))
        records = LeafEntries(people, held.table["leaf"].to_numpy().astype(np.int64)[held.values])
        budget = PathBudget(self.epsilon * (1 - self.counts), self.epsilon * self.counts, self.cap, self.spurious)
        found = divide(tree, records, budget, drawn, rest=self.generalized)
        return NoisyCounts(_published(found, tree, original.taxonomy), outcomes, (PUBLIC,))


def drawn(numbers: Ints, scale: float) -> Ints:
    """Add integer Laplace noise of this scale."""
    return with_noise(numbers, NoisyStep(COUNTED, COUNTS, LAPLACE, WHOLE, scale, 0, 1, 1.0))


def _leaves_of_people(original: LogOriginal, taxonomy: Taxonomy, tree: BoundedTree) -> tuple[pl.DataFrame, dict[str, Part]]:
    """Return a user and a leaf for each item or word that the taxonomy has, and the outcome of all rows."""
    log = original.log
    texts = log.kind == "text"
    terms = terms_of(log.frame["payload"], as_typed=True) if texts else whole_items(log.frame["payload"])
    names = terms.vocabulary.names
    nodes = taxonomy.nodes(in_one_case(names) if texts else names)
    leaves = np.where(nodes >= 0, tree.leaf_of[np.maximum(nodes, 0)], -1)[terms.items]
    rows = np.repeat(np.arange(len(log)), np.diff(terms.indptr))[leaves >= 0]
    counted = len(np.unique(rows))
    outcomes = {"counted": changed(counted), NOT_IN_TAXONOMY: gone(len(log) - counted)}
    return pl.DataFrame({OWNER: log.frame[OWNER].to_numpy()[rows], "leaf": leaves[leaves >= 0]}), outcomes


def _published(found: dict[Cut, int], tree: BoundedTree, taxonomy: Taxonomy) -> pl.DataFrame:
    """Return the sets by name. Nodes that the tree has in addition are published as the node of the taxonomy above them, never the root."""
    together: dict[tuple[int, ...], int] = {}
    for cut, number in found.items():
        shown = tuple(sorted({int(tree.shown[node]) for node in cut} - {0}))
        if shown:
            together[shown] = together.get(shown, 0) + number
    names = [sorted(taxonomy.names[node] for node in nodes) for nodes in together]
    return pl.DataFrame({ITEMS: names, COUNT: list(together.values())}, schema={ITEMS: pl.List(pl.String), COUNT: pl.Int64})
