"""l-diversity of a table: every class of rows has l well-represented sensitive values.

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, ACM TKDD 1(1), 2007. Three definitions: l distinct values; an entropy of at least
log l; and recursive (c, l)-diversity, by which the most frequent value is less than c times as frequent as all beyond the l - 1 most
frequent ones together. All comparisons are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.data.column_list import ColumnNames
from shoal.data.items import Items
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import AchievedLevel, SensitiveColumnModel, ValuesOfClasses, as_written
from shoal.util.wording import counted

C = 3.0  # factor of recursive diversity, where the claim names none
NEAR = 1e-9  # relative distance from a limit within which logarithms are not trusted


@dataclass(frozen=True)
class LDiversity(SensitiveColumnModel):
    """Every equivalence class of the known columns has at least l well-represented sensitive values."""

    name = "l-diversity"
    protects = (
        "An attacker who knows the values of a person in the known columns cannot tell which of at least l values the person has in the "
        "sensitive columns. With kind=entropy or kind=recursive none of these values is much more frequent than the others."
    )
    does_not_protect = (
        "Values that differ in name but mean the same, such as two kinds of cancer. With kind=distinct one value may be that of nearly "
        "everybody. An attacker who knows that a person does not have some of the values has fewer left."
    )
    limits = "It does not bound how similar the sensitive values of a class are, nor what columns outside of the claim reveal."
    level_words = {"l": "well-represented sensitive values in the worst class"}  # noqa: RUF012 (never changed)
    level_sentences = {"l": "{every} equivalence class has {least} {n} well-represented sensitive values"}  # noqa: RUF012 (never changed)

    l: int = param(2, minimum=2, help="minimum number of well-represented sensitive values per class")  # noqa: E741 (the name of the field)
    kind: str = param("distinct", choices=("distinct", "entropy", "recursive"), help="definition of well-represented")
    c: float | None = param(None, minimum=0, help="factor of kind=recursive (default: 3)")
    sensitive: ColumnNames | None = param(None, help="sensitive columns; several columns are treated as one combined value")
    columns: ColumnNames | None = param(None, help="columns that an attacker may know (default: all others)")
    items: Items | None = param(None, help="sensitive items, for records instead of a table")

    def measure(self, values: ValuesOfClasses) -> AchievedLevel:
        """Return the smallest l of all classes, and how many classes have less than the claim."""
        levels = [self._level(sorted(counts.values(), reverse=True)) for counts in values.counts]
        achieved = {"l": min(level for level, _ in levels)}
        missed = sum(not holds for _, holds in levels)
        return AchievedLevel(
            achieved, (f"{counted(missed, 'class has', 'classes have')} fewer than {self.l:,} {_WORDS[self.kind]}",) if missed else ()
        )

    def _level(self, counts: list[int]) -> tuple[float, bool]:
        """Return the l of a class with these counts, the greatest first, and whether it is enough."""
        if self.kind == "entropy":
            return _effective_values(counts), _has_entropy(counts, self.l)
        level = len(counts) if self.kind == "distinct" else _recursive(counts, as_written(C if self.c is None else self.c))
        return level, level >= self.l


_WORDS = {
    "distinct": "distinct sensitive values",
    "entropy": "sensitive values by their entropy",
    "recursive": "sensitive values that are represented recursively",
}


def _effective_values(counts: list[int]) -> float:
    """Return e to the entropy: as many equally frequent values have it. Rounded down to three digits."""
    n = sum(counts)
    found = math.exp(-sum(count / n * math.log(count / n) for count in counts))
    near = round(found)
    return float(near) if near and _has_entropy(counts, near) and found < near + NEAR else math.floor(found * 1000) / 1000


def _has_entropy(counts: list[int], least: int) -> bool:
    """Whether the entropy is at least log l, i.e. n^n >= l^n * product of count^count; in integers where logarithms are too close."""
    n = sum(counts)
    left, right = n * math.log(n), n * math.log(least) + sum(count * math.log(count) for count in counts)
    if abs(left - right) > NEAR * max(1.0, left):
        return left > right
    return bool(n**n >= least**n * math.prod(count**count for count in counts))


def _recursive(counts: list[int], c: Fraction) -> int:
    """Return the greatest l for which the most frequent value has fewer than c times as many rows as those from the l-th on."""
    level = 0
    while level < len(counts) and counts[0] < c * sum(counts[level:]):
        level += 1
    return level
