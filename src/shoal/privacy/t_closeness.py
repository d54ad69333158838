"""t-closeness of a table: in every class the sensitive values are distributed nearly as in the whole table.

Li, Li and Venkatasubramanian, ICDE 2007. The distance of two distributions is the earth mover's distance with one of their three ground
distances: all different values are equally far apart; values are ordered; or they are leaves of a tree, as far apart as their lowest common
ancestor is high. Distances are exact fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from shoal.data.column_list import ColumnNames
from shoal.data.items import Items
from shoal.data.value_tree import ValueTree
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import AchievedLevel, SensitiveColumnModel, ValuesOfClasses, as_written, upwards
from shoal.util.wording import counted

Surplus = Mapping[str, Fraction]  # by how much a value is more frequent in a class than in the table


@dataclass(frozen=True)
class TCloseness(SensitiveColumnModel):
    """In every class of rows the sensitive values are distributed as in the whole table, up to an earth mover's distance of t."""

    name = "t-closeness"
    protects = (
        "An attacker who knows the values of a person in the known columns learns little about the sensitive columns beyond what the whole "
        "table says about everybody: the two distributions are at most t apart."
    )
    does_not_protect = (
        "What the whole table reveals about everybody. Who is in the table, and which row is whose: classes may be small if t is large. "
        "With distance=equal, similar values count as different ones."
    )
    limits = "It does not bound what the whole table reveals, only what is learned beyond it."
    level_words = {"t": "largest distance between a class and the whole table"}  # noqa: RUF012 (never changed)
    level_sentences = {  # noqa: RUF012 (never changed)
        "t": "the distribution in an equivalence class is at a distance of up to {n} from that of the whole table",
    }

    t: float = param(0.2, minimum=0, maximum=1, help="largest distance between the distribution of a class and that of the table")
    distance: str = param("equal", choices=("equal", "ordered", "tree"), help="ground distance of two sensitive values")
    sensitive: ColumnNames | None = param(None, help="sensitive column")
    columns: ColumnNames | None = param(None, help="columns that an attacker may know (default: all others)")
    items: Items | None = param(None, help="sensitive items, for records instead of a table")
    order: ColumnNames | None = param(None, help="values in ascending order, for distance=ordered (default: by number)")
    tree: ValueTree | None = param(None, help="parents of the values, for distance=tree")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.distance == "tree") != (self.tree is not None):
            raise ParameterError(
                "distance=tree needs a tree of the values, and no other distance takes one",
                code="options-conflict",
                hint='write t-closeness(distance=tree, tree="flu:lung,cold:lung,lung:any", ...)',
            )

        if self.items is not None and self.distance != "equal":
            raise ParameterError("sets of sensitive items have no order and no tree", code="options-conflict", hint="leave distance out")

    def measure(self, values: ValuesOfClasses) -> AchievedLevel:
        """Return the largest distance, and how many classes are beyond t."""
        total = values.total
        everybody = sum(total.values())
        order = self._ordered(list(total))
        apart = []
        for counts in values.counts:
            n = sum(counts.values())
            surplus = {value: Fraction(counts.get(value, 0), n) - Fraction(all_of_it, everybody) for value, all_of_it in total.items()}
            apart.append(self._moved(surplus, order))
        far = sum(distance > as_written(self.t) for distance in apart)
        return AchievedLevel(
            {"t": upwards(max(apart))}, (f"{counted(far, 'class is', 'classes are')} further than t from the whole table",) if far else ()
        )

    def _moved(self, surplus: Surplus, order: Sequence[str]) -> Fraction:
        """Return the earth mover's distance for this surplus of each value."""
        if self.distance == "ordered":
            steps = list(accumulate(surplus.get(value, Fraction(0)) for value in order))
            return sum(map(abs, steps), Fraction(0)) / max(1, len(order) - 1)
        if self.tree is not None:
            return _moved_in_tree(surplus, self.tree)
        return sum(map(abs, surplus.values()), Fraction(0)) / 2

    def _ordered(self, values: list[str]) -> list[str]:
        """Return the values from the least to the greatest, where the distance needs an order; check that all are known."""
        if self.tree is not None:
            self._insist_all_known(values, self.tree.values, "tree")
        if self.distance != "ordered":
            return values
        if self.order is not None:
            self._insist_all_known(values, self.order.names, "order")
            return list(self.order.names)
        try:
            return sorted(values, key=float)
        except ValueError:
            raise ParameterError(
                "the sensitive values are not numbers, so their order must be named",
                code="order-not-named",
                hint='write t-closeness(distance=ordered, order="low,middle,high", ...)',
            ) from None

    def _insist_all_known(self, values: Sequence[str], known: Sequence[str] | frozenset[str], what: str) -> None:
        missing = sum(value not in known for value in values)
        if missing:
            raise ParameterError(f"{missing:,} sensitive values are not in the {what} of the claim", code="value-not-listed", value=missing)


def _moved_in_tree(surplus: Surplus, tree: ValueTree) -> Fraction:
    """Move as much as possible below each node, from the leaves up: moving through a node costs its height as a share of the root's."""
    highest = max(tree.heights.values())
    rest: dict[str, Fraction] = dict(surplus)
    cost = Fraction(0)
    for node in sorted(tree.heights, key=lambda name: (tree.heights[name], name)):
        below = [rest.pop(child) for child, parent in tree.parents if parent == node and child in rest]
        below += [rest.pop(node)] if node in rest else []
        if below:
            more, less = sum((x for x in below if x > 0), Fraction(0)), -sum((x for x in below if x < 0), Fraction(0))
            cost += Fraction(tree.heights[node], highest) * min(more, less)
            rest[node] = more - less
    return cost
