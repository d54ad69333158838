"""Records: sets or bags of items."""

from __future__ import annotations

from shoal.data.tables.bags import BagTable
from shoal.kinds import Kind
from shoal.kinds.bags import read, write
from shoal.kinds.bags.report import facts_of_records, summary_of_records
from shoal.kinds.release_warnings import general_items, single_person_words

KIND = Kind(
    BagTable,
    write.write,
    read.read,
    read.count_differing,
    {"sets": facts_of_records, "bags": facts_of_records},
    {"sets": summary_of_records, "bags": summary_of_records},
    (general_items, single_person_words),
    ("sets", "bags", "log"),
)
