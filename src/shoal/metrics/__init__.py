"""Metrics: numbers about an original and its release, each with its direction and bounds. One family a file, one line each in the table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shoal.data.input_shapes import Shape
from shoal.errors import ParameterError
from shoal.registry import LazyTable

if TYPE_CHECKING:
    from shoal.data.original import AnyOriginal
    from shoal.data.release import Release


@dataclass(frozen=True)
class Metric:
    """One number: what it says, which way is better, and whether it needs to know which record became which, or a taxonomy.

    `needs_groups_for` tells the originals for which alone it needs to know which record became which. Without this knowledge a metric
    `of_means` assumes that means of groups are published, as releases without a guarantee do not.

    `shares` are the parts of the account of occurrences whose share of all that was given a metric is, where it is one.

    `with_additions` says whether it is for releases whose records may hold items that their people never had: for these only (True), for
    all others only (False), or for both.

    `routine` metrics are measured for every release of tables of these `kinds` from input of these shapes (`takes`); others on request.
    """

    name: str
    summary: str
    better: Literal["lower", "higher", "neither"]
    formula: Callable[[Release, Any], float]
    lowest: float | None = 0.0
    highest: float | None = None
    needs_groups: bool = False
    needs_groups_for: Callable[[Any], bool] | None = None
    of_means: bool = False
    routine: bool = True
    needs_taxonomy: bool = False
    kinds: frozenset[str] = frozenset({"bags"})
    takes: frozenset[Shape] = frozenset({"sets", "bags"})
    shares: tuple[str, ...] = ()
    with_additions: bool | None = None

    def applies(self, kinds: Collection[str], shape: str) -> bool:
        """Whether this can be measured of tables of these kinds, made from input of this shape."""
        return set(kinds) <= self.kinds and shape in self.takes

    def fits(self, adds_items: bool) -> bool:
        """Whether this says something of a release whose records may hold items that their people never had, or of another."""
        return self.with_additions is None or self.with_additions == adds_items

    def needs_groups_of(self, original: AnyOriginal) -> bool:
        """Whether the metric needs the mapping from original records to published ones, in addition to the tables."""
        return self.needs_groups or (self.needs_groups_for is not None and self.needs_groups_for(original))

    def measure(self, release: Release, original: AnyOriginal) -> float:
        """Return the number for this release, which is read in the vocabulary of the original; a foreign one is refused."""
        if not self.applies(release.kinds, original.shape):
            raise ParameterError(
                f"{self.name} is not for tables of {' and '.join(sorted(release.kinds))} made from {original.shape}",
                code="metric-not-applicable",
            )
        if not self.fits(release.adds_items):
            raise ParameterError(
                f"{self.name} is {'only' if self.with_additions else 'not'} for releases that may add items to records",
                code="metric-not-applicable",
            )
        if self.needs_taxonomy and not original.on_taxonomy:
            raise ParameterError(f"{self.name} needs a taxonomy, but the records have none", code="needs-taxonomy")
        return self.formula(original.aligned(release), original)

    @property
    def range(self) -> str:
        """The bounds, for listings."""
        low = "" if self.lowest is None else f"{self.lowest:g}"
        high = "" if self.highest is None else f"{self.highest:g}"
        if not low:
            return f"at most {high}" if high else "any number"
        return f"{low} to {high}" if high else f"{low} or more"


METRICS: LazyTable[Metric] = LazyTable(
    "metric",
    {
        "kept": "shoal.metrics.losses:KEPT",
        "one_level": "shoal.metrics.losses:ONE_LEVEL",
        "categories": "shoal.metrics.losses:CATEGORIES",
        "at_root": "shoal.metrics.losses:AT_ROOT",
        "replaced": "shoal.metrics.losses:REPLACED",
        "suppressed": "shoal.metrics.losses:SUPPRESSED",
        "generalized": "shoal.metrics.losses:GENERALIZED",
        "added": "shoal.metrics.losses:ADDED",
        "loss": "shoal.metrics.losses:LOSS",
        "bound": "shoal.metrics.losses:BOUND",
        "ggd": "shoal.metrics.losses:GGD",
        "added_loss": "shoal.metrics.losses:ADDED_LOSS",
        "loss_with_dropped": "shoal.metrics.losses:LOSS_WITH_DROPPED",
        "ncp": "shoal.metrics.losses:NCP",
        "mean_length": "shoal.metrics.losses:MEAN_LENGTH",
        "mean_level": "shoal.metrics.losses:MEAN_LEVEL",
        "blm_subtree": "shoal.metrics.losses:BLM_SUBTREE",
        "blm_distinct": "shoal.metrics.losses:BLM_DISTINCT",
        "pattern_recall": "shoal.metrics.patterns:RECALL",
        "pattern_distance": "shoal.metrics.patterns:SDIST",
        "count_error_1": "shoal.metrics.count_queries:ONE_ITEM",
        "count_error_2": "shoal.metrics.count_queries:TWO_ITEMS",
        "count_error_3": "shoal.metrics.count_queries:THREE_ITEMS",
        "counted_per_group": "shoal.metrics.losses:PER_GROUP",
        "reconstruction_kl": "shoal.metrics.reconstruction:RECONSTRUCTION_ERROR",
        "information_loss": "shoal.metrics.information_loss:INFORMATION_LOSS",
        "discernibility": "shoal.metrics.class_losses:DISCERNIBILITY",
        "classification_loss": "shoal.metrics.class_losses:CLASSIFICATION_LOSS",
        "attribute_detail": "shoal.metrics.table_detail:ATTRIBUTE_DETAIL",
        "items_kept": "shoal.metrics.table_detail:ITEMS_KEPT",
        "item_loss": "shoal.metrics.table_detail:ITEM_LOSS",
        "semantic_loss": "shoal.metrics.document_losses:SEMANTIC_LOSS",
        "sse": "shoal.metrics.document_losses:SSE",
        "ssa": "shoal.metrics.document_losses:SSA",
        "sst": "shoal.metrics.document_losses:SST",
        "in_chunks": "shoal.metrics.chunks:IN_CHUNKS",
        "together": "shoal.metrics.chunks:TOGETHER",
        "pairs_together": "shoal.metrics.chunks:PAIRS_TOGETHER",
        "pair_recall": "shoal.metrics.chunks:PAIR_RECALL",
        "pair_error": "shoal.metrics.chunks:PAIR_ERROR",
        "bits": "shoal.metrics.bits:BITS",
        "joint_bits": "shoal.metrics.bits:JOINT_BITS",
        "frequency_distance": "shoal.metrics.frequency:FREQUENCY_DISTANCE",
        "frequency_shift": "shoal.metrics.frequency:FREQUENCY_SHIFT",
        "rows_kept": "shoal.metrics.log_rows:ROWS_KEPT",
        "queries_kept": "shoal.metrics.log_rows:QUERIES_KEPT",
        "people_kept": "shoal.metrics.log_rows:PEOPLE_KEPT",
        "words_counted": "shoal.metrics.log_rows:WORDS_COUNTED",
        "top_queries": "shoal.metrics.log_rows:TOP_QUERIES",
        "top_words": "shoal.metrics.log_rows:TOP_WORDS",
        "cluster_rand": "shoal.metrics.clusterings:CLUSTER_RAND",
        "cluster_jaccard": "shoal.metrics.clusterings:CLUSTER_JACCARD",
        "cluster_agreement": "shoal.metrics.clusterings:CLUSTER_AGREEMENT",
        "nearest_agreement": "shoal.metrics.nearest:NEAREST_AGREEMENT",
        "browser_clicks": "shoal.metrics.browsers:BROWSER_CLICKS",
        "browser_sessions": "shoal.metrics.browsers:BROWSER_SESSIONS",
        "session_ratio": "shoal.metrics.browsers:SESSION_RATIO",
    },
)


def measure(release: Release, original: AnyOriginal, names: list[str] | None = None) -> dict[str, float]:
    """Return the named metrics (all routine ones by default); those that need the groups are left out where these are unknown.

    Of the routine ones also those for other kinds of tables or input, and those that need a taxonomy, where there is none.
    """
    usual = routine(release.kinds, original.shape, on_taxonomy=original.on_taxonomy, adds_items=release.adds_items)
    wanted = [METRICS[name] for name in names] if names else usual
    return {m.name: m.measure(release, original) for m in wanted if release.secret is not None or not m.needs_groups_of(original)}


def routine(kinds: Collection[str], shape: str, *, on_taxonomy: bool, adds_items: bool) -> list[Metric]:
    """Return the metrics that are measured for every release of such tables from such input."""
    usual = [m for m in METRICS.values() if m.routine and m.applies(kinds, shape) and m.fits(adds_items)]
    return [m for m in usual if on_taxonomy or not m.needs_taxonomy]
