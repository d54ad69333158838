"""(rho1, rho2)-privacy: who believed little in a sensitive value of a person does not believe much in it afterwards.

Evfimievski, Gehrke and Srikant, PODS 2003, as the survey in Milani Fard's thesis states it: a belief of at most rho1 before the release is
at most rho2 after it. The belief before is the share of the value among all people; the belief after is its share in the class of rows
that the attacker can narrow a person down to. The definition for probabilities of a randomization is not judged: a file does not show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.data.column_list import ColumnNames
from shoal.data.items import Items
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import AchievedLevel, SensitiveColumnModel, ValuesOfClasses, as_written, upwards
from shoal.util.wording import counted


@dataclass(frozen=True)
class Rho1Rho2Privacy(SensitiveColumnModel):
    """If at most a share rho1 of all people have a sensitive value, at most a share rho2 of each class have it."""

    name = "rho1-rho2-privacy"
    protects = (
        "An attacker who believes in a sensitive value of a person with a probability of at most rho1, its share among all people, "
        "believes in it with a probability of at most rho2 after finding the class of the person."
    )
    does_not_protect = (
        "Values that more than a share rho1 of all people have. Several values together. Attackers whose belief before the release comes "
        "from elsewhere. That a person does not have a value: only beliefs that grow are bounded."
    )
    limits = "It does not bound beliefs in frequent values, nor those of attackers who know more than the whole table says."
    level_words = {"rho2": "largest share in a class of a value of at most rho1"}  # noqa: RUF012 (never changed)
    each_item = True
    level_sentences = {"rho2": "a protected value has a share of up to {n} in an equivalence class"}  # noqa: RUF012 (never changed)

    rho1: float = param(0.1, minimum=0, maximum=1, help="largest share among all people of a value that is protected")
    rho2: float = param(0.5, minimum=0, maximum=1, help="largest share of such a value in a class")
    sensitive: ColumnNames | None = param(None, help="sensitive columns; several columns are treated as one combined value")
    columns: ColumnNames | None = param(None, help="columns that an attacker may know (default: all others)")
    items: Items | None = param(None, help="sensitive items, for records instead of a table")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho1 >= self.rho2:
            raise ParameterError(
                "rho1 must be below rho2", code="options-conflict", hint="write rho1-rho2-privacy(rho1=0.1, rho2=0.5, ...)"
            )

    def measure(self, values: ValuesOfClasses) -> AchievedLevel:
        """Return the largest share of a rare value in a class, and how many classes have too much of one."""
        everybody = sum(values.sizes)
        rare = {value for value, n in values.total.items() if Fraction(n, everybody) <= as_written(self.rho1)}
        shares = [
            max((Fraction(n, size) for value, n in counts.items() if value in rare), default=Fraction(0))
            for counts, size in zip(values.counts, values.sizes, strict=True)
        ]
        sure = sum(share > as_written(self.rho2) for share in shares)
        broken = (f"in {counted(sure, 'class', 'classes')} a value of at most rho1 has a share above rho2",) if sure else ()
        return AchievedLevel({"rho2": upwards(max(shares))}, broken)
