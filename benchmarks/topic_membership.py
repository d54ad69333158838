"""Do the names of learned topics tell who was in the data? A membership attack with a control group, on generated search logs.

    python benchmarks/topic_membership.py [--users 500 2000 8000] [--people 10 20] [--shadows 20] [--trials 20]

Half of the people are in, the other half is the control group; `tests/helpers/topic_membership.py` describes the attacker, who knows all
searches of everybody and only not who is in. A guess at random is right half of the time. For comparison the same attacker is given the
list of all words that as many people use, and the names that a release of whole histories publishes. `changed` is the share of people
without whom a half would have other words in its names: what an attacker finds out who knows everything about everybody else.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from common import show
from datasets import generated_log
from shoal.data.bags import Bags
from shoal.data.tables.bags import BagTable
from shoal.io.read.dispatch import read
from shoal.methods import METHODS
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Records, prepare_records, records_of
from shoal.taxonomy.learned import learn_topics
from shoal.taxonomy.topic_names import SEPARATOR

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.topic_membership import Flags, Published, attacked, names_of_topics, words_of_enough, words_of_people

LEFT_OUT = 20


def sessions(users: int) -> Bags:
    """The sessions of a generated log, as topics are learned from them."""
    how = Preparation(taxonomy="topics")
    return records_of(read((generated_log(users),), how.reading).data, how).contexts


def names_in_release(contexts: Bags, fewest: int) -> Flags:
    """Which words are in the names of topics that a release of whole histories publishes; k is half of the people behind each word."""
    people, owner = np.unique(contexts.owners, return_inverse=True)
    histories = Bags.from_scipy(words_of_people(contexts, owner, len(people)), contexts.vocabulary)
    tree = learn_topics(contexts, fewest).taxonomy()
    how = Preparation(taxonomy="topics", unknown="keep")
    prepared = prepare_records(Records(histories, True, sessions=contexts), how, tree)
    release = made_by(METHODS["shoal"](k=fewest // 2), prepared.records)
    (table,) = release.tables_of(BagTable)
    used = np.unique(table.records.items[np.repeat(table.copies > 0, np.diff(table.records.indptr))])
    names = table.records.vocabulary.names.gather(used)
    shown = {word for name in names if SEPARATOR in name for word in name.split(SEPARATOR)}
    return np.array([name in shown for name in contexts.vocabulary.names])


def row(contexts: Bags, people: int, options: argparse.Namespace, what: str, published: Published) -> dict[str, Any]:
    """One attack, as a row of the table."""
    found = attacked(contexts, people, options.shadows, options.trials, LEFT_OUT, published=published)
    interval = f"{100 * found.low:.1f} to {100 * found.high:.1f} %"
    facts = {"people": contexts.n_owners, "words of": people, "published": what, "right": f"{100 * found.right:.1f} %"}
    return {**facts, "interval": interval, "changed": f"{100 * found.changed:.0f} %"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, nargs="+", default=[500, 2000, 8000])
    parser.add_argument("--people", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--shadows", type=int, default=20)
    parser.add_argument("--trials", type=int, default=20)
    options = parser.parse_args()
    for users in options.users:
        contexts = sessions(users)
        rows = []
        for people in options.people:
            rows.append(row(contexts, people, options, "names of topics", names_of_topics))
            rows.append(row(contexts, people, options, "list of words", words_of_enough))
            rows.append(row(contexts, people, options, "names in a release", names_in_release))
        show(f"{users:,} people, half of them in", rows)


if __name__ == "__main__":
    main()
