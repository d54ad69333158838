"""rho-uncertainty (Cao, Karras, Raissi and Tan, VLDB'10): no items of a record disclose one of its sensitive items with a confidence above
rho.

For every sensitive item a and every set X of other items that occurs with it, including sensitive ones and the empty set, the share of
records with a among those with X must be at most rho. Generalized items count as published. If a person owns several records, two shares
are counted, and both must be at most rho: the share of the records with X that also contain a, which is the confidence of an attacker who
picks one of these records; and the share of the people with a record containing X who have one containing X and a, which is that of an
attacker who picks one of these people. Records of one person are not merged, because nothing published links them.

Everything is counted from the published records, by a kernel that no method calls. Sets that are closed among the records with a suffice:
closing X there does not change the records and people with X and a, and can only reduce those with X. With the original, every published
record must be its original under one global recoding, in which sensitive items are unchanged or suppressed everywhere, never generalized.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data import patience
from shoal.data.bags import Ints, Vocabulary
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.claimed_item_roles import Roles, sensitive_items
from shoal.privacy.evidence.equivalence_classes import truthful_or_not
from shoal.privacy.evidence.global_recoding import changed_private_items, recoding_defects
from shoal.privacy.evidence.known_sets import MOST_KNOWN, MOST_WITNESSES, PEOPLE_NOT_COUNTED, Holders, holders_in, repeated_items
from shoal.privacy.evidence.sensitive_columns import upwards
from shoal.util.wording import counted, percent

if TYPE_CHECKING:
    from shoal.data.original import Original

ITEMS_AT_ONCE = 256  # sensitive items that are searched together, and then reported as judged


@dataclass(frozen=True)
class RhoUncertainty(Model):
    """An attacker who knows any items of a record infers no sensitive item of it with confidence above rho."""

    name = "rho-uncertainty"
    protects = (
        "An attacker who knows any items of a person's record, including sensitive ones, infers no further sensitive item with "
        "probability above rho. If `antecedent` is set, this covers an attacker who knows at most that many items."
    )
    does_not_protect = (
        "A person may be linked to a single record. An attacker who knows which items are absent, or several records of one person, "
        "may infer more. A combination of two sensitive items may have a confidence above rho."
    )
    limits = (
        "It does not prevent linking a person to a single record, nor does it protect against an attacker who knows which items are absent."
    )
    level_words = {  # noqa: RUF012 (never changed)
        "certainty": "largest confidence of a sensitive item, whatever items of its record are known"
    }
    level_sentences = {"certainty": "a sensitive item can be inferred with a confidence of up to {n}"}  # noqa: RUF012 (never changed)

    rho: float = param(0.5, minimum=0, maximum=1, help="largest accepted confidence of inferring a sensitive item")
    sensitive: Items | None = param(None, help="sensitive items, which must not be inferred")
    antecedent: int | None = param(None, minimum=0, maximum=MOST_KNOWN, help="number of items known to an attacker (default: any number)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho == 1:
            raise ParameterError(
                "rho must be below 1, which would allow certainty",
                code="out-of-range",
                hint="0.5 is a common choice",
                value=self.rho,
            )

    reads_items_widely = False
    safe_numbers = frozenset({"people"})  # how many occurrences were suppressed says how many people have a suppressed sensitive item

    @property
    def sensitive_items(self) -> Items | None:
        """The items that must not be inferred."""
        return self.sensitive

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return rho for inferring a sensitive item from other items, from any number or from a limited number of them."""
        beyond = self.antecedent is not None and (known is None or known > self.antecedent)
        return None if test != "sensitive inference" or beyond else self.rho

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Find the maximum confidence for each sensitive item; with the original, count people and verify the recoding."""
        names, taxonomy = release.published.vocabulary, original.taxonomy if original else None
        roles = sensitive_items(names, self.sensitive, taxonomy, strict=original is not None)
        rules, searched, people = _greatest(release, original, roles, self.antecedent)
        limit = Fraction(str(float(self.rho)))
        telling = [rule for rule in rules if rule.certainty > limit]
        broken, notes = [*_violations(telling, limit), *repeated_items(release)], _notes(rules, searched, people)
        if original is not None:
            untrue, undecided = _changes(release, original, roles)
            broken, notes = broken + untrue, notes + undecided
        achieved = {"certainty": upwards(max((rule.certainty for rule in rules), default=Fraction(0)))}
        rare = tuple(rule.text(names) for rule in telling[:MOST_WITNESSES])
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), (*notes, *roles.notes), rare=rare)


@dataclass(frozen=True)
class _Rule:
    """The rule with the highest confidence for one sensitive item."""

    known: tuple[int, ...]
    item: int
    certainty: Fraction

    def text(self, names: Vocabulary) -> str:
        known = "{" + ", ".join(names[item] for item in self.known) + "}"
        return f"{known} reveals {names[self.item]!r} with a confidence of {percent(float(self.certainty))}"


def _greatest(release: Release, original: Original | None, roles: Roles, most: int | None) -> tuple[list[_Rule], int, bool]:
    """Return the rule with the highest confidence for each sensitive item, sorted; the number of sets examined; and whether people were
    counted.
    """
    holders = holders_in(release, original)
    named = np.intersect1d(np.flatnonzero(roles.private), holders.published.items)
    rules: list[_Rule] = []
    searched = 0
    for at in range(0, len(named), ITEMS_AT_ONCE):
        done = f"{at:,} of {len(named):,} sensitive items were verified; searching for items that reveal the next ones"
        found = _search(holders, len(roles.private), named[at : at + ITEMS_AT_ONCE], most, done)
        rules += [_Rule(tuple(known.tolist()), item, Fraction(holding, cohort)) for known, item, holding, cohort in found["rules"]]
        searched += found["searched"]
    return sorted(rules, key=lambda rule: (-rule.certainty, rule.item)), searched, len(holders.owners) > 0


def _search(holders: Holders, n: int, items: Ints, most: int | None, what: str) -> dict[str, Any]:
    """Call the kernel for these sensitive items of n."""
    anything, hidden = np.ones(n, np.uint8), np.zeros(n, np.uint8)
    hidden[items] = True
    arguments = holders.published.view, holders.row, holders.owners, anything, hidden, -1 if most is None else most
    found: dict[str, Any] = patience.run(_kernels.greatest_certainty, *arguments, kernels.threads(), label="searching rules", what=what)
    return found


def _changes(release: Release, original: Original, roles: Roles) -> tuple[list[str], list[str]]:
    """Return faults of the recoding or, without the record-to-group mapping, of the generalization."""
    if release.secret is not None:
        return recoding_defects(original, release, roles, private_may_go=True), []
    untrue, undecided = truthful_or_not(release, original)
    untrue += changed_private_items(release, original, roles.private, may_go=True)
    return untrue, undecided + ([PEOPLE_NOT_COUNTED] if original.bags.owners_repeat else [])


def _violations(telling: list[_Rule], limit: Fraction) -> list[str]:
    if not telling:
        return []
    verb = "is" if len(telling) == 1 else "are"
    return [f"{counted(len(telling), 'sensitive item')} {verb} revealed by known items with a confidence above {float(limit):g}"]


def _notes(rules: list[_Rule], searched: int, people: bool) -> list[str]:
    if not rules:
        return ["no sensitive item is published"]
    both = "records and by people, the larger share" if people else "records"
    sets = counted(searched, "set of items was", "sets of items were")
    return [f"{counted(len(rules), 'sensitive item')}: {sets} looked at, by {both}"]
