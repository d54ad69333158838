"""The verdict of attacks in two sentences: what the release guarantees, and what an attacker can actually do.

A guarantee may hold although people are found: a claim about attackers who know one item does not cover those who know four.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.attacks import RELEASE
from shoal.attacks.known_items import Knowledge, KnownItems
from shoal.attacks.outcome import Outcome
from shoal.util.wording import counted, percent

FINDING = ("singling out", "linking")  # tests in which a person is found
OF_WORDS = ("canaries",)  # attacks whose cases are planted words, not people
SEVERE = 0.5  # the share of people found above which a verdict is shown in red
EASILY_KNOWN = (Knowledge(4), Knowledge(8))  # what an attacker may well know of a person
PERSON, RECORD = "a person", "a record"  # of what items are known: of one record, where a person may have several
MORE_TARGETS = "; attack more targets to decide"
NOTHING = "the release guarantees nothing against these attacks"


@dataclass(frozen=True)
class AttackFinding:
    """The success rate of one attack with one kind of knowledge on a release, compared with the guarantee."""

    attack: str
    test: str
    knowledge: str
    rate: float
    promised: bool
    standing: str
    targets: int

    @classmethod
    def of(cls, one: Outcome) -> AttackFinding:
        """Make a finding from the outcome of an attack."""
        return cls(one.attack, one.test, one.knowledge, one.success.rate, one.ceiling is not None, one.standing, one.targets)


@dataclass(frozen=True)
class Conclusion:
    """Both sentences; `severe`: an attack finds most people, whatever is guaranteed."""

    promised: str
    in_fact: str
    severe: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        return {"promised": self.promised, "in_fact": self.in_fact, "finds_most_people": self.severe}


def known_of(owners_repeat: bool) -> str:
    """Return whose items an attacker knows: if a person has several records, all known items are from one of them."""
    return RECORD if owners_repeat else PERSON


def concluded(outcomes: Iterable[Outcome], most_targets: int = 0, of: str = PERSON) -> Conclusion:
    """Return the verdict of all attacks on a release; `most_targets` is the number of people that can be attacked, if more could be
    requested.
    """
    return conclusion_of([AttackFinding.of(one) for one in outcomes if one.subject == RELEASE], most_targets, of)


def conclusion_of(findings: Sequence[AttackFinding], most_targets: int = 0, of: str = PERSON) -> Conclusion:
    """Do the same for findings; `of` describes whose items are known, see `known_of`."""
    people = [one for one in findings if one.test in FINDING and one.attack not in OF_WORDS]
    return Conclusion(_promised(findings, most_targets), _in_fact(findings, people, of), any(one.rate > SEVERE for one in people))


def _promised(findings: Sequence[AttackFinding], most_targets: int) -> str:
    if not findings:
        return "no attack was run"
    above = sum(one.standing == "ABOVE THE PROMISE" for one in findings)
    if above:
        return f"{counted(above, 'attack exceeds its guaranteed bound', 'attacks exceed their guaranteed bounds')}"
    if not any(one.promised for one in findings):
        return NOTHING
    unsure = [one for one in findings if one.standing == "may be above the promise"]
    if unsure:
        hint = MORE_TARGETS if most_targets and any(one.targets >= most_targets for one in unsure) else ""
        return f"no attack is significantly above its guaranteed bound; {len(unsure):,} may be above{hint}"
    without = sum(not one.promised for one in findings)
    have = "has" if without == 1 else "have"
    rest = f"; {without:,} of {counted(len(findings), 'rate')} {have} no guaranteed bound" if without else ""
    return f"no attack exceeds its guaranteed bound{rest}"


def _in_fact(findings: Sequence[AttackFinding], people: Sequence[AttackFinding], of: str) -> str:
    if not findings:
        return "no attack was run"
    if not people:
        best = _strongest(findings)
        return f"the strongest attack ({best.attack}: {best.knowledge}) succeeds in {percent(best.rate)} of the cases"
    known = {one.knowledge: one for one in people if one.attack == KnownItems.name}
    shown_rates = [known[str(knowledge)] for knowledge in EASILY_KNOWN if str(knowledge) in known]
    worst = _strongest(people)
    least = f"{_of_attacked(worst)} are found ({worst.attack}: {worst.knowledge})"
    if not shown_rates:
        return least
    first = f"an attacker who knows {shown_rates[0].knowledge} of {of} finds {_of_attacked(shown_rates[0])}"
    rest = "".join(f" ({one.knowledge}: {percent(one.rate)})" for one in shown_rates[1:])
    return f"{first}{rest}" + (f"; the most successful attack: {least}" if worst.rate > max(one.rate for one in shown_rates) else "")


def _of_attacked(finding: AttackFinding) -> str:
    return f"{percent(finding.rate)} of {counted(finding.targets, 'attacked person', 'attacked people')}"


def _strongest(findings: Sequence[AttackFinding]) -> AttackFinding:
    return max(findings, key=lambda one: one.rate)
