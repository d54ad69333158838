"""Membership: whether a person is in the data at all, guessed from the release and the person's whole record.

The release is made again without each attacked person. The attacker gets one of the two releases, by a fair coin, and knows the record. The
score of a release is that of the published record that fits best: the levels of its nodes that are true of the person, less those that are
not. The attacker guesses that the person is in if the score exceeds a threshold that separates the two releases best for the other
attacked people, for whom both are known to the attacker (shadow releases). Guessing is right in half of the cases; the advantage is the
share of right guesses among people who are in, less that of wrong ones among people who are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import without_person
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ShoalError
from shoal.util.binomial import clopper_pearson
from shoal.util.wording import percent

FEWEST = 4  # people whose scores a threshold is learned from
KNOWLEDGE = "the whole record, and releases with and without other people"
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Membership(ScenarioAttack):
    """Somebody who knows a record guesses whether its person took part."""

    name = "membership"
    test = "inference"
    routine = False
    story = (
        "An attacker knows everything about a person and guesses from the release whether the person took part, by the published record "
        "that fits best. How well it must fit is learned from releases with and without other people."
    )

    def runs(self, few: int, people: int, k: int) -> int:
        """Once without each of them."""
        return few

    def tried(self, scenario: Scenario) -> Tried:
        """Score both releases of each person, and guess by the threshold of the others."""
        scenario.insist_on_remakes()
        records, inside, outside, failed = scored_people(scenario)
        if len(records) < FEWEST:
            raise Skipped(f"fewer than {FEWEST} people can be left out of the release")
        right_in, right_out = guesses(inside, outside)
        trial = Trial(KNOWLEDGE, None, (right_in + right_out) / 2, 0.5)
        note = f"membership: {failed:,} of {len(scenario.few):,} people were skipped: the release cannot be made without them"
        notes = (advantage_note(right_in, right_out), *((note,) if failed else ()))
        return Tried((ScenarioTrial(trial, scenario.lengths(records)),), notes)


def scored_people(scenario: Scenario) -> tuple[Ints, Ints, Ints, int]:
    """Return the attacked records, the score of each in the release with and without its person, and how many had to be skipped."""
    original = scenario.made.original
    records, inside, outside, failed = [], [], [], 0
    present = nodes_of(scenario.made, original.tree)
    for record in scenario.few.tolist():
        try:
            less = scenario.remake(without_person(original.typed, int(original.typed.owners[record])))
        except ShoalError:
            failed += 1
            continue
        held = original.bags.items[original.bags.indptr[record] : original.bags.indptr[record + 1]]
        records.append(record)
        inside.append(best_fit(present, held, original.tree))
        outside.append(best_fit(nodes_of(less, original.tree), held, original.tree))
    return np.array(records, np.int64), np.array(inside, np.int64), np.array(outside, np.int64), failed


def nodes_of(made: Made, tree: Taxonomy) -> Bags:
    """Return the published records in the names of the tree; other names are left out."""
    published = made.release.published
    return published.relabelled(tree.names.codes(published.vocabulary.names), tree.names, as_sets=True)


def best_fit(published: Bags, held: Small, tree: Taxonomy) -> int:
    """Return the highest score of a published record: levels of nodes at or above a held item, less those of all other nodes."""
    true = np.zeros(len(tree), bool)
    for item in held.tolist():
        node = int(item)
        while node >= 0 and not true[node]:
            true[node] = True
            node = int(tree.parent[node])
    worth = np.where(true, tree.depth, -tree.depth).astype(np.int64)[published.items]
    sums = np.concatenate([[0], np.cumsum(worth)])
    return int((sums[published.indptr[1:]] - sums[published.indptr[:-1]]).max(initial=0))


def guesses(inside: Ints, outside: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each person is guessed right when in and when out, by the best threshold for all other people."""
    right_in, right_out = np.zeros(len(inside)), np.zeros(len(inside))
    for person in range(len(inside)):
        others = np.arange(len(inside)) != person
        limit = best_threshold(inside[others], outside[others])
        right_in[person], right_out[person] = inside[person] > limit, outside[person] <= limit
    return right_in, right_out


def best_threshold(inside: Ints, outside: Ints) -> int:
    """Return the score above which most of these are in, and below which most are out; the lowest of equals."""
    limits = np.unique(np.concatenate([inside, outside, [-1]]))
    right = [int((inside > limit).sum() + (outside <= limit).sum()) for limit in limits]
    return int(limits[int(np.argmax(right))])


def advantage_note(right_in: np.ndarray, right_out: np.ndarray) -> str:
    """Return the advantage with an interval, from exact intervals of both rates."""
    n = len(right_in)
    found, alarm = (clopper_pearson(int(hits), n, (1 + CONFIDENCE) / 2) for hits in (right_in.sum(), n - right_out.sum()))
    advantage = float(right_in.mean() + right_out.mean() - 1)
    low, high = found[0] - alarm[1], found[1] - alarm[0]
    interval = f"{percent(CONFIDENCE, 0)} interval {percent(low)} to {percent(high)}"
    return f"membership: advantage over guessing {percent(advantage)} ({interval}) on {n:,} people"
