"""SSC: vocabularies clustered by semantic similarity, each cluster published as its typical vocabulary.

Liu and Wang, ICDM'10. A vocabulary is a bag of query terms (of a user, a session or a query). A seed and its k-1 nearest vocabularies form
a cluster; nearness is the cost of matching terms one to one by their distance on the taxonomy. The centre of a cluster is kept as bags of
matched terms, one of each member; what finds no partner is left out. The typical vocabulary elects one original term for each bag (`vote`),
publishes them all (`members`) or their common ancestor (`generalize`).

Guarantee: every published vocabulary represents at least k people, and with `min_owners` every published term is held by that many of
them. Time: for each vocabulary one search that reads the index lists of relevant terms and matches the few candidates that can win.

Where this deviates from the print, and why: the seed is the shortest vocabulary that is left, equals by content, and not "the first", so
that the answer does not depend on the order of the file (this also gives the clusters of the paper's example, which the order of its
table does not); a bag or term dropped from the centre of l members costs l * omega, which the paper leaves open; people are counted, not
vocabularies; only terms that enough people have can be elected. Beyond the print: seeds whose group would keep few words wait until the
groups that keep many are formed (`promising`), so that one without a like does not use up a vocabulary that has four. With the distances
`jaccard`, `hamming` and `cosine` only common terms count (`itemsets/common_term_groups.py`), as in the measures that the paper sets aside.
With `matching=maximum` vocabularies are matched by the paper's first model: as many terms as possible, of which only the distances count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data.accounting import changed, kept
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.original import Original
from shoal.data.release import Release, Relevance
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, option
from shoal.itemsets.common_term_groups import COMMON_TERMS, common_term_groups
from shoal.methods import Method
from shoal.methods.bases.grouping import content_order, run_grouping
from shoal.methods.bases.release_builder import Present, RecordOutcomes, at_most_k_owners, build_release, present_records
from shoal.parameters import param
from shoal.privacy.shared_terms import SharedTerms
from shoal.privacy.vocabulary_k_anonymity import VocabularyKAnonymity
from shoal.taxonomy.distance import MEASURES, SemanticDistance

PER_TERM = 640  # bytes of the index for a term of a vocabulary, with a margin
TYPICAL = ("vote", "members", "generalize")
PERFECT, MAXIMUM = "perfect", "maximum"  # the second and the first model of the paper


@dataclass(frozen=True)
class SSC(Method):
    """Clusters vocabularies by semantic similarity and publishes original terms that represent similar ones."""

    name = "ssc"
    fates = {"replaced": "changed"}  # noqa: RUF012 (never changed)
    paper = "Liu and Wang, ICDM 2010"
    worth_comparing = True

    k: int = param(5, minimum=2, help="minimum number of people per published vocabulary")
    distance: str = param(
        "path",
        choices=(*MEASURES, *COMMON_TERMS),
        help="distance of terms on the taxonomy (path, wu-palmer), or of vocabularies by their common terms",
    )
    eps: float | None = param(None, minimum=0, help="largest distance at which terms match (default: 4 for path, 0.4 for wu-palmer)")
    omega: float | None = param(None, minimum=0, help="cost of an unmatched term (default: eps)")
    matching: str = param(
        PERFECT,
        choices=(PERFECT, MAXIMUM),
        help="matching of terms: unmatched terms cost omega, or as many as possible are matched and others cost nothing (first model)",
    )
    typical: str = param(
        "vote", choices=TYPICAL, help="what to publish for matched terms: the elected one, all of them, or their common ancestor"
    )
    min_owners: int = param(2, minimum=1, help="minimum number of people in a group who have each published term (at most k)")
    rare: str = param("generalize", choices=("generalize", "withhold"), help="what to do with matched terms of too few people")
    promising: int = param(
        20,
        minimum=0,
        maximum=100,
        help="percentage of its words that a group must keep to be formed first (0: no preference, as in the paper)",
    )
    order: str = param(
        "ascending", choices=("ascending", "descending", "given"), help="order of vocabulary lengths in which clusters are started"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most_k_owners(self.min_owners, self.k)
        if self.omega == 0 or (self.omega is None and self.eps == 0 and self.matching == PERFECT):
            raise ParameterError(
                "omega must be more than 0", code="out-of-range", hint="else nothing is worth matching", value=0.0, limit=0
            )

        if self.matching == MAXIMUM and self.omega is not None:
            raise ParameterError(
                f"{option('omega')} is the cost of an unmatched term, which has none in {option('matching', MAXIMUM)}",
                code="options-conflict",
                hint="leave one of them out",
            )
        taxonomic = {
            "eps": self.eps is not None,
            "omega": self.omega is not None,
            "matching": self.matching != PERFECT,
            "typical": self.typical != TYPICAL[0],
        }
        if self.distance in COMMON_TERMS and any(taxonomic.values()):
            name = next(name for name, chosen in taxonomic.items() if chosen)
            raise ParameterError(
                f"{option(name)} is for distances on the taxonomy, but {self.distance} compares common terms only",
                code="options-conflict",
                hint="leave one of them out",
            )

    def bytes_beyond_records(self, records: Bags) -> int:
        """Return the memory of the index from each node of the taxonomy to the vocabularies that have a term at or near it."""
        return 0 if self.distance in COMMON_TERMS else PER_TERM * len(records.items)

    def claims(self) -> tuple[Model, ...]:
        """Claim vocabulary k-anonymity, counted in people, and that no published term belongs to one person only."""
        shared: tuple[Model, ...] = (SharedTerms(owners=self.min_owners),) if self.min_owners > 1 else ()
        return (VocabularyKAnonymity(k=self.k, people=True), *shared)

    def apply(self, original: Original) -> Release:
        """Cluster the non-empty vocabularies, publish a typical one for each cluster, and account for every occurrence."""
        present = present_records(original.bags, self.k)
        if self.distance in COMMON_TERMS:
            return self._by_common_terms(original, present)
        used, semantics = present.records, self.semantics(original.tree)
        measure = semantics.kernel_of_matched_terms(used) if self.matching == MAXIMUM else semantics.kernel()
        clusters, typical = self.clustered(used, measure, original.tree)
        indptr, items, counts = typical.rows
        published = Bags(indptr, items, counts, np.arange(len(clusters), dtype=np.int64), original.tree.names)
        # An occurrence represented by another term is counted separately from a published one.
        outcomes = {"kept": kept(typical.kept), "replaced": changed(typical.replaced), "generalized": changed(typical.generalized)}
        relevance = Relevance(semantics.measure, semantics.eps)
        return build_release(
            self, original, present, RecordOutcomes(published, clusters.group, outcomes, self.claims(), relevance=relevance)
        )

    def _by_common_terms(self, original: Original, present: Present) -> Release:
        """Group by a distance that counts common terms, and publish what all members of a group have."""
        used, orders = present.records, self._seed_order(present.records)
        promising = {self.promising, 0}
        tried = [
            common_term_groups(used, orders, self.k, self.distance, least, original.tree.publishable)  # type: ignore[arg-type]
            for least in sorted(promising, reverse=True)
        ]
        groups = max(tried, key=lambda one: one.kept)
        outcomes = {"kept": kept(groups.kept)}
        relevance = Relevance("path", 0.0)  # a term represents only itself
        return build_release(
            self, original, present, RecordOutcomes(groups.common, groups.group, outcomes, self.claims(), relevance=relevance)
        )

    def semantics(self, taxonomy: Taxonomy) -> SemanticDistance:
        """Return the distance of terms and vocabularies."""
        return SemanticDistance(taxonomy, self.distance, self.eps, self.omega)  # type: ignore[arg-type]

    def clustered(self, bags: Bags, measure: Any, taxonomy: Taxonomy) -> tuple[Any, Any]:
        """Return the clusters and their typical vocabularies: promising groups first, or in the printed order if that keeps more words."""
        found = [self._clustered(bags, measure, taxonomy, promising) for promising in sorted({self.promising, 0}, reverse=True)]
        return max(found, key=lambda one: one[1].kept)

    def _clustered(self, bags: Bags, measure: Any, taxonomy: Taxonomy, promising: int) -> tuple[Any, Any]:
        order, owners = self._seed_order(bags), _numbered(bags.owners)
        arguments = measure, bags.view, order, owners, self.k, promising
        kernel = _kernels.cluster_by_matched_terms if self.matching == MAXIMUM else _kernels.cluster_term_sets
        clusters = run_grouping(kernel, *arguments, k=self.k, label="clustering")
        options = _kernels.TypicalOptions(
            typical=TYPICAL.index(self.typical), min_owners=self.min_owners, generalize_rare=self.rare == "generalize"
        )
        typical = kernels.run(_kernels.typical_term_sets, measure, clusters, bags.view, owners, options, taxonomy.publishable)
        return clusters, typical

    def _seed_order(self, bags: Bags) -> Ints:
        if self.order == "given":
            return np.arange(len(bags))
        by_content = content_order(bags)
        sign = -1 if self.order == "descending" else 1
        return by_content[np.argsort(sign * bags.lengths[by_content], kind="stable")].astype(np.int64)


def _numbered(owners: Ints) -> Ints:
    """Renumber users from 0."""
    return np.unique(owners, return_inverse=True)[1].astype(np.int64)
