"""Records with people added or removed, and the classes of a release, for attacks that make a release again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal.attacks.scenarios import Made
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.privacy.evidence.equivalence_classes import identical_records
from shoal.util.numbers import distinct


def with_people(typed: Bags, added: Bags) -> Bags:
    """Append the records of invented people, each with a separate user."""
    names = pl.concat([typed.vocabulary.names, added.vocabulary.names]).unique(maintain_order=True)
    vocabulary = Vocabulary(names)
    first, second = (part.relabelled(vocabulary.codes(part.vocabulary.names), vocabulary) for part in (typed, added))
    fresh = int(typed.owners.max(initial=-1)) + 1 + np.arange(len(added))
    return Bags(
        np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]]),
        np.concatenate([first.items, second.items]),
        np.concatenate([first.counts, second.counts]),
        np.concatenate([typed.owners, fresh]),
        vocabulary,
    )


def classes_of(made: Made) -> Ints:
    """Return the class of each record, whose members are published identically; -1 if it was suppressed."""
    rows, label = made.rows, identical_records(made.release.published)
    return np.where(rows >= 0, label[rows] if len(label) else -1, -1).astype(np.int64)


def without_person(typed: Bags, owner: int) -> Bags:
    """Return all records except those of one person."""
    return typed.select(typed.owners != owner)


def of_used_names(bags: Bags) -> Bags:
    """Return the records over a vocabulary of the items that occur, as if they had been read so."""
    used = distinct(bags.items)
    codes = np.full(len(bags.vocabulary), -1, np.int32)
    codes[used] = np.arange(len(used))
    renamed = bags.relabelled(codes, Vocabulary(bags.vocabulary.names.gather(used)))
    return replace(renamed, owners=bags.owners)
