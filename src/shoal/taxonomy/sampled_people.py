"""A sample of people, chosen by what they hold: the same for any order of the data, any names of people, and any division among workers.

Each person has a hash of all words of all records. Hashes are counted in classes by their first bits, and the sample has the people of the
first classes, as many as are needed for enough people. So equal people are in it together, and workers send nothing but counts.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.util.numbers import distinct, mixed

CLASSES = 1 << 16
SHIFT = np.uint64(48)  # what follows the bits of the class


def person_classes(records: Bags) -> tuple[Ints, Ints]:
    """Return the different owners of records, sorted, and the class of each."""
    names = records.vocabulary.names.to_list()
    words = mixed(np.fromiter((crc32(name.encode()) for name in names), np.uint64, len(names)))
    row = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    whole = np.zeros(len(records), np.uint64)
    np.add.at(whole, row, words[records.items])
    owners = distinct(records.owners)
    person = np.zeros(len(owners), np.uint64)
    np.add.at(person, np.searchsorted(owners, records.owners), mixed(whole))
    return owners, (mixed(person) >> SHIFT).astype(np.int64)


def class_counts(classes: Ints) -> Ints:
    """Return how many people are in each class."""
    return np.bincount(classes, minlength=CLASSES).astype(np.int64)


def classes_for(counts: Ints, people: int) -> int:
    """Return how many classes, from the first, have at least this many people; all of them if there are fewer people."""
    return min(int(np.searchsorted(np.cumsum(counts), people)) + 1, CLASSES)


def chosen_owners(records: Bags, classes: int) -> Ints:
    """Return the owners who are in so many classes, from the first."""
    owners, found = person_classes(records)
    return owners[found < classes]
