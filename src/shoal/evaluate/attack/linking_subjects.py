"""Subjects of linking attacks: the original and the release, each with the attacker's knowledge and an optional control group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.attacks.attacker_view import Owned
from shoal.attacks.logs import LinkingAttack
from shoal.attacks.logs.linking import Linkable
from shoal.attacks.outcome import Outcome, outcome
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.evaluate.attack.targets import ceiling


@dataclass(frozen=True, eq=False)
class Linking:
    """A subject: for each kind of knowledge what can be linked, and the same for people who were left out."""

    name: str
    found: Mapping[str, Linkable]
    control: Mapping[str, Linkable]
    claims: tuple[Model, ...] = ()


def linking_outcomes(attack: LinkingAttack, subject: Linking) -> list[Outcome]:
    """Return the outcomes of an attack on a subject, with each kind of knowledge."""
    controls = {trial.knowledge: trial for trial in attack.trials(subject.control)}
    return [
        outcome(
            subject.name,
            attack,
            trial,
            np.diff(subject.found[trial.knowledge].known.indptr),
            controls.get(trial.knowledge),
            ceiling(subject.claims, attack.test, trial),
        )
        for trial in attack.trials(subject.found)
    ]


def of_owners(records: Bags, owners: Ints) -> Bags:
    """Return one record per person: the items of all of their records."""
    order = np.argsort(records.owners, kind="stable")
    sorted_owners = records.owners[order]
    first, last = np.searchsorted(sorted_owners, owners, "left"), np.searchsorted(sorted_owners, owners, "right")
    chosen = records.select(np.concatenate([order[a:b] for a, b in zip(first, last, strict=True)] or [np.zeros(0, np.int64)]))
    starts = chosen.indptr[np.concatenate([[0], np.cumsum(last - first)])]
    return Bags.from_rows(starts, chosen.items, chosen.counts, chosen.vocabulary, owners)


def rows_of_owners(records: Bags, owned: Owned, owners: Ints) -> Owned:
    """Return the published rows of one record of each person, the first that has any.

    Claims cover each record; somebody with several published ones is found as one of them.
    """
    published = np.flatnonzero(owned.sizes > 0)
    people, first = np.unique(records.owners[published], return_index=True)
    return owned.select(published[first[np.searchsorted(people, owners)]])
