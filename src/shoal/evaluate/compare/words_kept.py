"""Words kept by any kind of release: which of a person's words are published as typed for this person.

Records have their own words. In logs, whose rows are published, the distinct words of each person count, so that rows and records of users
are comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.original import AccessOriginal, AnyOriginal, LogOriginal, Original, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import AccessTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import CountTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.evaluate.attack.stage import published_visits
from shoal.privacy.evidence.chunk_words import published_words
from shoal.text.terms import terms_of
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Texts:
    """Rows of a log, or records: which are published completely as typed, and a number that equal ones share. Empty ones are left out."""

    whole: Mask
    same: Ints


@dataclass(frozen=True, eq=False)
class Words:
    """Words of each record or person `before`; those `kept`; which have anything `left`; and the outcome of whole texts."""

    before: Bags
    kept: sp.csr_matrix
    left: Mask
    texts: Texts | None


def words_of(release: Release, original: AnyOriginal) -> Words | None:
    """Return the words before and after; None for unsupported kinds."""
    compare = _BY_KIND.get(min(release.kinds)) if len(release.kinds) == 1 and not isinstance(original, TableOriginal) else None
    return None if compare is None else compare(original.aligned(release), original)


def typed_words(log: Log) -> Bags:
    """Return the distinct words of each person of a log as typed, without stop words."""
    return log.bags("user", split=lambda texts: terms_of(texts, as_typed=True)).as_sets()


# -- releases made of records


def _in_records(release: Release, original: Original) -> Words:
    return _kept_of(original, published_rows(release.published.to_scipy(), _rows(release)))


def _in_groups(release: Release, original: Original) -> Words:
    """Compare rows that are records without some of their items."""
    table = release.only(GroupTable)
    rows = Bags.from_polars(table.rows[ITEMS])
    placed = rows.relabelled(original.bags.vocabulary.codes(rows.vocabulary.names), original.bags.vocabulary)
    return _kept_of(original, published_rows(placed.to_scipy(), _rows(release)))


def _in_chunks(release: Release, original: Original) -> Words:
    """Compare chunks: every published word is as typed; whole records are not known."""
    import scipy.sparse as sp

    table = release.only(ChunkTable)
    words = original.bags.vocabulary.names.is_in(published_words(table).implode())
    columns = sp.diags(words.to_numpy(), dtype=np.int32)
    found = _kept_of(original, sp.diags(_rows(release) >= 0, dtype=np.int32) @ original.bags.to_scipy() @ columns)
    return Words(found.before, found.kept, found.left, None)


def _kept_of(original: Original, shown: sp.csr_matrix) -> Words:
    """Compare what is published for each record."""
    bags = original.bags
    kept = original.spelled.to_scipy().minimum(shown).tocsr()
    filled = bags.lengths > 0
    texts = Texts((_sums(kept) == bags.lengths)[filled], bags.identical()[filled])
    return Words(bags, kept, _sums(shown) > 0, texts)


# -- releases made of a log


def _in_rows(release: Release, original: LogOriginal) -> Words:
    table = release.only(RowTable)
    rows, log = _rows(release), original.log
    shown = table.frame[table.unit].gather(np.maximum(rows, 0)) if table.has_unit and table.n_rows else pl.Series([""] * len(log))
    published = pl.select(pl.when(pl.Series(rows >= 0)).then(shown).otherwise(pl.lit(""))).to_series()
    left = distinct(log.frame["owner"].to_numpy()[rows >= 0])
    return _of_people(log, log.frame.select("owner").with_columns(payload=published), left)


def _in_profiles(release: Release, original: LogOriginal) -> Words:
    """Compare the history of a person's pseudonym with the person's queries and words."""
    table = release.only(ProfileTable)
    owners = distinct(original.log.frame["owner"].to_numpy())
    users = pl.DataFrame({"owner": owners, table.of_whom: _rows(release)}).cast({table.of_whom: table.frame[table.of_whom].dtype})
    published = table.frame.select(table.of_whom, payload=pl.col(table.unit)).join(users, on=table.of_whom).select("owner", "payload")
    return _of_people(original.log, published, published["owner"].unique().to_numpy())


def _in_counts(release: Release, original: LogOriginal) -> Words:
    """Compare counts, which belong to nobody in particular: a word is kept for all who typed it if it or its whole query is counted."""
    import scipy.sparse as sp

    table = release.tables_of(CountTable)[0]
    log, frame = original.log, original.log.frame
    whole = next((name for name in PAYLOAD.values() if name in table.columns), None)
    if whole is not None:
        shown = frame.select("owner", "payload").filter(frame["payload"].is_in(table.frame[whole].implode()))
        return _of_people(log, shown, shown["owner"].unique().to_numpy())
    before = typed_words(log)
    kept = before.to_scipy() @ sp.diags(before.vocabulary.names.is_in(table.words.implode()).to_numpy(), dtype=np.int32)
    return Words(before, kept.tocsr(), _sums(kept) > 0, None)


def _in_visits(release: Release, original: AccessOriginal) -> Words:
    """Compare the pages published for the addresses of a visitor with the pages that the visitor requested."""
    table = release.only(AccessTable)
    pages = published_visits(table).frame.unique()
    addresses = table.frame["address"].gather(_rows(release))
    users = pl.DataFrame({"owner": original.log.frame["owner"], "address": addresses}).unique()
    shown = users.join(pages.rename({"owner": "address"}), on="address").select("owner", "payload")
    return _of_people(original.log, shown, shown["owner"].unique().to_numpy())


def _of_people(log: Log, shown: pl.DataFrame, left: Ints) -> Words:
    """Compare what is published for each person: rows of a user and a text, one per row of the log if they are as many."""
    before = typed_words(log)
    after = typed_words(Log(shown.select("owner", "payload"), log.kind))
    placed = after.relabelled(before.vocabulary.codes(after.vocabulary.names), before.vocabulary).to_scipy()
    at = np.full(len(before), -1, np.int64)
    at[np.searchsorted(before.owners, after.owners)] = np.arange(len(after))
    kept = before.to_scipy().minimum(published_rows(placed, at)).tocsr()
    queries = log.frame.select("owner", "payload").filter(pl.col("payload") != "")
    there = queries.join(shown.unique(), on=["owner", "payload"], how="left", maintain_order="left", coalesce=False)["owner_right"]
    texts = Texts(there.is_not_null().to_numpy(), queries["payload"].rank("dense").to_numpy().astype(np.int64))
    return Words(before, kept, np.isin(before.owners, left), texts)


def published_rows(table: sp.csr_matrix, rows: Ints) -> sp.csr_matrix:
    """Return the published row of each record, empty if there is none."""
    import scipy.sparse as sp

    if not table.shape[0]:
        return sp.csr_matrix((len(rows), table.shape[1]), dtype=table.dtype)
    return sp.csr_matrix(sp.diags(rows >= 0, dtype=table.dtype) @ table[np.maximum(rows, 0)])


def _rows(release: Release) -> Ints:
    assert release.secret is not None
    return release.secret.rows()


def _sums(table: Any) -> Ints:
    return np.asarray(table.sum(axis=1), np.int64).ravel()


_BY_KIND: Mapping[str, Callable[[Release, Any], Words]] = {
    BagTable.kind: _in_records,
    GroupTable.kind: _in_groups,
    ChunkTable.kind: _in_chunks,
    RowTable.kind: _in_rows,
    ProfileTable.kind: _in_profiles,
    CountTable.kind: _in_counts,
    AccessTable.kind: _in_visits,
}


# Coverage: how much is published as typed, in words, terms, whole texts and people, and by popularity of a term.


HEAD, TORSO = 0.01, 0.001  # shares of people who use a term, at least


def coverage(words: Words) -> dict[str, float]:
    """Return shares from 0 to 1."""
    kept, whole = _by_term(words.kept), _by_term(words.before.to_scipy())
    people = len(distinct(words.before.owners[words.left])) / max(1, words.before.n_owners)
    found = {"kept": _share(kept.sum(), whole.sum()), "terms_kept": _share((kept > 0).sum(), (whole > 0).sum()), "people_left": people}
    parts = classes(words.before).items()
    found |= {f"kept_{name}": _share(kept[terms].sum(), whole[terms].sum()) for name, terms in parts if whole[terms].any()}
    return found if words.texts is None else found | _whole_texts(words.texts)


def classes(bags: Bags) -> dict[str, Mask]:
    """Return the terms that many, some or few people use; unused terms are in none."""
    users = bags.people_per_item
    share = users / max(1, bags.n_owners)
    head, torso = share >= HEAD, (share < HEAD) & (share >= TORSO)
    return {"head": head, "torso": torso, "tail": (users > 0) & ~head & ~torso}


def _whole_texts(texts: Texts) -> dict[str, float]:
    """Return the share of rows or records published completely as typed, and of the distinct ones."""
    different = len(distinct(texts.same))
    return {
        "volume_kept": _share(texts.whole.sum(), len(texts.whole)),
        "queries_kept": _share(len(distinct(texts.same[texts.whole])), different),
    }


def _by_term(table: Any) -> Ints:
    return np.asarray(table.sum(axis=0), np.int64).ravel()


def _share(part: Any, whole: Any) -> float:
    return float(part) / max(1.0, float(whole))
