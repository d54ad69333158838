"""Preparation, from a file to the Original: reads it, splits texts into words, and places them on a taxonomy or keeps the rows.

The input type of the method decides: records (sets or bags), the rows of a log, or the rows of a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.accounting import Ledger
from shoal.data.bags import Bags, Ints, Small, Vocabulary, canonical_rows
from shoal.data.column_storage import IN_MEMORY, RowStack, Shelf, renamed
from shoal.data.input_shapes import one
from shoal.data.log import Log, Per, log_of_items
from shoal.data.min_support import MinSupport
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.original import AccessOriginal, AnyOriginal, BasketOriginal, DocumentOriginal, LogOriginal, Original, TableOriginal
from shoal.data.recoding_rules import digest_of_taxonomy
from shoal.data.table import Table
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError, option
from shoal.io.disk_columns import Spill
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.items_table import joined_data, not_of_items, with_items
from shoal.io.read.options import ITEMS_TABLE
from shoal.io.read.paths import Paths
from shoal.io.read.result import Defects
from shoal.io.read.sql import Query
from shoal.io.read.streaming_records import Gathering, MemoryParcels
from shoal.pipeline.events import PREPARING, READING, stage
from shoal.pipeline.options import (
    BY_RANGES,
    FROM_ITEMS,
    NO_TAXONOMY,
    PATHS,
    RARE_ITEMS,
    SHARE,
    WANTED,
    Preparation,
    fewest_in_names,
    is_file,
    is_topics,
    load_taxonomy,
    made_from_data,
    people_learned_from,
    with_wordnet,
)
from shoal.taxonomy.hybrid import hybrid
from shoal.taxonomy.item_catalogue import JoinedItems, joined_bags
from shoal.taxonomy.learned import FEWEST_PEOPLE, Topics, learn_topics
from shoal.taxonomy.place_documents import document_vectors
from shoal.taxonomy.place_terms import as_typed, in_lower_case, place_terms
from shoal.taxonomy.sampled_people import chosen_owners, class_counts, classes_for, person_classes
from shoal.taxonomy.topic_names import ROOT
from shoal.taxonomy.urls import are_urls
from shoal.taxonomy.wordnet import phrase_finder, wordnet
from shoal.text.collocations import TextBlock, join_collocations
from shoal.text.terms import TermSplitter
from shoal.util.wording import counted, percent

# -- records of words as typed, from a log in memory or one that is read in parts


@dataclass(frozen=True, eq=False)
class Records:
    """Records of words as typed.

    `texts`: whether they were split from texts; `stop_words`: how many stop words were dropped; `sessions`: the same words by session, if
    topics are learned from them; `joined`: how many words were joined to the word before them; `few_people`: how many occurrences of items
    of too few people were dropped, and `rare_items`: how many different items these are.
    """

    bags: Bags
    texts: bool = False
    stop_words: int = 0
    sessions: Bags | None = None
    joined: int = 0
    few_people: int = 0
    rare_items: int = 0

    @cached_property
    def folded(self) -> Bags:
        """Return the records with the case folded as the taxonomy requires: lower case for words of texts."""
        return self._folded(self.bags)

    @cached_property
    def contexts(self) -> Bags:
        """Return the words that occur together: in sessions, or else in records, with the case folded."""
        return self.folded if self.sessions is None else self._folded(self.sessions)

    def _folded(self, bags: Bags) -> Bags:
        if not self.texts:
            return bags
        words, number = in_lower_case(bags.vocabulary)
        if len(words) == len(bags.vocabulary):  # no two words became one: the rows stay as they are
            return Bags(*bags.rows, bags.owners, words)
        return bags.relabelled(number, words)

    def supported(self, least: MinSupport | None, shelf: Shelf = IN_MEMORY) -> Records:
        """Return the records without the items that too few people have; words of texts count together whatever their case."""
        if least is None:
            return self
        word = in_lower_case(self.bags.vocabulary)[1] if self.texts else np.arange(len(self.bags.vocabulary))
        people = self.folded.people_per_item
        few = (people > 0) & (people < least.fewest(self.bags.n_owners))
        stays = ~few[word]
        names = Vocabulary(self.bags.vocabulary.names.filter(pl.Series(stays)))
        codes = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
        bags = renamed(self.bags, codes, names, shelf)
        sessions = None if self.sessions is None else renamed(self.sessions, codes, names, shelf)
        dropped, rare = self.few_people + self.bags.occurrences - bags.occurrences, self.rare_items + int(few.sum())
        return replace(self, bags=bags, sessions=sessions, few_people=dropped, rare_items=rare)

    def of_classes(self, classes: int) -> Records:
        """Return the records of the people of so many classes (`taxonomy.sampled_people`), with the words that they hold."""
        owners = chosen_owners(self.folded, classes)
        bags, contexts = (one.select(np.isin(one.owners, owners)) for one in (self.folded, self.contexts))
        used = np.bincount(bags.items, minlength=len(bags.vocabulary)) > 0
        number, words = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32), Vocabulary(bags.vocabulary.names.filter(pl.Series(used)))
        sessions = None if self.sessions is None else contexts.relabelled(number, words)
        return Records(bags.relabelled(number, words), sessions=sessions)

    @property
    def folded_words(self) -> Vocabulary:
        """Return the distinct words after case folding."""
        return in_lower_case(self.bags.vocabulary)[0] if self.texts else self.bags.vocabulary


def records_of(data: Log | Bags | Table, preparation: Preparation) -> Records:
    """Make one bag of words per user, session or event."""
    if isinstance(data, Table):
        raise ParameterError("this needs records of items, but the input is a table of microdata", code="wrong-kind-of-input")
    if isinstance(data, Log):
        gatherer = RecordGatherer(preparation)
        # Times take much of the memory of a log, which is the largest object in memory.
        return gatherer.gathered(_parts(data if preparation.reading.needs_times else data.without_times()))
    if preparation.per != "user":
        raise ParameterError(
            f"transactions have no {preparation.per}s: each line is one person's record",
            code="option-not-applicable",
            hint=f"leave {option('per')} out",
        )
    insist_on_texts(preparation, False)
    return Records(data)


ROWS_AT_ONCE = 4_000_000  # of a log in memory, whose words are split


def _parts(log: Log) -> Iterator[Log]:
    """Yield a log in parts with all events of their users, if its rows are in the order of users; otherwise as a whole.

    The words of a part take several times the memory of its rows. Records do not depend on the parts. Only the numbers of words do, where
    words are joined to domains or phrases.
    """
    owners, start = log.frame["owner"], 0
    if len(log) <= ROWS_AT_ONCE or not owners.is_sorted():
        yield log
        return
    numbers = owners.to_numpy()
    while start < len(log):
        last = min(start + ROWS_AT_ONCE, len(log)) - 1
        end = int(np.searchsorted(numbers, numbers[last], side="right"))
        yield Log(log.frame[start:end], log.kind)
        start = end


def insist_on_texts(preparation: Preparation, texts: bool) -> None:
    """Raise if there are rules for words of texts, but the input consists of items."""
    if preparation.rules and not texts:
        raise ParameterError(
            f"{option('terms')} is for words of texts, but the input consists of items",
            code="option-not-applicable",
            hint="leave it out",
        )


class RecordGatherer:
    """Makes records from a log part by part; each part contains all events of its users. `records` is set after the last part."""

    def __init__(self, preparation: Preparation, spill: Spill | None = None) -> None:
        self.records: Records | None = None
        self._spill = spill
        self._how = preparation
        rules = preparation.rules
        self._words = TermSplitter(as_typed=True, domains=rules.domains, phrases=phrase_finder() if rules.phrases else None)
        self._items = _kernels.Interner()

    @property
    def gathering(self) -> Gathering:
        """Return the callback for a reader that delivers the parts."""
        parcels = MemoryParcels() if self._spill is None else self._spill
        return Gathering(lambda parts: self.gathered(parts).bags, parcels, bounded=self._spill is not None)

    def gathered(self, parts: Iterator[Log]) -> Records:
        """Return the records of all parts."""
        stack, sessions, texts = RowStack(self._spill or IN_MEMORY), None, False
        for log, terms in self._with_terms(parts):
            if log.has_records and self._how.per != "record":
                raise ParameterError(
                    "the rows already belong to records",
                    code="records-already-read",
                    hint="give record here too, or leave it out in reading",
                )
            texts = log.kind == "text"
            self._stack(stack, log, terms, self._how.per)
            if self._learns_from_sessions(log):
                sessions = sessions or RowStack(self._spill or IN_MEMORY)
                self._stack(sessions, log, terms, "session")
        vocabulary = self._words.vocabulary if texts else Vocabulary(self._items.strings())
        by_session = None if sessions is None else sessions.bags(vocabulary)
        bags = stack.bags(vocabulary)
        if self._how.rules.joins:  # words that occur in joined terms only are no terms
            used = np.bincount(bags.items, minlength=len(vocabulary)) > 0
            number, left = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32), Vocabulary(vocabulary.names.filter(pl.Series(used)))
            bags = bags.relabelled(number, left)
            by_session = None if by_session is None else by_session.relabelled(number, left)
        self.records = Records(bags, texts, self._words.stopped, by_session, self._words.joined)
        return self.records

    def _with_terms(self, parts: Iterator[Log]) -> Iterator[tuple[Log, tuple[Ints, Small]]]:
        """Return the parts with the terms of their events; collocations are joined when all parts were read."""
        fewest = self._how.rules.collocations
        if fewest is None:
            yield from ((log, self._split(log)) for log in parts)
            return
        logs, texts = [], []
        for log in parts:
            insist_on_texts(self._how, log.kind == "text")
            texts.append(TextBlock(*self._words.split_in_order(log.frame["payload"]), log.frame["owner"].to_numpy()))
            logs.append(Log(log.frame.with_columns(payload=pl.lit("")), log.kind))
        texts, joined = join_collocations(texts, self._words, fewest)
        self._words.joined += joined
        for log, found in zip(logs, texts, strict=True):
            yield log, (found.indptr, found.items)

    def _stack(self, stack: RowStack, log: Log, terms: tuple[Ints, Small], per: Per) -> None:
        indptr, items, counts, owners = log.rows(*terms, per, self._how.pause)
        stack.add(*canonical_rows(indptr, items, counts, self._n_items), owners)

    def _learns_from_sessions(self, log: Log) -> bool:
        """Whether topics are learned, from sessions that are not the records themselves; rows that name their records are not cut again."""
        return is_topics(self._how.taxonomy) and log.timed and self._how.per in ("user", "event")

    @property
    def _n_items(self) -> int:
        """The number of words or items so far."""
        return len(self._words) + len(self._items)

    def _split(self, log: Log) -> tuple[Ints, Small]:
        """Return the words, or the item, of each event."""
        payload: pl.Series = log.frame["payload"]
        if log.kind == "text":
            return self._words.split(payload)
        insist_on_texts(self._how, False)
        return np.arange(len(payload) + 1), kernels.run(self._items.encode, payload.__arrow_c_stream__())


# -- preparation


READ_AS = "reading"  # key of the options for reading the input
FEWEST_KNOWN = 0.01  # share of the item occurrences that a taxonomy must know
# What to do where it has fewer.
FITTING = (
    f"give a product table, {option('items-table', placeholder='FILE')}, a taxonomy of these items, topics, generated, or paths (URLs)"
)
TREE_DIGEST = "taxonomy_sha256"  # of a tree of topics that was learned before and has words of many people only
LEARNED_FROM, SESSIONS, RECORDS = "learned_from", "sessions", "records"  # what topics are learned from, for the manifest


@dataclass(frozen=True, eq=False)
class Prepared:
    """The input of a method, with facts about its preparation. `taxonomy` is the whole taxonomy on which records were placed."""

    original: AnyOriginal
    facts: dict[str, Any]
    preparation: Preparation
    reading: Reading | None
    notes: tuple[str, ...]
    taxonomy: Taxonomy | None = None
    items: JoinedItems | None = None  # of a product table
    texts: bool = False  # whether the words of records were split from texts

    @property
    def records(self) -> Original:
        """The original as records of items. Raises if it consists of rows."""
        if not isinstance(self.original, Original):
            raise ParameterError(
                f"this needs records of items, but the input was read as {one(self.original.shape)}", code="wrong-kind-of-input"
            )
        return self.original


def prepare(data: Paths | Any, preparation: Preparation, taxonomy: Taxonomy | None = None) -> Prepared:
    """Read a file or data in memory, and prepare it on the `taxonomy` taxonomy or the one in the settings.

    A taxonomy's file comes first: it is small, and may be the one with the mistake.
    """
    stage(READING)
    noted: tuple[str, ...] = ()
    if taxonomy is None and is_file(preparation.taxonomy):
        taxonomy, noted = load_taxonomy(preparation.taxonomy, preparation.loss)
    if preparation.memory is not None and isinstance(data, Log | Bags | Table | Reading):
        raise ParameterError(
            f"{option('memory')} is for logs in files, but this one is in memory already",
            code="option-not-applicable",
            hint="leave it out",
        )
    if isinstance(data, Log | Bags | Table) and preparation.read.items is None:
        stage(PREPARING)
        alone = _of_people(prepare_data(data, preparation, taxonomy), data.names if isinstance(data, Log) else None)
        return replace(alone, notes=(*noted, *alone.notes))
    if isinstance(data, Log | Bags | Table):
        stage(PREPARING)
        return _joined(data, preparation)
    if preparation.shape != "records":
        reading = data if isinstance(data, Reading) else read(data, preparation.reading)
        stage(PREPARING)
        taxonomy = _from_items(reading.items, preparation, taxonomy)
        return with_reading(prepare_data(reading.data, preparation, taxonomy), replace(reading, data=Bags.from_lists([])), noted)
    spill = None if preparation.memory is None else preparation.memory.spill()
    records, reading, preparation, fitting = read_records(data, preparation, spill)
    taxonomy = _from_items(reading.items, preparation, taxonomy)
    if preparation.memory is not None:
        preparation.memory.insist(records.bags, BY_RANGES)  # at least; some methods need more
    reading = replace(reading, data=Bags.from_lists([]))
    _kernels.give_back_memory()
    prepared = _of_people(prepare_records(records, preparation, taxonomy, spill or IN_MEMORY), reading.names)
    _kernels.give_back_memory()
    return with_reading(prepared, reading, (*noted, *fitting))


def _of_people(prepared: Prepared, names: pl.Series | None) -> Prepared:
    """Return prepared records with the user IDs by user number, if they are needed. Raise if the input has none."""
    original = prepared.original
    if not prepared.preparation.names or not isinstance(original, Original):
        return prepared
    if names is None:
        raise ParameterError(
            "private items that differ by person need user IDs, which this input does not have",
            code="no-user-ids",
            hint="give a query log or a table with a column of users",
        )
    return replace(prepared, original=replace(original, people=names))


def read_records(
    data: Paths | Any, preparation: Preparation, spill: Spill | None = None
) -> tuple[Records, Reading, Preparation, tuple[str, ...]]:
    """Read files, a query or a reading as records of words as typed, joined with their product table.

    Returns:
        The records, the reading, the preparation fitted to the format that was found, and notes on what was fitted.
    """
    if isinstance(data, Query) and preparation.memory is not None:
        data = data.within(preparation.memory.limit // SHARE, preparation.memory.place)
    gatherer = RecordGatherer(preparation, spill)
    reading = data if isinstance(data, Reading) else read(data, preparation.reading, gathering=gatherer.gathering)
    stage(PREPARING)
    preparation, fitting = preparation.fitted(reading.format)
    if reading.options.items is not None:
        reading = with_items(reading, spill or IN_MEMORY)
    records = gatherer.records or records_of(reading.data, preparation)
    if isinstance(reading.data, Bags):
        records = replace(records, bags=reading.data)
    if reading.items is not None and gatherer.records is not None and records.sessions is not None:
        records = replace(records, sessions=joined_bags(records.sessions, reading.items.catalogue)[0])
    return records, reading, preparation, fitting


def _joined(data: Log | Bags | Table, preparation: Preparation) -> Prepared:
    """Join data in memory with its product table."""
    if isinstance(data, Table) or preparation.read.items is None:
        raise not_of_items()
    data, joined, settled, notes = joined_data(data, preparation.read.items)
    prepared = prepare_data(data, preparation, _from_items(joined, preparation, None))
    facts = {READ_AS: {ITEMS_TABLE: settled.described()}, **prepared.facts}
    return replace(prepared, facts=facts, items=joined, notes=(*notes, *prepared.notes))


def _from_items(joined: JoinedItems | None, preparation: Preparation, taxonomy: Taxonomy | None) -> Taxonomy | None:
    """Return the taxonomy of the product table if it is to be used, otherwise the given one."""
    return joined.catalogue.taxonomy if joined is not None and preparation.taxonomy == FROM_ITEMS else taxonomy


def read_whole(data: Paths | Any, preparation: Preparation) -> Reading:
    """Read the data into memory. Data that is in memory already has no file rows to account for."""
    if isinstance(data, Log | Bags | Table):
        return Reading(data, "", Ledger(0, {}), Defects({}), ())
    stage(READING)
    return read(data, preparation.reading)


def with_reading(prepared: Prepared, reading: Reading, noted: tuple[str, ...] = ()) -> Prepared:
    """Return the prepared input with the facts, row counts and notes of its file."""
    options = reading.options.described()
    several = {"files": reading.files} if reading.files > 1 else {}
    origin = {"origin": reading.origin} if reading.origin else {}
    of_input = {"format": reading.format, **origin, **several, **({READ_AS: options} if options else {}), "rows": reading.rows.total}
    facts = of_input | {name: fact for name, fact in prepared.facts.items() if name != "rows"} | dict(reading.columns)
    notes = (*reading.notes, *noted, *prepared.notes)
    return replace(prepared, facts=facts, reading=reading, notes=notes, items=reading.items)


def prepare_data(data: Log | Bags | Table | Records, preparation: Preparation, tree: Taxonomy | None = None) -> Prepared:
    """Prepare data that has been read for a method."""
    if preparation.shape == "records":
        return prepare_records(data if isinstance(data, Records) else records_of(data, preparation), preparation, tree)
    if preparation.shape == "log" and isinstance(data, Log):
        taxonomy, notes = _taxonomy_of_log(data, preparation, tree)
        return replace(_unchanged(LogOriginal(data, taxonomy), preparation), notes=notes)
    if preparation.shape == "log" and preparation.baskets and isinstance(data, Bags):
        log = log_of_items(data)
        taxonomy, notes = _taxonomy_of_log(log, preparation, tree)
        return replace(_unchanged(BasketOriginal(log, taxonomy), preparation), notes=notes)
    if preparation.shape == "access log" and isinstance(data, Log):
        return _unchanged(AccessOriginal(data), preparation)
    if preparation.shape == "table" and isinstance(data, Table):
        return _unchanged(TableOriginal(data), preparation)
    if preparation.shape == "documents" and isinstance(data, Log) and data.kind == "text":
        return _as_vectors(data, preparation, tree)
    raise ParameterError(
        f"this method takes {WANTED[preparation.shape]}, but the input is of another kind",
        code="wrong-kind-of-input",
        hint=f"see {option('format')}",
    )


def _taxonomy_of_log(log: Log, preparation: Preparation, taxonomy: Taxonomy | None) -> tuple[Taxonomy | None, tuple[str, ...]]:
    """Return the taxonomy that describes the words of a log, if one is requested."""
    if preparation.taxonomy == NO_TAXONOMY or taxonomy is not None:
        return (None if preparation.taxonomy == NO_TAXONOMY else taxonomy), ()
    terms = records_of(log, Preparation()).folded_words if made_from_data(preparation.taxonomy) else None
    return load_taxonomy(preparation.taxonomy, preparation.loss, terms)


def _unchanged(original: AnyOriginal, preparation: Preparation) -> Prepared:
    """Prepare rows without changing them."""
    return Prepared(
        original,
        {**original.to_account(), "owners": original.n_owners} | preparation.described() | original.columns(),
        preparation,
        None,
        (),
    )


def _as_vectors(log: Log, preparation: Preparation, taxonomy: Taxonomy | None) -> Prepared:
    """Make a term vector of each text, in WordNet or in the given taxonomy."""
    original = document_vectors(
        log.frame["payload"], log.frame["owner"].to_numpy(), preparation.terms, preparation.unknown or "drop", taxonomy
    )
    vectors = original.vectors
    facts = {"records": len(vectors), "owners": vectors.n_owners, "items": len(vectors.vocabulary)}
    return Prepared(original, facts | preparation.described(), preparation, None, _notes_on(original))


def _notes_on(original: DocumentOriginal) -> tuple[str, ...]:
    """Return notes about the vectors, for the user."""
    sizes = np.diff(original.vectors.indptr)
    short, empty = int(((sizes < original.most_terms) & (sizes > 0)).sum()), int((sizes == 0).sum())
    left = original.words.of_fate("kept", "changed")
    notes = [f"{left:,} of {original.words.total:,} words are terms; vectors contain the {original.most_terms:,} most frequent ones"]
    notes += [f"{counted(short, 'document has', 'documents have')} fewer terms"] if short else []
    return (*notes, *([f"{counted(empty, 'document has', 'documents have')} no term and will be suppressed"] if empty else []))


def prepare_records(
    records: Records, preparation: Preparation, known_taxonomy: Taxonomy | None = None, shelf: Shelf = IN_MEMORY
) -> Prepared:
    """Place records on the requested or given taxonomy, or keep the names as typed. Items of too few people are left out first."""
    records = records.supported(preparation.min_support, shelf)
    bags, taxonomy = records.bags, known_taxonomy
    notes: tuple[str, ...] = ()
    if "taxonomy" in preparation.follows and known_taxonomy is None and not records.texts and are_urls(bags.vocabulary.names):
        preparation = replace(preparation, taxonomy=PATHS)
    if taxonomy is None and preparation.taxonomy != NO_TAXONOMY:
        taxonomy, notes = taxonomy_of(records, preparation)
    if taxonomy is not None and taxonomy.loss_name != preparation.loss:
        taxonomy = taxonomy.with_loss(preparation.loss)
    if preparation.typed_names or taxonomy is None:
        counts = {"stop_words": records.stop_words, "joined": records.joined}
        original = as_typed(bags, taxonomy, as_sets=preparation.as_sets, **counts, shelf=shelf)
    else:
        rules: dict[str, Any] = {
            "unknown": preparation.unknown or "keep",
            "scope": preparation.scope,
            "as_sets": preparation.as_sets,
            "floor": preparation.floor_in_force,
        }
        rules |= {"stop_words": records.stop_words, "joined": records.joined, "related": preparation.rules.related}
        original = place_terms(bags, taxonomy, **rules, fold=records.texts, shelf=shelf)
        if preparation.unknown is None:
            refuse_foreign_taxonomy(bags.occurrences, original.steps.unknown_kept)
    if preparation.min_support is not None:
        steps = replace(original.steps, few_people=records.few_people, rare_items=records.rare_items)
        original = replace(original, steps=steps)
        notes = (*notes, rare_note(records, preparation.min_support))
    facts = _facts(original, preparation)
    if known_taxonomy is None and is_topics(preparation.taxonomy):
        facts |= learned_facts(records, preparation)
    if original.on_taxonomy and taxonomy is not None and taxonomy.names[0] == ROOT:  # a public tree: all its words are of many people
        facts |= {TREE_DIGEST: digest_of_taxonomy(taxonomy)}
    return Prepared(original, facts, preparation, None, notes, taxonomy, texts=records.texts)


def taxonomy_of(records: Records, preparation: Preparation) -> tuple[Taxonomy, tuple[str, ...]]:
    """Return the requested taxonomy, made from these records if it is made from data, and notes on it."""
    if not is_topics(preparation.taxonomy):
        if preparation.rules.related:
            return wordnet(preparation.loss, related=True), ()
        return load_taxonomy(preparation.taxonomy, preparation.loss, records.folded_words)
    people, sample = fewest_in_names(preparation.taxonomy) or FEWEST_PEOPLE, people_learned_from(preparation.taxonomy)
    if sample is not None:
        records = records.of_classes(classes_for(class_counts(person_classes(records.folded)[1]), sample))
    source = SESSIONS if by_sessions(records, preparation) else RECORDS
    named = f"learned from {source}, named by words of at least {people:,} people"
    if not with_wordnet(preparation.taxonomy):
        topics = topics_of(records, people)
        return topics.taxonomy(preparation.loss), (f"{counted(topics.n_topics, 'topic')} {named}",)
    topics, tree = topics_and_wordnet(records, people, preparation.loss, related=preparation.rules.related)
    return tree, (f"{counted(topics.n_topics, 'topic')} {named}; items that occur with no other where WordNet has them",)


def topics_and_wordnet(records: Records, people: int, loss: str = DEFAULT_LOSS, *, related: bool = False) -> tuple[Topics, Taxonomy]:
    """Topics, and the tree of these and of WordNet's categories for words that occur with no widely held word.

    With `related`, WordNet also has the adjectives, verbs and adverbs that are related to its nouns.
    """
    topics = topics_of(records, people)
    return topics, hybrid(topics, wordnet(related=related), loss)


def topics_of(records: Records, people: int) -> Topics:
    """Topics of the words of these records, learned from sessions if there are any; `people` hold each word that names a topic."""
    return learn_topics(records.contexts, people, records.folded if records.sessions is not None else None)


def learned_facts(records: Records, preparation: Preparation) -> dict[str, Any]:
    """Return the manifest entries on what topics are learned from."""
    return {LEARNED_FROM: SESSIONS, "gap": preparation.gap} if by_sessions(records, preparation) else {LEARNED_FROM: RECORDS}


def by_sessions(records: Records, preparation: Preparation) -> bool:
    """Whether topics are learned from sessions."""
    return records.sessions is not None or preparation.per == "session"


def _facts(original: Original, preparation: Preparation) -> dict[str, Any]:
    """Return the manifest entries about the input."""
    bags, steps = original.typed, original.steps
    facts = {
        "records": len(bags),
        "owners": bags.n_owners,
        "items": len(bags.vocabulary),
        "occurrences": bags.occurrences,
    }
    if preparation.min_support is not None:
        facts[RARE_ITEMS] = steps.rare_items
    if not original.on_taxonomy:
        return facts | preparation.described()
    unknown = {"unknown_items": steps.unknown_terms, "unknown_occurrences": steps.unknown_kept + steps.unknown_dropped}
    return facts | unknown | preparation.described()


def rare_note(records: Records, least: MinSupport) -> str:
    """Return a note on the items that too few people have."""
    few = f"{counted(records.rare_items, 'item')} ({counted(records.few_people, 'occurrence')})"
    return f"{few} of fewer than {counted(least.fewest(records.bags.n_owners), 'person', 'people')} left out ({option('min-support')})"


def refuse_foreign_taxonomy(occurrences: int, unknown: int) -> None:
    """Raise if the taxonomy contains hardly any item and the treatment of unknown items was not chosen."""
    known = occurrences - unknown
    if unknown and known < FEWEST_KNOWN * occurrences:
        raise InputError(
            f"the taxonomy has {known:,} of {occurrences:,} item occurrences, less than {percent(FEWEST_KNOWN, 0)}",
            code="taxonomy-does-not-fit",
            hint=f"{FITTING}; {option('unknown', 'keep')} or {option('unknown', 'drop')} continues with this one",
        )
