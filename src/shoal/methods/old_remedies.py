"""The old remedies: what was done to query logs before they were published, each of which has been broken.

Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008, has seven: delete logs (`since`),
hash queries (`queries`), delete ids, hash ids and shorten sessions (`ids`), scrub (`scrub`), and delete infrequent queries, which is a
method of its own with a guarantee (`infrequent`). Hashing word by word is by Kumar, Novak, Pang and Tomkins, "On anonymizing query logs via
token-based hashing", WWW 2007, who also break it. Guarantee: none. Time: O(rows).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, Part, changed, gone, kept
from shoal.data.bags import Ints
from shoal.data.items import Items
from shoal.data.log import Log
from shoal.data.pseudonym_scope import PseudonymScope, parts_of_people
from shoal.data.query_units import n_words
from shoal.errors import Infeasible, ParameterError, option
from shoal.keyed.keys import WORD, SecretKey, hashed, hashed_words
from shoal.methods import Hashes
from shoal.methods.bases.log_rows import RemainingRows
from shoal.methods.bases.unguaranteed import UnguaranteedRows, part_tokens
from shoal.parameters import param
from shoal.text.scrubbing import KINDS, Names, scrubbed
from shoal.util.wording import counted

TYPED, WHOLE, WORDS = "typed", "hash", "hash-words"
HASHED, SCRUBBED, TOO_OLD = "hashed", "scrubbed", "dropped: too old"
NO_LETTER, IN_DROPPED = "left out: no letter or digit", "in dropped rows"  # of words
_QUERIES, _WORDS, _IDS = b"old:queries", b"old:words", b"old:ids"

OPEN_IDS = {
    "none": "people whose rows can be linked again by their times and queries",
    "person": "people of whom one query identifies them or is known to the attacker: one ID links all their rows",
}
OPEN_SESSIONS = "people whose sessions can be linked again by their queries"
OPEN_QUERIES = {
    TYPED: "names, addresses and everything else that people typed",
    WHOLE: "queries that are frequent or occur in another log, which can be recovered from their frequencies; equal queries remain linked",
    WORDS: "words, which can be recovered from their frequency and context by an attacker with another log",
}
OPEN_SCRUBBED = "names, addresses and everything else that people typed and that matches no pattern"


@dataclass(frozen=True)
class OldRemedies(UnguaranteedRows):
    """Deletes or hashes user IDs, shortens sessions, hashes or scrubs queries, and deletes old rows of a log."""

    name = "old-remedies"
    paper = 'Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008'
    does_not_protect = (
        "people of whom one query is known, or whose queries together identify them; hashed queries and words, which can be recovered "
        "from their frequencies; identifying text that matches no pattern"
    )
    fates = {HASHED: "changed", SCRUBBED: "changed"}  # noqa: RUF012 (never changed)

    ids: PseudonymScope = param(
        PseudonymScope("person"), help="which rows share an ID: none deletes IDs, person hashes them, the others also shorten sessions"
    )
    queries: str = param(TYPED, choices=(TYPED, WHOLE, WORDS), help="publish queries as typed, hashed as a whole, or hashed word by word")
    scrub: bool = param(False, help="replace e-mail addresses, phone, card and social security numbers, postal addresses and listed names")
    names: Items | None = param(None, help="names to scrub, one per line")
    since: str | None = param(None, help="delete rows before this date or time, e.g. 2006-03-15")
    key: SecretKey | None = param(None, help="key file; the same key gives the same tokens (default: a random key)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names is not None and not self.scrub:
            raise ParameterError(
                "names are listed for scrubbing, but nothing is scrubbed", code="option-not-applicable", hint=f"add {option('scrub')}"
            )
        if self.key is not None and not self.ids.links and self.queries == TYPED:
            raise ParameterError("a key is given, but nothing is hashed", code="option-not-applicable", hint=f"leave {option('key')} out")
        if self.since is not None:
            moment(self.since)

    @property
    def not_protected(self) -> str:
        """What each of the chosen measures leaves unprotected."""
        return "; ".join(self._left_open())

    def _left_open(self) -> Iterator[str]:
        yield OPEN_SESSIONS if self.ids.divides_people else OPEN_IDS[self.ids.text]
        yield OPEN_SCRUBBED if self.scrub and self.queries == TYPED else OPEN_QUERIES[self.queries]
        if self.key is not None:
            yield "anything from an attacker who gets the key and hashes guesses with it"

    @property
    def links_people(self) -> bool:
        """Whether rows are linked: unless user IDs are deleted."""
        return self.ids.links

    @property
    def hashes(self) -> Hashes:
        """Queries or words, if requested."""
        return "words" if self.queries == WORDS else "queries" if self.queries == WHOLE else ""

    @property
    def reads_names(self) -> bool:
        """Whether user IDs are needed: they are hashed with the key; without one, pseudonyms are random."""
        return self.key is not None and self.ids.links

    @property
    def reads_times(self) -> bool:
        """Whether times are needed: for sessions and for deleting old rows."""
        return self.ids.divides_people or self.since is not None

    @property
    def deterministic(self) -> bool:
        """Whether the result is deterministic: except for random pseudonyms and tokens with a random key."""
        return self.key is not None or self.queries == TYPED

    def remaining(self, log: Log) -> RemainingRows:
        """Return the recent rows with new user IDs and with their queries scrubbed, then hashed."""
        young = self._young(log)
        rows = Log(log.frame.select(name for name in ("owner", "time", "payload") if name in log.frame.columns)[young], log.kind, log.names)
        parts = pl.Series(parts_of_people(rows, self.ids))
        ids = part_tokens(rows, parts, self.key, _IDS) if self.key is not None and self.links_people else None
        clean, found = self._scrubbed(rows.frame["payload"])
        queries = self._hashed(clean)
        outcomes = {**self._fates(rows.frame["payload"], clean, queries), TOO_OLD: gone(len(log) - len(young))}
        frame = rows.frame.with_columns(owner=parts, payload=queries)
        words = self._words(log.frame["payload"], rows.frame["payload"], clean)
        return RemainingRows(Log(frame, log.kind), young, outcomes, tuple(self._notes(log, found)), ids, words)

    def _young(self, log: Log) -> Ints:
        """Return the rows that are recent enough."""
        if self.since is None:
            return np.arange(len(log))
        if not log.timed:
            raise ParameterError(
                "old rows are known by their times, but this log has none",
                code="missing-times",
                hint=f"name the column with {option('time')}",
            )
        found: Ints = np.flatnonzero((log.frame["time"] >= moment(self.since)).to_numpy())
        if not len(found):
            raise Infeasible(
                f"no row is dated on or after {self.since}", code="nothing-to-publish", hint=f"give an earlier {option('since')}"
            )
        return found

    def _scrubbed(self, queries: pl.Series) -> tuple[pl.Series, Counter[str]]:
        """Return the scrubbed queries, and the number of removals of each kind."""
        found: Counter[str] = Counter()
        if not self.scrub:
            return queries, found
        names = Names(self.names.listed("scrubbed")) if self.names is not None else None
        different = queries.value_counts(name="rows")
        clean = [scrubbed(text, names) for text in different[queries.name].to_list()]
        for one, rows in zip(clean, different["rows"].to_list(), strict=True):
            found.update({kind: n * rows for kind, n in one.found.items()})
        return queries.replace_strict(different[queries.name], [one.text for one in clean], return_dtype=pl.String), found

    def _hashed(self, queries: pl.Series) -> pl.Series:
        """Return the queries as tokens, if requested."""
        if self.queries == TYPED:
            return queries
        key = self.key or SecretKey.fresh()
        return hashed(queries, key, _QUERIES) if self.queries == WHOLE else hashed_words(queries, key, _WORDS)

    def _fates(self, before: pl.Series, clean: pl.Series, after: pl.Series) -> Mapping[str, Part]:
        """Return the outcome of the published rows: as typed, hashed, or scrubbed and not hashed."""
        different = int((before != after).sum())
        scrubbed_rows = int((before != clean).sum()) if self.queries == TYPED else 0
        return {"published": kept(len(before) - different), SCRUBBED: changed(scrubbed_rows), HASHED: changed(different - scrubbed_rows)}

    def _words(self, every: pl.Series, before: pl.Series, clean: pl.Series) -> Ledger:
        """Return the outcome of the words of every row; `before` are the queries before scrubbing."""
        total, left = n_words(every), n_words(before)
        dropped = {IN_DROPPED: gone(total - left)}
        if self.queries == TYPED:
            same = _words_left(before, clean)
            return Ledger(total, {"as typed": kept(same), SCRUBBED: changed(left - same), **dropped})
        spoken = int(before.str.count_matches(rf"\S*{WORD}\S*").sum()) if self.queries == WORDS else left
        return Ledger(total, {HASHED: changed(spoken), NO_LETTER: gone(left - spoken), **dropped})

    def _notes(self, log: Log, found: Counter[str]) -> Iterator[str]:
        if found:
            yield f"scrubbed: {', '.join(f'{found[kind]:,} {kind}' for kind in KINDS if found[kind])}"
        if log.further:
            yield f"left out: {counted(len(log.further), 'further column')}"


def _words_left(before: pl.Series, after: pl.Series) -> int:
    """Count the words of the texts before that are in the same text after; all words of an unchanged text."""
    pairs = pl.DataFrame({"before": before, "after": after}).filter(pl.col("before") != pl.col("after"))
    rest = [(Counter(old.split()) & Counter(new.split())).total() for old, new in pairs.iter_rows()]
    return n_words(before) - n_words(pairs["before"]) + sum(rest)


def moment(written: str) -> datetime:
    """Parse a date or time."""
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        raise ParameterError(
            f"since must be a date or time such as 2006-03-15 or 2006-03-15T12:00, not {written!r}", code="unreadable-value", value=written
        ) from None
    if found.tzinfo is not None:
        raise ParameterError("since must be without a time zone, as the times of a log are", code="unreadable-value", value=written)
    return found
