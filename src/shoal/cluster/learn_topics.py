"""Topics on a cluster, learned on the driver from a sample of people.

People are sampled by a hash of what they typed. Workers count the people in each class of hashes (`taxonomy.sampled_people`). The driver
decides how many classes it needs, and gets the words of their people. The sample does not depend on the number of partitions, and is the
same as on one machine with this taxonomy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import WORDS, list_array, lists_of
from shoal.cluster.exchange import Sent, Step, gathered, stored
from shoal.cluster.read_events import PARTS, EventGrouping, log_of
from shoal.cluster.spark import Cluster
from shoal.data.bags import Bags, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.pipeline.options import Preparation, people_learned_from
from shoal.pipeline.prepare import Records, learned_facts, records_of, taxonomy_of
from shoal.taxonomy.sampled_people import CLASSES, class_counts, classes_for, person_classes

MOST_PEOPLE = 100_000  # whom topics are learned from, unless another number is given
SESSION, RECORD = 0, 1
SAMPLED = pa.schema([("kind", pa.int32()), ("owner", pa.int64()), ("words", WORDS)])
"""The words of a session, or of a record, of a person in the sample."""


@dataclass(frozen=True)
class Chosen:
    """How events become records, and how many classes of people are in the sample."""

    grouping: EventGrouping
    classes: int


def with_sample(preparation: Preparation) -> Preparation:
    """Return the preparation with the number of people whom topics are learned from."""
    sampled = people_learned_from(preparation.taxonomy) is not None
    return preparation if sampled else replace(preparation, taxonomy=f"{preparation.taxonomy}:{MOST_PEOPLE}")


def learned(cluster: Cluster, events: Sent, grouping: EventGrouping) -> tuple[Taxonomy, tuple[str, ...], dict[str, Any], Step]:
    """Return the taxonomy learned from some of the people, notes on it, facts for the manifest, and the events, which are stored."""
    preparation = grouping.preparation
    kept, words = stored(cluster, events, kept_events, grouping, "events")
    counts = sum((np.array(json.loads(word), np.int64) for word in words), np.zeros(CLASSES, np.int64))
    n_people = people_learned_from(preparation.taxonomy)
    assert n_people is not None
    rows = gathered(cluster, kept, sampled_records, Chosen(grouping, classes_for(counts, n_people)))
    records = _records(rows)
    tree, notes = taxonomy_of(records, preparation)
    return tree, notes, learned_facts(records, preparation), kept


def kept_events(grouping: EventGrouping, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the events as they are, and how many of their people are in each class of hashes."""
    if len(table):
        yield json.dumps(class_counts(person_classes(_records_here(grouping, table).folded)[1]).tolist())
    yield table


def sampled_records(sample: Chosen, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the words of the people in the sample."""
    if len(table):
        chosen = _records_here(sample.grouping, table).of_classes(sample.classes)
        for kind, bags in ((RECORD, chosen.bags), (SESSION, chosen.sessions)):
            if bags is not None and len(bags):
                words = bags.vocabulary.names.gather(bags.items).to_arrow().cast(pa.string())
                owners = part * PARTS + bags.owners
                yield pa.table(
                    {"kind": np.full(len(bags), kind, np.int32), "owner": owners, "words": list_array(bags.indptr, words)}, SAMPLED
                )


def _records_here(grouping: EventGrouping, table: pa.Table) -> Records:
    return records_of(log_of(grouping, table)[0], grouping.preparation)


def _records(rows: pa.Table) -> Records:
    """Return the records of the sample, and its sessions if there are any, over one vocabulary."""
    kinds = rows.column("kind").to_numpy()
    names = pl.from_arrow(lists_of(rows, "words")[1])
    assert isinstance(names, pl.Series)
    vocabulary = Vocabulary(names.cast(pl.String).unique().sort())
    records, sessions = (_bags(rows.filter(pa.array(kinds == kind)), vocabulary) for kind in (RECORD, SESSION))
    return Records(records, sessions=sessions if len(sessions) else None)


def _bags(rows: pa.Table, vocabulary: Vocabulary) -> Bags:
    starts, words = lists_of(rows, "words")
    named = pl.from_arrow(words)
    assert isinstance(named, pl.Series)
    codes = vocabulary.codes(named.cast(pl.String))
    return Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), vocabulary, rows.column("owner").to_numpy())
