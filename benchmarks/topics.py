"""Taxonomies by what releases on them tell: WordNet or the data's own tree, learned topics, both together (hybrid), and random parts.

For each data set, k, method, node loss and taxonomy: bits per record, the bits gained per hidden word over popularity with their
95% interval, their recall among 20 guesses, and the shares of words kept and suppressed. Topics for the hidden words are learned from the
rest alone. Random parts are a control: a yardstick by which they win does not measure meaning.

Run `python benchmarks/topics.py [--sets Excite,groceries] [--k 5,10] [--methods shoal,km] [--losses information,people]
[--rules domains,phrases] [--taxonomies own,hybrid]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from common import data_file, show
from datasets import LASTFM, LINES, generated_log
from shoal.attacks.scenarios.changed_records import of_used_names
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ShoalError
from shoal.io.read.dispatch import read
from shoal.io.read.formats import ReadOptions
from shoal.methods import METHODS, Method
from shoal.metrics import measure
from shoal.metrics.hidden_words import HiddenWords, guess_hidden, hide_words, without
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import TOPICS, Preparation
from shoal.pipeline.prepare import Records, prepare_records, records_of, topics_of
from shoal.taxonomy.hybrid import hybrid
from shoal.taxonomy.learned import FEWEST_PEOPLE
from shoal.taxonomy.wordnet import wordnet

OWN, LEARNED, HYBRID, RANDOM = "own", "learned", "hybrid", "random"
SMALLEST = 6  # words of a random part that is not split


@dataclass(frozen=True)
class Case:
    """A data set: its file, how it is read, and the taxonomy that topics are compared with."""

    path: Path
    read: ReadOptions
    taxonomy: str = "wordnet"


def cases() -> Iterator[tuple[str, Case]]:
    """The data sets that are at hand."""
    if path := data_file("excite-small.log.gz"):
        yield "Excite", Case(path, ReadOptions())
    if path := data_file("lastfm-tags.tsv.gz"):
        yield "last.fm", Case(path, LASTFM)
    path, taxonomy = data_file("groceries-baskets.csv"), data_file("groceries-taxonomy.tsv")
    if path and taxonomy:
        yield "groceries", Case(path, LINES, str(taxonomy))
    if path := data_file("apache-combined-10k.log.gz"):
        yield "access log", Case(path, ReadOptions(format="accesslog"), "paths")
    yield "generated 2000", Case(generated_log(2_000), ReadOptions())
    if path := data_file("bbc-news.jsonl.gz"):
        yield "BBC news", Case(path, ReadOptions(user="id", text="text"))
    yield "generated 50000", Case(generated_log(50_000), ReadOptions())


class Data:
    """The records of a case, what topics are learned from, and the trees: each whole and without hidden words."""

    def __init__(self, case: Case, rules: str = "") -> None:
        found = read([case.path], replace(case.read, needs_times=True)).data
        self.preparation = Preparation(read=case.read, taxonomy=case.taxonomy, unknown="keep", word_rules=rules)
        records = records_of(found, self.preparation)
        self.hidden: HiddenWords = hide_words(records.bags)
        self.whole, self.rest = records, Records(of_used_names(self.hidden.rest), records.texts)
        rest_of_rules = str(replace(self.preparation.rules, related=False))  # related nouns are WordNet's matter
        learned_from = records_of(found, replace(self.preparation, taxonomy=TOPICS, word_rules=rest_of_rules))
        self.learned_from = (learned_from, _rest(learned_from, self.hidden))
        self.trees = {OWN: (None, None), **_learned(self.learned_from, case.taxonomy == "wordnet", self.preparation.rules.related)}

    def row(self, method: Method, loss: str, kind: str) -> dict[str, Any]:
        """One line of the table."""
        how, (tree, rest_tree) = replace(self.preparation, loss=loss), self.trees[kind]
        whole = prepare_records(self.whole, how, tree)
        numbers = measure(made_by(method, whole.records), whole.records, ["bits", "joint_bits", "kept", "suppressed"])
        rest = prepare_records(self.rest, how, rest_tree)
        fixed = rest.taxonomy if how.taxonomy != "paths" or rest_tree is not None else None
        found = guess_hidden(made_by(method, rest.records), rest.records, self.hidden, fixed)
        if found is None:
            return numbers
        interval = f"{found.gain:+.3f} [{found.gain_low:+.3f}, {found.gain_high:+.3f}]"
        return {**numbers, "hidden gain": interval, "recall": found.recall, "popular": found.popular_recall}


def _rest(records: Records, hidden: HiddenWords) -> Records:
    """The records that topics are learned from, without the hidden words."""
    sessions = None if records.sessions is None else without(records.sessions, hidden)
    return Records(without(records.bags, hidden), records.texts, sessions=sessions)


def _learned(both: tuple[Records, Records], with_wordnet: bool, related: bool) -> dict[str, tuple[Taxonomy, Taxonomy]]:
    topics = [topics_of(some, FEWEST_PEOPLE) for some in both]
    found = {LEARNED: (topics[0].taxonomy(), topics[1].taxonomy())}
    if with_wordnet:
        first, second = (hybrid(one, wordnet(related=related)) for one in topics)
        found[HYBRID] = (first, second)
    first, second = (_random(some) for some in both)
    return {**found, RANDOM: (first, second)}


def _random(records: Records) -> Taxonomy:
    """A tree without meaning: words in the order of a hash, halved again and again so that both halves have as many holders."""
    words, people = records.folded.vocabulary.names.to_list(), records.folded.people_per_item.tolist()
    parents: dict[str, str | None] = {"(root)": None}
    halve(parents, "(root)", sorted(words, key=lambda word: sha256(word.encode()).digest()), dict(zip(words, people, strict=True)))
    return Taxonomy.from_parents(parents)


def halve(parents: dict[str, str | None], above: str, words: list[str], holders: Mapping[str, int]) -> None:
    """Put the words below a node, halved again and again so that both halves have as many holders."""
    pending = [(above, words)]
    while pending:
        name, part = pending.pop()
        before = np.cumsum([holders.get(word, 1) for word in part])
        middle = int(np.searchsorted(before, before[-1] / 2)) + 1
        if len(part) <= SMALLEST or middle >= len(part):
            parents |= dict.fromkeys(part, name)
            continue
        for half in (part[:middle], part[middle:]):
            parents[f"(part {len(parents)})"] = name
            pending.append((next(reversed(parents)), half))


def _method(name: str, k: int) -> Method:
    return METHODS[name](k=k, m=2) if name == "km" else METHODS[name](k=k)


def main() -> None:
    """Print a line for every combination as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="")
    parser.add_argument("--k", default="5,10")
    parser.add_argument("--methods", default="shoal,km,partition")
    parser.add_argument("--losses", default="information,people")
    parser.add_argument("--rules", default="", help="word rules of texts, such as domains,phrases,collocations,related")
    parser.add_argument("--taxonomies", default="", help="own, learned, hybrid or random; all of them without this")
    options = parser.parse_args()
    wanted = {name for name in options.sets.split(",") if name}
    for name, case in cases():
        if wanted and name not in wanted:
            continue
        data = Data(case, options.rules)
        for k in map(int, options.k.split(",")):
            rows = []
            for method in options.methods.split(","):
                for loss in options.losses.split(","):
                    for kind in (one for one in data.trees if one in options.taxonomies.split(",") or not options.taxonomies):
                        try:
                            found = data.row(_method(method, k), loss, kind)
                        except ShoalError as error:
                            found = {"hidden gain": error.message}
                        rows.append({"method": method, "loss": loss, "taxonomy": kind, **found})
            show(f"{name}, k = {k}{f', {options.rules}' if options.rules else ''}", rows)


if __name__ == "__main__":
    main()
