"""(alpha, k)-anonymity of a table or of records.

Wong, Li, Fu and Wang, KDD 2006: every class has k rows, and no sensitive value has more than a share alpha of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.data.column_list import ColumnNames
from shoal.data.items import Items
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import AchievedLevel, SensitiveColumnModel, ValuesOfClasses, as_written, upwards
from shoal.util.wording import counted


@dataclass(frozen=True)
class AlphaKAnonymity(SensitiveColumnModel):
    """Every class has at least k rows, and no sensitive value is in more than a share alpha of them."""

    name = "alpha-k-anonymity"
    protects = (
        "An attacker who knows the values of a person in the known columns links the person to a row with probability at most 1/k, and "
        "infers a sensitive value, or one of those that the claim names, with a confidence of at most alpha."
    )
    does_not_protect = (
        "Several sensitive values together, of which each is below alpha. Values that the claim does not name, if it names any. Attackers "
        "who know what other people of the class have."
    )
    limits = "It does not bound the confidence in groups of similar values, only in each sensitive value by itself."
    level_words = {  # noqa: RUF012 (never changed)
        "records": "rows in the smallest class",
        "alpha": "largest share of one sensitive value in a class",
    }
    each_item = True
    level_sentences = {  # noqa: RUF012 (never changed)
        "records": "{every} equivalence class has {least} {rows}",
        "alpha": "a sensitive value has a share of up to {n} in an equivalence class",
    }

    alpha: float = param(0.5, minimum=0, maximum=1, help="largest share of rows of a class with the same sensitive value")
    k: int = param(3, minimum=1, help="minimum number of rows per class")
    sensitive: ColumnNames | None = param(None, help="sensitive columns; several columns are treated as one combined value")
    columns: ColumnNames | None = param(None, help="columns that an attacker may know (default: all others)")
    items: Items | None = param(None, help="sensitive items, for records instead of a table")
    only: ColumnNames | None = param(None, help="sensitive values that the claim is about (default: all)")

    def measure(self, values: ValuesOfClasses) -> AchievedLevel:
        """Return the smallest class and the largest share, and how many classes miss each."""
        named = None if self.only is None else set(self.only.names)
        shares = [
            max((Fraction(n, size) for value, n in counts.items() if named is None or value in named), default=Fraction(0))
            for counts, size in zip(values.counts, values.sizes, strict=True)
        ]
        small, sure = sum(size < self.k for size in values.sizes), sum(share > as_written(self.alpha) for share in shares)
        broken = [f"{counted(small, 'class has', 'classes have')} fewer than {self.k:,} rows"] if small else []
        broken += [f"in {counted(sure, 'class', 'classes')} a sensitive value has a share above alpha"] if sure else []
        return AchievedLevel({"records": min(values.sizes), "alpha": upwards(max(shares))}, tuple(broken))
