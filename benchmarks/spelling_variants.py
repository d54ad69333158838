"""Misspelt words next to the words that they vary, in learned topics: are releases on such topics better?

Topics are learned as usual. A rare word with one edit from a much more widely held word is then moved to the topic of that word if both
keep similar company (`tests/helpers/spelling_variants.py`). As a control, as many rare words are moved to topics of other widely held
words, both chosen at random: moving a few words changes the groups of a release, so its measures differ by chance. Printed are bits per
record and the bits gained per hidden word with `shoal`; with `--planted` also the shares of pairs that agree where the answer is known:
words of one person are renamed, and compared with what they were and with another word. With `--times` only processor times are printed.

Run `python benchmarks/spelling_variants.py [--sets Excite,last.fm] [--k 5,10] [--controls 20] [--planted] [--times]`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from common import show
from shoal.data.bags import Bags
from shoal.methods import METHODS
from shoal.pipeline.prepare import Records, topics_of
from shoal.taxonomy.company import Company
from shoal.taxonomy.learned import FEWEST_PEOPLE, Topics
from topics import LEARNED, Data, cases

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.spelling_variants import VariantRules, agreements, company_of_words, place_variants, spelling_variants

RULES = VariantRules(rare=FEWEST_PEOPLE)
COSINES = (0.05, 0.1, 0.15, 0.2, 0.3)
PLANTED = "(planted)"


class Learned:
    """Topics of some records, and what variants are found by."""

    def __init__(self, records: Records) -> None:
        started = time.process_time()
        self.topics: Topics = topics_of(records, FEWEST_PEOPLE)
        self.learning = time.process_time() - started
        self.bags, self.names = records.contexts, records.contexts.vocabulary.names.to_list()
        self.company: Company = company_of_words(records.contexts, records.folded if records.sessions is not None else None)
        started = time.process_time()
        pairs = spelling_variants(self.names, self.company, RULES)
        self.searching = time.process_time() - started
        self.variants = self._named(pairs)

    def at_random(self, seed: int) -> dict[str, str]:
        """As many pairs of a rare and a widely held word, at random; rare words are held by no more people than variants."""
        random, people = np.random.default_rng(seed), self.company.people
        number = {name: n for n, name in enumerate(self.names)}
        most = max((people[number[word]] for word in self.variants), default=1)
        rare = np.flatnonzero(~self.company.lonely & (people < RULES.rare) & (people <= most))
        common = np.flatnonzero(~self.company.lonely & (people >= RULES.common))
        count = len(self.variants)
        chosen = random.choice(rare, count, replace=False).tolist(), random.choice(common, count).tolist()
        return self._named({a: b for a, b in zip(*chosen, strict=True) if a != b})

    def occurrences(self) -> float:
        """The share of occurrences of words that are variants."""
        variant = np.isin(np.array(self.names, object), list(self.variants))
        return float(variant[self.bags.items].mean())

    def _named(self, pairs: dict[int, int]) -> dict[str, str]:
        return {self.names[a]: self.names[b] for a, b in pairs.items()}


def measured(data: Data, whole: Learned, rest: Learned, k: int, controls: int) -> list[dict[str, Any]]:
    """A row for topics as they are, one with variants moved, and one for each control."""
    both = (whole, rest)
    changes = {"variants": [one.variants for one in both]}
    changes |= {f"at random, {seed}": [one.at_random(seed) for one in both] for seed in range(1, controls + 1)}
    for name, moved in changes.items():
        first, second = (place_variants(one.topics, change).taxonomy() for one, change in zip(both, moved, strict=True))
        data.trees[name] = (first, second)
    return [{"topics": name, **data.row(METHODS["shoal"](k=k), "information", name)} for name in (LEARNED, *changes)]


def spread(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The smallest, mean and largest measures of the controls."""
    controls = [row for row in rows if row["topics"].startswith("at random")]
    values = {name: np.array([row[name] for row in controls]) for name in ("bits", "joint_bits", "kept", "suppressed")}
    values["gain"] = np.array([float(row["hidden gain"].split()[0]) for row in controls])
    lines = {
        "smallest": {name: float(some.min()) for name, some in values.items()},
        "mean": {name: float(some.mean()) for name, some in values.items()},
        "largest": {name: float(some.max()) for name, some in values.items()},
    }
    return [{"controls": name, **line} for name, line in lines.items()]


def planted(learned: Learned, records: Records) -> list[dict[str, Any]]:
    """How many renamed words of one person agree with the word that they were, and with another, by cosine."""
    random = np.random.default_rng(1)
    people = learned.company.people
    owners = np.repeat(learned.bags.owners, np.diff(learned.bags.indptr))
    renamed = {}
    for word in np.flatnonzero(people > RULES.common).tolist():
        holders = np.unique(owners[learned.bags.items == word])
        renamed[learned.names[word]] = int(random.choice(holders))
    contexts = _renamed(learned.bags, renamed)
    company = company_of_words(contexts, None if records.sessions is None else _aligned(_renamed(records.folded, renamed), contexts))
    names = {name: n for n, name in enumerate(contexts.vocabulary.names.to_list())}
    tied = [word for word in sorted(renamed) if not company.lonely[names[word + PLANTED]]]
    true = np.array([(names[word + PLANTED], names[word]) for word in tied], np.int64)
    other = np.column_stack([true[:, 0], np.roll(true[:, 1], 1 + len(true) // 3)])
    cosines = [np.array([dot / max(product, 1) ** 0.5 for dot, product in agreements(company, pairs)]) for pairs in (true, other)]
    return [
        {"cosine": c, "planted": len(true), "same": float((cosines[0] >= c).mean()), "other": float((cosines[1] >= c).mean())}
        for c in COSINES
    ]


def _renamed(bags: Bags, who: dict[str, int]) -> Bags:
    """The same contexts, where some words of one person each have another name."""
    names = bags.vocabulary.names.to_list()
    rows = [
        [names[item] + PLANTED if who.get(names[item]) == owner else names[item] for item in bags.items[begin:end].tolist()]
        for begin, end, owner in zip(bags.indptr[:-1].tolist(), bags.indptr[1:].tolist(), bags.owners.tolist(), strict=True)
    ]
    return Bags.from_lists(rows, bags.owners)


def _aligned(bags: Bags, like: Bags) -> Bags:
    """The same with the vocabulary of other contexts of the same words."""
    codes = like.vocabulary.codes(bags.vocabulary.names)
    return Bags.from_rows(bags.indptr, codes[bags.items], bags.counts, like.vocabulary, bags.owners)


def main() -> None:
    """Print tables for each data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="Excite,last.fm")
    parser.add_argument("--k", default="5")
    parser.add_argument("--controls", type=int, default=20)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    for name, case in cases():
        if name not in options.sets.split(","):
            continue
        data = Data(case)
        whole, rest = (Learned(records) for records in data.learned_from)
        about = {"words": len(whole.names), "variants": len(whole.variants), "of the rest": len(rest.variants)}
        times = {"learning": whole.learning, "searching": whole.searching, "ratio": whole.searching / whole.learning}
        show(name, [{**about, "share of occurrences": whole.occurrences(), **times}])
        if options.planted:
            show(f"{name}, planted", planted(whole, data.learned_from[0]))
        for k in [] if options.times else map(int, options.k.split(",")):
            rows = measured(data, whole, rest, k, options.controls)
            show(f"{name}, k = {k}", rows)
            show(f"{name}, k = {k}, controls", spread(rows))


if __name__ == "__main__":
    main()
