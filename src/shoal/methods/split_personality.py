"""Split personality: divides a person's queries by topic, with a separate pseudonym for each topic.

Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis. A topic is a node of the taxonomy on a given level:
the one above most words of a query; ties go to the first in tree order. Queries without a word of the taxonomy form one more topic.
Guarantee: none. Time: O(words).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, kept
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.query_units import n_words
from shoal.errors import ParameterError, option
from shoal.methods.bases.log_rows import RemainingRows
from shoal.methods.bases.unguaranteed import UnguaranteedRows
from shoal.parameters import param
from shoal.taxonomy.text_topics import topics_of
from shoal.util.wording import counted


@dataclass(frozen=True)
class SplitPersonality(UnguaranteedRows):
    """Gives every person one pseudonym per topic of their queries so that no pseudonym has the whole history."""

    name = "split-personality"
    paper = 'Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis'
    does_not_protect = (
        "people of whom one query identifies them or is known to the attacker: a pseudonym links all their rows of its topic; pseudonyms "
        "of one person, which times and habits can link again; names, addresses and everything else that people typed"
    )

    level: int = param(5, minimum=2, help="taxonomy level whose nodes are the topics; the root is level 1")

    @property
    def needs_taxonomy(self) -> bool:
        """True: it gives the topics of queries."""
        return True

    def remaining_of(self, original: LogOriginal) -> RemainingRows:
        """Return all rows as typed, with a pseudonym for each person and topic."""
        log, taxonomy = original.log, original.taxonomy
        if taxonomy is None:
            raise ParameterError(
                f"the method {self.name} needs a taxonomy", code="needs-taxonomy", hint=f"name one with {option('taxonomy')}"
            )
        topics = pl.Series("topic", topics_of(log.frame["payload"], log.kind, taxonomy, self.level))
        split = log.frame.select("owner").with_columns(topics).select(pl.struct("owner", "topic").rank("dense").cast(pl.Int64)).to_series()
        columns = [name for name in ("time", "payload") if name in log.frame.columns]
        frame = log.frame.select(split.alias("owner"), *columns)
        note = f"{counted(split.n_unique(), 'pseudonym')} for {counted(log.n_owners, 'person', 'people')}"
        typed = n_words(log.frame["payload"])
        words = Ledger(typed, {"as typed": kept(typed)})
        return RemainingRows(Log(frame, log.kind), np.arange(len(log)), {"published": kept(len(log))}, (note,), words=words)
