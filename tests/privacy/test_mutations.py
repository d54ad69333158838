"""What a method counts with is broken on purpose, for every model; the judge must see it and nothing may be written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.accesslog import visits as some_visits
from helpers.cli import FOOD, ITEMS, Shell, baskets
from helpers.documents import json_lines, some_texts
from helpers.microdata import people_csv
from shoal import _kernels
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.tables.chunks import ChunkTable
from shoal.itemsets import sensitive_rules as rules
from shoal.itemsets import top_down_cut as specializing
from shoal.itemsets import within_distance as closing
from shoal.itemsets.local_recoding import recoding_in_groups
from shoal.itemsets.sensitive_nodes import SensitiveNodes
from shoal.methods import (
    accesslog_mdav,
    cahd,
    diffpart,
    disassociation,
    document_vectors,
    dp_ngrams,
    dp_queries,
    k_delta,
    kkm,
    query_cores,
    td_control,
    tds,
    user_microaggregation,
)
from shoal.methods import cahd as left_over
from shoal.methods.bases.group_search import Groups, GroupSearch
from shoal.methods.bases.threshold_people import OwnedRows
from shoal.microaggregation import history_aggregation as aggregation
from shoal.microaggregation import visit_space as visits
from shoal.microaggregation.document_space import DocumentSpace
from shoal.microaggregation.history_aggregation import Quota
from shoal.microaggregation.value_ranges import Ranges
from shoal.pipeline import prepare
from shoal.privacy import MODELS
from shoal.taxonomy import learned
from shoal.taxonomy.tree_counts import meet

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutation:
    """A way to break a method: the model that must object, what it says, and the command that meets it."""

    model: str
    says: str
    words: tuple[str, ...]
    breaks: Patch


def around(kernel: str, change: Callable[[Callable[..., Any], list[Any]], Any]) -> Patch:
    """Puts a change around a kernel: it gets the true kernel and its arguments, the last of which is the task."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        true = getattr(_kernels, kernel)
        monkeypatch.setattr(_kernels, kernel, lambda *arguments: change(true, list(arguments)))

    return patch


def loner(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Takes one record out of its group, and gives it a group of its own."""
    groups = true(*arguments).copy()
    groups[0] = groups.max() + 1
    return groups


def loner_in_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody alone where groups come from the search of the method shoal; one alone may have been like others."""
    true = GroupSearch.run

    def run(self: GroupSearch) -> Groups:
        members = true(self).members
        return Groups(np.arange(len(members) + 1), members)

    monkeypatch.setattr(GroupSearch, "run", run)


def everybody_once(owner: int, repeat: int) -> Callable[[Callable[..., Any], list[Any]], Any]:
    """Takes all records for different people's."""

    def change(true: Callable[..., Any], arguments: list[Any]) -> Any:
        arguments[owner] = np.arange(len(arguments[owner]))
        arguments[repeat] = False
        return true(*arguments)

    return change


def one_less(place: int) -> Callable[[Callable[..., Any], list[Any]], Any]:
    """Gives the kernel a smaller number than was asked for."""

    def change(true: Callable[..., Any], arguments: list[Any]) -> Any:
        arguments[place] = 1 if arguments[place] <= 2 else arguments[place] - 1
        return true(*arguments)

    return change


def smaller(options: str, name: str) -> Patch:
    """The same among the options of a kernel."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        true = getattr(_kernels, options)
        monkeypatch.setattr(_kernels, options, lambda **given: true(**given | {name: 1 if given[name] <= 2 else given[name] - 1}))

    return patch


def leaf_for_root(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Publishes a leaf where only the root is common to a group."""
    indptr, nodes, counts = true(*arguments)
    published = nodes.copy()
    lengths = np.diff(indptr)
    published[indptr[:-1][lengths == 1]] = len(arguments[1]) - 1
    return indptr, published, counts


def without(wrong: Callable[[dict[str, Any]], Any]) -> Callable[[Callable[..., Any], list[Any]], Any]:
    """Overlooks some of the moles."""

    def change(true: Callable[..., Any], arguments: list[Any]) -> Any:
        found = true(*arguments)
        sizes = np.diff(found["start"])
        kept = ~wrong({**found, "sizes": sizes})
        found["items"] = found["items"][np.repeat(kept, sizes)]
        found["start"] = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
        return found | {name: found[name][kept] for name in ("people", "hidden", "holders", "cohort")}

    return change


def nobody_owns_two(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Forgets the owners of the records."""
    arguments[2] = np.zeros(0, np.int64)
    return true(*arguments)


def nobody_recoded_owns_two(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Forgets the owners of the records where rare sets are looked for."""
    arguments[1] = np.zeros(0, np.int64)
    return true(*arguments)


def single_items_only(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Looks for rare items and not for rare pairs."""
    arguments[3] = 1
    return true(*arguments)


def one_person_less(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Takes sets of k - 1 people for frequent ones."""
    arguments[3] -= 1
    return true(*arguments)


def one_item_everywhere(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Publishes one and the same item at all places."""
    return np.full_like(true(*arguments), 2)


def names_of_two_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes words of two people for frequent ones, and prefers them in names."""
    real = prepare.learn_topics

    def careless(contexts: Bags, fewest: int, wider: Bags | None = None) -> learned.Topics:
        topics = real(contexts, 2, wider)
        people = dict(zip(topics.words, topics.people.tolist(), strict=True))
        return replace(topics, titles=tuple(tuple(sorted(titles, key=people.__getitem__)) for titles in topics.titles))

    monkeypatch.setattr(prepare, "learn_topics", careless)


def every_item_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows an item although it splits a class into parts that are too small."""
    monkeypatch.setattr(tds._Classes, "loss", lambda self, tids: 0)


def names_a_sensitive_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves sensitive items in the records that groups are formed and published of."""
    forgets_who_holds_it(monkeypatch)
    monkeypatch.setattr(SensitiveNodes, "harmless", lambda self: np.arange(len(self.taxonomy), dtype=np.int32))


def forgets_who_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the groups as they are, however many of their people hold a sensitive item."""
    monkeypatch.setattr("shoal.methods.shoal.within_share", lambda bags, tree, groups, held, share: (groups, meet(bags, tree, groups)))


def rows_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts rows, as if everybody asked a query once."""
    true = OwnedRows.of
    monkeypatch.setattr(OwnedRows, "of", lambda numbers, window, windows, owner: true(numbers, window, windows, np.arange(len(owner))))


def one_row_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the first row in the log, whatever it asks."""
    true = OwnedRows.people.func
    first = property(lambda rows: np.where(np.arange(len(rows.keys)) == rows.place[0], 1_000, true(rows)))
    monkeypatch.setattr(OwnedRows, "people", first)


def rows_as_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes every row for one of another person."""
    true = query_cores._IssuedQueries
    fresh = pl.int_range(pl.len(), dtype=pl.Int64)
    monkeypatch.setattr(query_cores, "_IssuedQueries", lambda log: true(Log(log.frame.with_columns(owner=fresh), log.kind)))


def a_lower_theta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes queries for similar that are a little less so."""
    true = query_cores.affine_queries
    monkeypatch.setattr(query_cores, "affine_queries", lambda concepts, theta: true(concepts, theta * Fraction(4, 5)))


def words_of_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgets that words must be those of several people."""
    true = query_cores.CoreRules
    monkeypatch.setattr(query_cores, "CoreRules", lambda k, word_people: true(k))


def groups_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms groups of fewer people than was asked for."""
    true = user_microaggregation.mdav_of_people
    monkeypatch.setattr(user_microaggregation, "mdav_of_people", lambda space, k, task: true(space, k - 1, task))


def queries_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts into a profile what one member alone asked."""
    true = Quota.take
    monkeypatch.setattr(Quota, "take", lambda quota, members, matches, least: true(quota, members, matches, 1))


def clicks_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts into a profile what one member alone clicked."""
    true = aggregation._shared_clicks
    monkeypatch.setattr(aggregation, "_shared_clicks", lambda histories, queries, least: true(histories, queries, 1))


def without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves groups as they are, and does not look at what is published of them."""
    monkeypatch.setattr("shoal.methods.bases.microdata.constrained_groups", lambda table, group, limits: group)
    monkeypatch.setattr("shoal.methods.bases.microdata.insist_on_different_groups", lambda *facts: None)


def other_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes the first row of a group in place of the group's mean."""
    monkeypatch.setattr("shoal.methods.bases.microdata.group_means", lambda values, group: values[np.unique(group, return_index=True)[1]])


def sessions_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes every session for one of another person."""
    true = accesslog_mdav.mdav_in_blocks
    monkeypatch.setattr(accesslog_mdav, "mdav_in_blocks", lambda space, owners, k, size: true(space, np.arange(len(owners)), k, size))


def groups_of_one_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms groups of k - 1."""
    true = accesslog_mdav.mdav_in_blocks
    monkeypatch.setattr(accesslog_mdav, "mdav_in_blocks", lambda space, owners, k, size: true(space, owners, k - 1, size))


def publishes_rare_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes pages as they are, whoever asked for them."""
    monkeypatch.setattr("shoal.microaggregation.access_profiles.generalized", lambda values, owners, levels, least: list(values))


def short_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends a session after a minute."""
    true = visits.sessions_of
    monkeypatch.setattr(visits, "sessions_of", lambda visitors, times, gap: true(visitors, times, timedelta(seconds=59)))


def documents_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes every document for one of another author."""
    true = document_vectors.mdav_groups
    monkeypatch.setattr(document_vectors, "mdav_groups", lambda space, owners, k: true(space, np.arange(len(owners)), k))


def documents_of_one_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups the documents of k - 1 people."""
    true = document_vectors.mdav_groups
    monkeypatch.setattr(document_vectors, "mdav_groups", lambda space, owners, k: true(space, owners, k - 1))


def first_term_as_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes the term of one member in place of what all have in common."""
    true = DocumentSpace._name
    monkeypatch.setattr(DocumentSpace, "_name", lambda self, term: "dachshund" if term >= len(self.terms) else true(self, term))


def heavier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes sums of weights in place of means."""
    true = DocumentSpace.generalized
    monkeypatch.setattr(
        DocumentSpace, "generalized", lambda self, rows: tuple(replace(slot, weight=slot.weight * len(rows)) for slot in true(self, rows))
    )


def no_rule_found(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Overlooks all rules."""
    return true(*arguments) | {"start": np.zeros(1, np.int64), "items": np.zeros(0, np.int32), "complete": True, "may_be_longer": False}


def splits_without_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splits nodes without looking for rules that are too certain then."""
    monkeypatch.setattr(specializing, "sweep", lambda records, sensitive, loss, limit, gone, among=None: rules.Sweep(gone))


def generalizes_what_is_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes a sensitive item as its parent."""
    true = td_control.specialized

    def change(records: Any, tree: Any, sensitive: Any, *more: Any) -> specializing.Cut:
        cut = true(records, tree, sensitive, *more)
        return replace(cut, code=np.where(sensitive, tree.parent, cut.code).astype(np.int32))

    monkeypatch.setattr(td_control, "specialized", change)


def forgets_what_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts two records with the same sensitive item into the first group of p."""
    true = left_over.with_left_over

    def changed(formed: Any, sensitive: Any, p: int) -> Any:
        groups = true(formed, sensitive, p)
        first, second = np.flatnonzero(np.diff(sensitive.indptr) > 0)[:2]
        groups[second] = groups[first]
        return groups

    monkeypatch.setattr(cahd, "with_left_over", changed)


def leaves_sensitive_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the sensitive item in the rows."""
    true = cahd.GroupTable
    told = pl.concat_list("items", pl.lit("Butter"))
    monkeypatch.setattr(cahd, "GroupTable", lambda rows, histogram: true(rows.with_columns(items=told), histogram))


def histogram_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the sensitive items of one group for another."""
    true = cahd._histogram
    monkeypatch.setattr(cahd, "_histogram", lambda sensitive, groups: true(sensitive, (groups + 1) % (groups.max() + 1)))


def loses_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves one line out of the histograms."""
    true = cahd._histogram
    monkeypatch.setattr(cahd, "_histogram", lambda sensitive, groups: true(sensitive, groups)[1:])


def like_groups_of_one_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups the records of k - 1 people."""
    true = k_delta.like_groups
    monkeypatch.setattr(k_delta, "like_groups", lambda records, order, k: true(records, order, k - 1))


def records_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes every record for one of another person."""
    true = k_delta.like_groups
    monkeypatch.setattr(
        k_delta, "like_groups", lambda bags, order, k: true(Bags(*bags.rows, np.arange(len(bags)), bags.vocabulary), order, k)
    )


def all_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts words back whatever the distance is."""
    monkeypatch.setattr(closing._Pairs, "_within", lambda self, shared, sizes: np.ones_like(sizes, bool))


def less_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds half of the noise that the budget asks for."""
    true = dp_queries.plan_of
    monkeypatch.setattr(dp_queries, "plan_of", lambda budget: tuple(replace(step, scale=step.scale / 2) for step in true(budget)))


def less_noise_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divides people with half of the noise that the budget asks for."""
    monkeypatch.setattr(diffpart, "laplace_scale", lambda cap, epsilon: cap / (2 * epsilon))


def less_noise_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts runs with half of the noise that the budget asks for."""
    true = dp_ngrams.plan_of_lengths
    monkeypatch.setattr(dp_ngrams, "plan_of_lengths", lambda budget: tuple(replace(step, scale=step.scale / 2) for step in true(budget)))


def lower_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishes what is just below the threshold."""
    true = dp_queries.plan_of

    def lower(budget: Any) -> Any:
        return tuple(replace(step, threshold=step.threshold * 0.9) if step.threshold else step for step in true(budget))

    monkeypatch.setattr(dp_queries, "plan_of", lower)


BASKETS = ("baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--k", "3")
VISITS = ("visits.csv", "--format", "table", "--per", "event", "--taxonomy", "food.csv", "--k", "3")
PAIRS = ("pairs.txt", "--format", "transactions", "--k", "3", "--method", "coherence", "--p", "2")
TELLING = ("pairs.txt", "--format", "transactions", "--k", "2", "--method", "coherence", "--p", "1")

TOPICAL = ("topical.txt", "--format", "transactions", "--taxonomy", "topics")

ALIKE = ("pairs.txt", "--format", "transactions", "--k", "3", "--method", "k-delta", "--price", "0.5")

KNOWN = ("pairs.txt", "--format", "transactions", "--taxonomy", "generated", "--k", "3", "--m", "2")

SEARCHES = ("searches.csv", "--k", "3")
NOISY = ("searches.csv", "--method", "dp-queries", "--epsilon", "2.5")
RUNS = ("searches.csv", "--method", "dp-ngrams", "--epsilon", "2.5")
DIVIDED = (*BASKETS[:5], "--method", "diffpart", "--epsilon", "2")
CLICKS = ("clicks.tsv", "--method", "user-microaggregation", "--k", "3", "--time-weight", "0")
SENSITIVE = ("habits.txt", *BASKETS[1:], "--method", "shoal", "--sensitive", "sensitive.txt", "--h", "0.4")
TELLING_HABITS = ("habits.txt", "--format", "transactions", "--sensitive", "sensitive.txt")
DOSES = ("doses.csv", "--format", "table", "--per", "event", "--method", "suppress-control", "--rho", "0.3", "--sensitive", "sensitive.txt")
PEOPLE = ("people.csv", "--format", "microdata", "--k", "3")
BY_MDAV = (*PEOPLE, "--method", "mdav")
LIMITED = ("homes.csv", "--format", "microdata", "--k", "3", "--method", "mdav", "--user", "home")
BY_AGE = ("ages.csv", "--format", "microdata", "--k", "3", "--method", "mdav", "--keep-column", "illness")

BY_KKM = ("shop.csv", "--format", "microdata", "--k", "3", "--m", "1", "--method", "kkm", "--item-sets", "basket=shop-tree.csv")

REQUESTS = ("access.log", "--method", "accesslog-mdav", "--k", "3", "--per")

DOCUMENTS = ("papers.jsonl", "--method", "document-vectors", "--user", "author", "--k", "3")

COUNTED = ("habits.txt", "--format", "transactions", "--method", "cahd", "--p", "3", "--sensitive", "sensitive.txt")
OWNED = ("visits.csv", "--format", "table", "--per", "event", "--method", "cahd", "--p", "3", "--sensitive", "sensitive.txt")


def every_owner_is_another(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Takes all records for different people's where chunks are formed."""
    arguments[1] = np.arange(len(arguments[1]), dtype=np.int64)
    return true(*arguments)


def all_in_one_chunk(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Leaves every term where it was."""
    return np.zeros_like(true(*arguments))


def term_of_all_records(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Leaves the term that every record holds beside a term chunk."""
    chunks = true(*arguments).copy()
    items = np.asarray(arguments[0].ids)
    chunks[items == np.bincount(items).argmax()] = 0
    return chunks


def clusters_of_two(true: Callable[..., Any], arguments: list[Any]) -> Any:
    """Forms clusters of two records."""
    return np.arange(len(true(*arguments)), dtype=np.int64) // 2


def altered_chunks(change: Callable[[ChunkTable], ChunkTable]) -> Patch:
    """Publishes other chunks than those that were formed."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        true = disassociation.table_of
        monkeypatch.setattr(disassociation, "table_of", lambda *found: change(true(*found)))

    return patch


def without_a_part(table: ChunkTable) -> ChunkTable:
    """Deletes a sub-record."""
    first = table.subrecords.row(0)[:3]
    return replace(
        table,
        subrecords=table.subrecords.filter(
            pl.struct("cluster", "chunk", "subrecord") != pl.lit(dict(zip(("cluster", "chunk", "subrecord"), first, strict=True)))
        ),
    )


def with_another_term(table: ChunkTable) -> ChunkTable:
    """Tells a term of a term chunk that its cluster does not hold."""
    return replace(table, terms=table.terms.vstack(pl.DataFrame({"cluster": [0], "item": ["Orange juice"]})))


def under_another_term(table: ChunkTable) -> ChunkTable:
    """Publishes one occurrence of a term as the most frequent one of another record's part."""
    items = table.subrecords["item"].to_list()
    items[0] = next(item for item in items if item != items[0])
    return replace(table, subrecords=table.subrecords.with_columns(pl.Series("item", items)).unique())


def words_of_one_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes words of k - 1 people for frequent ones."""
    true = disassociation.rare_words
    monkeypatch.setattr(disassociation, "rare_words", lambda bags, k: true(bags, k - 1))


def words_by_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the records that hold a word, not the people."""
    true = disassociation.rare_words
    monkeypatch.setattr(disassociation, "rare_words", lambda bags, k: true(replace(bags, owners=np.arange(len(bags))), k))


def nearly_all_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves words that nearly all records hold in record chunks, beside a term chunk of words of known support."""
    monkeypatch.setattr(disassociation, "settled", lambda found, k: found)
    monkeypatch.setattr(disassociation, "tied_words", lambda before, after, k: np.zeros(len(after.records.vocabulary), bool))


APART = ("--format", "transactions", "--method", "disassociation", "--k", "3")

MUTATIONS = {
    "cahd forms groups of p - 1": Mutation(
        "privacy-degree", "more than one row in 3 holds the same sensitive item", COUNTED, around("private_groups", one_less(4))
    ),
    "cahd puts a sensitive item twice into a group": Mutation(
        "privacy-degree", "more than one row in 3 holds the same sensitive item", COUNTED, forgets_what_remains
    ),
    "cahd forgets who owns a record": Mutation(
        "privacy-degree",
        "a person owns several rows",
        OWNED,
        around("private_groups", lambda true, a: true(*a[:3], np.arange(len(a[3])), *a[4:])),
    ),
    "cahd leaves sensitive items in the rows": Mutation("privacy-degree", "sensitive items occur in rows", COUNTED, leaves_sensitive_items),
    "cahd counts the sensitive items of another group": Mutation(
        "privacy-degree", "different from that of the records of the group", COUNTED, histogram_of_others
    ),
    "cahd leaves a count out": Mutation("privacy-degree", "more or less often than in the original", COUNTED, loses_a_count),
    "chunks hold sets of k - 1 people": Mutation(
        "disassociated-km-anonymity", "fewer than 3 people", ("pairs.txt", *APART), smaller("ChunkPlan", "k")
    ),
    "no association is cut": Mutation(
        "disassociated-km-anonymity", "fewer than 3 people", ("pairs.txt", *APART), around("chunks_of_terms", all_in_one_chunk)
    ),
    "chunks count records, not people": Mutation(
        "disassociated-km-anonymity",
        "people",
        ("visits.csv", "--per", "event", "--method", "disassociation", "--k", "3", "--rare-words", "publish"),
        around("chunks_of_terms", every_owner_is_another),
    ),
    "a term of all records stands beside a term chunk": Mutation(
        "disassociated-km-anonymity",
        "certainly meet",
        ("habits.txt", "--sep", ",", *APART, "--rare-words", "publish"),
        around("chunks_of_terms", term_of_all_records),
    ),
    "clusters of two records": Mutation(
        "disassociated-km-anonymity", "of fewer than k people", ("pairs.txt", *APART), around("clusters_by_terms", clusters_of_two)
    ),
    "a part of a record is deleted": Mutation(
        "disassociated-km-anonymity", "not those of the original", ("pairs.txt", *APART), altered_chunks(without_a_part)
    ),
    "a term is invented": Mutation(
        "disassociated-km-anonymity", "not those of the original", ("pairs.txt", *APART), altered_chunks(with_another_term)
    ),
    "a term is moved": Mutation(
        "disassociated-km-anonymity", "not those of the original", ("pairs.txt", *APART), altered_chunks(under_another_term)
    ),
    "words of k - 1 people are published": Mutation("word-support", "of fewer than 3 people", ("few.txt", *APART), words_of_one_less),
    "a word of three records of one person is published": Mutation(
        "word-support",
        "of fewer than 3 people",
        ("repeated.csv", "--format", "table", "--per", "event", "--method", "disassociation", "--k", "3"),
        words_by_records,
    ),
    "a word of nearly all records is tied to a word of known support": Mutation(
        "disassociated-km-anonymity", "certainly meet", ("nearly.txt", *APART), nearly_all_stay
    ),
    "documents of k - 1 people form a group": Mutation(
        "weighted-k-anonymity", "of only", (*DOCUMENTS, "--terms", "4"), documents_of_one_less
    ),
    "documents of one author count as several people's": Mutation("weighted-k-anonymity", "of only", DOCUMENTS, documents_for_people),
    "a term of one document is published": Mutation("weighted-k-anonymity", "represent no term", DOCUMENTS, first_term_as_typed),
    "weights are sums": Mutation("weighted-k-anonymity", "weights are not means", DOCUMENTS, heavier),
    "access logs are grouped by k - 1 people": Mutation(
        "access-k-anonymity", "fewer than 3 addresses", (*REQUESTS, "owner"), groups_of_one_less
    ),
    "sessions of one person count as several people's": Mutation(
        "access-k-anonymity", "fewer than 3 people behind them", (*REQUESTS, "session"), sessions_for_people
    ),
    "a page of one person is published": Mutation(
        "access-k-anonymity", "values of page are published that fewer than 2 people share", (*REQUESTS, "owner"), publishes_rare_pages
    ),
    "sessions end too early": Mutation("access-k-anonymity", "profiles are published for", (*REQUESTS, "session"), short_sessions),
    "shoal forms groups of one": Mutation("k-anonymity", "classes of fewer than 3", (*BASKETS, "--method", "shoal"), loner_in_search),
    "clump forms a group of one": Mutation(
        "k-anonymity", "classes of fewer than 3", (*BASKETS, "--method", "clump"), around("clump", loner)
    ),
    "clump forgets who owns a record": Mutation(
        "k-anonymity", "the records of a class belong to only", (*VISITS, "--method", "clump"), around("Scored", everybody_once(2, 6))
    ),
    "partition forms parts of k - 1": Mutation(
        "k-anonymity", "classes of fewer than 3", (*BASKETS, "--method", "partition"), smaller("PartitionOptions", "k")
    ),
    "a group is published as what its members do not hold": Mutation(
        "k-anonymity", "do not generalize their original", (*BASKETS, "--method", "shoal"), around("meet_groups", leaf_for_root)
    ),
    "ssc clusters k - 1 vocabularies": Mutation(
        "vocabulary-k-anonymity", "classes of fewer than 3", (*BASKETS, "--method", "ssc"), around("cluster_term_sets", one_less(4))
    ),
    "rows of one user share a group": Mutation(
        "class-limits", "who have another row in the same class", (*LIMITED, "--apart"), without_limits
    ),
    "a group is larger than the limit": Mutation("class-limits", "more than 3 rows", (*LIMITED, "--apart", "--most", "3"), without_limits),
    "ssc clusters k - 1 vocabularies by matched terms": Mutation(
        "vocabulary-k-anonymity",
        "classes of fewer than 3",
        (*BASKETS, "--method", "ssc", "--matching", "maximum"),
        around("cluster_by_matched_terms", one_less(4)),
    ),
    "ssc forgets who wrote a vocabulary": Mutation(
        "vocabulary-k-anonymity",
        "the records of a class belong to only",
        (*VISITS, "--method", "ssc"),
        around("cluster_term_sets", lambda true, a: true(*a[:3], np.arange(len(a[3])), *a[4:])),
    ),
    "ssc elects a term of one person": Mutation(
        "shared-terms",
        "used by fewer than 2 people",
        (*BASKETS, "--method", "ssc", "--min-owners", "2"),
        smaller("TypicalOptions", "min_owners"),
    ),
    "coherence overlooks pairs": Mutation(
        "coherence", "26 sets of 2 public items reveal too much", PAIRS, around("hit_rare_pairs", single_items_only)
    ),
    "coherence overlooks pairs in a list of sets": Mutation(
        "coherence",
        "26 sets of 2 public items reveal too much",
        (*PAIRS, "--score", "mm"),
        around("minimal_moles", without(lambda m: m["sizes"] == 2)),
    ),
    "coherence overlooks what gives a private item away": Mutation(
        "coherence",
        "reveals 'i1'",
        (*TELLING, "--private", "private.txt", "--h", "0.4"),
        around("minimal_moles", without(lambda m: m["hidden"] >= 0)),
    ),
    "coherence forgets who owns a record": Mutation(
        "coherence",
        "shared by too few people",
        (*VISITS, "--method", "coherence", "--p", "2"),
        around("hit_rare_pairs", nobody_recoded_owns_two),
    ),
    "coherence forgets owners in a list of sets": Mutation(
        "coherence",
        "shared by too few people",
        (*VISITS, "--method", "coherence", "--p", "2", "--score", "mm"),
        around("minimal_moles", nobody_owns_two),
    ),
    "km looks for sets of k - 1 people": Mutation(
        "km-anonymity",
        "are shared by fewer than 3 people",
        (*KNOWN, "--method", "km", "--aim", "words"),
        around("PublishedRecords", one_person_less),
    ),
    "apriori looks for sets of m - 1 items": Mutation(
        "km-anonymity",
        "sets of 2 published items are shared by fewer than 3 people",
        (*KNOWN, "--method", "apriori"),
        smaller("RecodingPlan", "m"),
    ),
    "km forgets who owns a record": Mutation(
        "km-anonymity",
        "are shared by fewer than 3 people",
        (*VISITS, "--method", "km", "--aim", "words"),
        around("PublishedRecords", nobody_recoded_owns_two),
    ),
    "hghs publishes another item than was typed": Mutation(
        "km-anonymity",
        "do not generalize their original",
        (*KNOWN, "--method", "hghs"),
        around("recode_rare_sets", one_item_everywhere),
    ),
    "suppress-control overlooks rules": Mutation(
        "rho-uncertainty",
        "1 sensitive item is revealed by known items with a confidence above 0.25",
        (*TELLING_HABITS, "--method", "suppress-control", "--rho", "0.25"),
        around("breaching_rules", no_rule_found),
    ),
    "suppress-control forgets who owns a record": Mutation(
        "rho-uncertainty",
        "1 sensitive item is revealed by known items with a confidence above 0.3",
        DOSES,
        around("breaching_rules", nobody_recoded_owns_two),
    ),
    "td-control does not look again after a split": Mutation(
        "rho-uncertainty",
        "1 sensitive item is revealed by known items with a confidence above 0.25",
        (*TELLING_HABITS, "--taxonomy", "food.csv", "--method", "td-control", "--rho", "0.25"),
        splits_without_looking,
    ),
    "td-control generalizes a sensitive item": Mutation(
        "rho-uncertainty",
        "6 published items match nothing in their record",
        (*TELLING_HABITS, "--taxonomy", "food.csv", "--method", "td-control"),
        generalizes_what_is_sensitive,
    ),
    "shoal publishes a sensitive item": Mutation("sensitive-share", "sensitive", SENSITIVE, names_a_sensitive_item),
    "shoal forgets who holds a sensitive item": Mutation("sensitive-share", "sensitive", SENSITIVE, forgets_who_holds_it),
    "dp-queries adds half of the noise": Mutation("differential-privacy", "the recorded noise gives a delta of", NOISY, less_noise),
    "diffpart adds half of the noise": Mutation(
        "differential-privacy", "the recorded noise gives an epsilon of", DIVIDED, less_noise_in_parts
    ),
    "dp-ngrams adds half of the noise": Mutation("differential-privacy", "the recorded noise gives a delta of", RUNS, less_noise_in_runs),
    "dp-queries lowers its threshold": Mutation("differential-privacy", "the recorded noise gives a delta of", NOISY, lower_threshold),
    "infrequent counts rows for people": Mutation(
        "support", "2 queries were used by fewer than 3 people", (*SEARCHES, "--method", "infrequent"), rows_for_people
    ),
    "infrequent leaves a row of one person": Mutation(
        "support", "1 query was used by fewer than 3 people", (*SEARCHES, "--method", "infrequent"), one_row_too_many
    ),
    "query-cores counts rows for people": Mutation(
        "query-affinity", "2 different published queries have fewer than 3 people", (*SEARCHES, "--method", "query-cores"), rows_as_people
    ),
    "query-cores publishes queries that are less similar": Mutation(
        "query-affinity", "3 different published queries have fewer than 3 people", (*SEARCHES, "--method", "query-cores"), a_lower_theta
    ),
    "query-cores forgets who uses a word": Mutation(
        "query-affinity",
        "4 published words are used by fewer than 3 people",
        (*SEARCHES, "--method", "query-cores", "--theta", "0.4", "--word-people", "3"),
        words_of_anybody,
    ),
    "user-microaggregation forms groups of k - 1": Mutation(
        "user-k-anonymity", "history that fewer than 3 share", CLICKS, groups_too_small
    ),
    "user-microaggregation publishes a query of one person": Mutation(
        "user-k-anonymity", "queries of histories are those of fewer than 2 people", CLICKS, queries_of_one
    ),
    "user-microaggregation publishes a URL of one person": Mutation(
        "user-k-anonymity", "URLs of histories are those of fewer than 2 people", CLICKS, clicks_of_one
    ),
    "mdav forms groups of k - 1": Mutation(
        "microdata-k-anonymity", "classes of fewer than 3", (*BY_MDAV, "--drop-column", "who,town"), around("mdav", one_less(2))
    ),
    **{
        f"mdav forms groups of k - 1 under {claim.partition('(')[0]}": Mutation(
            claim.partition("(")[0], says, (*BY_AGE, "--claim", claim), around("mdav", one_less(2))
        )
        for claim, says in (
            ("l-diversity(l=3, sensitive=illness)", "fewer than 3 distinct"),
            ("t-closeness(t=0.1, sensitive=illness)", "further than t"),
            ("alpha-k-anonymity(alpha=0.34, k=3, sensitive=illness)", "a share above alpha"),
            ("rho1-rho2-privacy(rho1=0.4, rho2=0.45, sensitive=illness)", "a share above rho2"),
            ('confidence-bounding(templates="age>illness:0.4")', "exceeded in a class"),
            ("delta-presence(delta_max=0.5, public=public.csv)", "more rows than the public table has people"),
            ("xy-anonymity(k=3, x=age, y=illness)", "occur with fewer than 3"),
        )
    },
    "kkm publishes items as typed": Mutation(
        "kkm-anonymity",
        "are shared by fewer than 3 rows of their class",
        BY_KKM,
        lambda patch: patch.setattr(kkm, "recoding_in_groups", lambda records, *_: records.items),
    ),
    "kkm forms clusters of k - 1": Mutation(
        "kkm-anonymity", "classes of fewer than 3", (*BY_KKM, "--delta", "0"), around("mdav", one_less(2))
    ),
    "kkm publishes ranges that are too narrow": Mutation(
        "kkm-anonymity",
        "not true of them",
        BY_KKM,
        lambda patch: patch.setattr(Ranges, "absorb", lambda ranges, group, other: None),
    ),
    "kkm forgets who owns a row": Mutation(
        "kkm-anonymity",
        "belong to only",
        ("shop-twice.csv", *BY_KKM[1:], "--user", "who"),
        lambda patch: patch.setattr(
            kkm, "recoding_in_groups", lambda sets, *rest: recoding_in_groups(replace(sets, owners=np.arange(len(sets))), *rest)
        ),
    ),
    "groups are not merged for the diversity of a column": Mutation(
        "l-diversity",
        "fewer than 2 distinct",
        ("sorts.csv", *BY_AGE[1:-1], "sort", "--sensitive", "sort", "--l", "2"),
        lambda monkeypatch: monkeypatch.setattr("shoal.methods.bases.microdata.diverse_groups", lambda table, group, values, wanted: group),
    ),
    "mdav forgets who owns a row": Mutation(
        "microdata-k-anonymity",
        "the rows of a class belong to only",
        (*BY_MDAV, "--user", "who", "--drop-column", "town"),
        around("mdav", lambda true, a: true(a[0], np.arange(len(a[1])), *a[2:])),
    ),
    "mdav publishes another value than the mean": Mutation(
        "microdata-k-anonymity", "do not have the means of their rows", (*BY_MDAV, "--user", "who", "--drop-column", "town"), other_means
    ),
    "microaggregation lets groups shrink to k - 1": Mutation(
        "microdata-k-anonymity",
        "classes of fewer than 3",
        (*PEOPLE, "--method", "microaggregation", "--drop-column", "who,town"),
        around("improve_groups", one_less(3)),
    ),
    "k-delta forms groups of k - 1": Mutation(
        "k-delta-anonymity", "with fewer than 3 records within 0 of it", (*ALIKE, "--delta", "0"), like_groups_of_one_less
    ),
    "k-delta forgets who owns a record": Mutation(
        "k-delta-anonymity", "with fewer than 3 people within 0.5 of it", (*VISITS, "--method", "k-delta"), records_for_people
    ),
    "k-delta publishes records that are too far apart": Mutation(
        "k-delta-anonymity", "with fewer than 3 records within 0.1 of it", (*ALIKE, "--delta", "0.1"), all_is_near
    ),
    "topics are named by words of two people": Mutation(
        "node-names", "in names of topics are used by fewer than 6 people", (*TOPICAL, "--k", "3"), names_of_two_people
    ),
    "tds splits a class too small": Mutation(
        "public-k-anonymity", "classes of fewer than 3", (*BASKETS, "--method", "tds"), every_item_fits
    ),
}


def topical() -> str:
    """Baskets about two topics, each without one of its words, and with a word that three people hold."""
    two = (("song", "band", "guitar", "bass"), ("soup", "oven", "cake", "salt"))
    return "".join(",".join([*(w for i, w in enumerate(two[n % 2]) if i != n % 4), f"w{n // 3}"]) + "\n" for n in range(36))


def eight_items() -> str:
    """Records of two of eight items each: of the 28 pairs two are held by many, the others by one or two people."""
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    copies = {(0, 1): 9, (2, 3): 9}
    return "".join(f"i{a} i{b}\n" * copies.get((a, b), 1 + (a + b) % 2) for a, b in pairs)


def searches() -> str:
    """The first query is one person's, who asks it once; two others are asked by one person four times; one by everybody."""
    rows = ["0,my own name", *["1,my address"] * 4, *["2,my illness"] * 4, *(f"{user},weather" for user in range(9))]
    return "user,query\n" + "\n".join(rows) + "\n"


def clicks() -> str:
    """Nine people of whom three each ask the same four queries, and each a fifth of their own, with a click on a page of their own."""
    asked = [(user, query, f"site{user}") for user in range(9) for query in (*(f"topic {user // 3} {i}" for i in range(4)), f"name {user}")]
    rows = [f"{user}\t{query}\t2006-03-01 07:{i % 60:02}:00\t1\t{url}" for i, (user, query, url) in enumerate(asked)]
    return "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "\n".join(rows) + "\n"


@pytest.fixture
def data(shell: Shell) -> Shell:
    lines = baskets(60).splitlines()
    rows = [f"{user},{ITEMS[user % len(ITEMS)]}" for user in range(15) for _ in range(4)]  # each person buys one thing four times
    shell.file("baskets.txt", "\n".join(lines) + "\n")
    shell.file("visits.csv", "user,item\n" + "\n".join(rows) + "\n")
    shell.file("pairs.txt", eight_items())
    shell.file("topical.txt", topical())
    shell.file("shop.csv", "age,basket\n" + "".join(f"{age},{'milk' if age % 4 else 'tea|milk'}\n" for age in range(20, 50)))
    own = [f"p{n // 4},{20 + n % 4 * 10},{'tea' if n % 4 == 0 and n > 39 else 'milk'}" for n in range(60)]
    shell.file("shop-twice.csv", "who,age,basket\n" + "\n".join([*own, *["p0,20,ale"] * 3]) + "\n")
    shell.file("shop-tree.csv", "milk,drink\ntea,drink\nale,drink\ndrink,all\nall,\n")
    shell.file("private.txt", "i1\n")
    shell.file("few.txt", "a\n" * 6 + "a b\n" * 4 + "c\n" * 2)
    shell.file("nearly.txt", "a\n" * 17 + "a b\n" + "b\n" * 2)
    shell.file("repeated.csv", "user,item\n" + "".join(f"{user},a\n" for user in range(6)) + "7,b\n" * 4)
    shell.file("habits.txt", "Apple,Butter\n" * 6 + "Apple,Milk\n" * 2 + "Apple,Beef\n" * 12)
    shell.file("sensitive.txt", "Butter\n")
    shell.file("doses.csv", "user,item\n0,Butter\n" + "1,Apple\n" * 9)
    shell.file("searches.csv", searches())
    shell.file("people.csv", people_csv())
    ages = [(10 * decade + year, ["flu", "cold", "cough"][year], decade > 4) for decade in (1, 5, 9) for year in range(3)]
    crowded = [(home, 20 + 13 * home + 2 * n * n) for home in range(4) for n in range(3)]
    shell.file("homes.csv", "home,age\n" + "".join(f"h{home},{age}\n" for home, age in crowded))
    shell.file("ages.csv", "age,illness\n" + "".join(f"{age},{illness}\n" for age, illness, _ in ages))
    shell.file("sorts.csv", "age,sort\n" + "".join(f"{age},{sort}\n" for age, _, sort in ages))
    shell.file("public.csv", "age,name\n" + "11,A\n51,B\n91,C\n" * 6)
    shell.file("clicks.tsv", clicks())
    shell.file("access.log", some_visits(10, sessions=3))
    shell.file("papers.jsonl", json_lines([*["dog apple"] * 4, *some_texts(8, seed=1)], author=[*"aabc", *"bcdebcde"]))
    shell.file("food.csv", FOOD)
    return shell


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_judge_refuses_what_a_broken_method_made(data: Shell, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    mutation = MUTATIONS[name]
    sound = data("anonymize", *mutation.words, "--out", "sound")
    assert sound.code == 0, sound
    claims = json.loads((data.directory / "sound" / "manifest.json").read_text())["claims"]
    assert any(claim["model"].startswith(mutation.model + "(") for claim in claims)
    mutation.breaks(monkeypatch)
    before = data.names()
    broken = data("anonymize", *mutation.words, "--out", "release")
    assert broken.code == 3, broken
    assert mutation.model in broken.err
    assert mutation.says in broken.err
    assert data.names() == before


def test_every_model_is_put_to_the_test() -> None:
    assert {mutation.model for mutation in MUTATIONS.values()} == set(MODELS)
