"""Tokens instead of words or queries, with a plain-text log: another one, or that of one half of the people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.attacks.draw import Draw
from shoal.attacks.logs.corpus import Corpus, Hashed
from shoal.attacks.scenarios import Skipped
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ShoalError
from shoal.evaluate.attack.case import Case
from shoal.keyed.keys import words_in
from shoal.methods import Hashes
from shoal.util.numbers import distinct


def tokens(case: Case, draw: Draw, reference: Log | None) -> tuple[Hashed, str]:
    """Return the hashed texts of the attacked people, a plain-text log, and which one it is."""
    if case.method is None or not case.method.hashes:
        raise Skipped("the release contains nothing hashed")
    data = case.source.reading.data
    if not isinstance(data, Log):
        raise Skipped("it applies to rows of a log")
    owners = data.frame["owner"].to_numpy()
    people = distinct(owners)
    if reference is None:
        half = np.random.default_rng(draw.seed).permutation(people)[: len(people) // 2]
        text = (
            f"tokens: the words of {len(half):,} people are known in plain text, those of the other {len(people) - len(half):,} are hashed"
        )
    else:
        half = people[:0]
        text = f"tokens: the attacker has a plain-text log of {reference.n_owners:,} people; the words of the original are hashed"
    readable = np.isin(owners, half)
    try:
        original, release = case.made_of(~readable)
    except ShoalError as error:
        raise Skipped(f"the release cannot be made of some people ({error.message})") from None
    assert isinstance(original, LogOriginal)
    clear = Log(data.frame.filter(readable), data.kind) if reference is None else reference
    found = hash_with_reference(clear, original.log, release, case.method.hashes)
    if not found.words.n_items or not found.tokens.n_items:
        raise Skipped("there are no words that can be read" if found.tokens.n_items else "no tokens are published")
    return found, text


def hash_with_reference(clear: Log, original: Log, release: Release, unit: Hashes) -> Hashed:
    """Return the published tokens of a log, with a plain-text log."""
    (table,) = release.tables_of(RowTable)
    assert release.secret is not None
    kept = np.flatnonzero(release.secret.rows() >= 0)
    rows = release.secret.rows()[kept]
    owners = original.frame["owner"].to_numpy()[kept]
    linked = table.pseudonyms is not None and _one_each(owners, table.frame[table.pseudonyms].to_numpy()[rows])
    published, typed = table.frame[table.unit].gather(rows), original.frame["payload"].gather(kept)
    # The names of tokens depend on the key. Numbered by them, those that occur equally often would be read otherwise with each key.
    tokens = _Units.of(published.str.split(" "), by_name=False)
    words = _Units.of(_split(clear.frame["payload"], unit), by_name=True)
    return Hashed(
        tokens.corpus(owners if linked else None),
        words.corpus(clear.frame["owner"].to_numpy() if linked else None),
        words.places(_meaning(tokens.names, published.str.split(" "), _split(typed, unit))),
    )


@dataclass(frozen=True, eq=False)
class _Units:
    """Lists of words or tokens by number, and their names."""

    sizes: Ints
    items: Ints
    names: pl.Series

    @classmethod
    def of(cls, lists: pl.Series, *, by_name: bool) -> _Units:
        """Number them by name, or in order of occurrence."""
        flat = lists.explode(empty_as_null=False, keep_nulls=False).rename("unit")
        names = flat.unique().sort() if by_name else flat.unique(maintain_order=True)
        items = flat.to_frame().join(names.to_frame().with_row_index("number"), on="unit", how="left", maintain_order="left")["number"]
        return cls(lists.list.len().to_numpy().astype(np.int64), items.to_numpy().astype(np.int64), names)

    def corpus(self, owners: Ints | None) -> Corpus:
        return Corpus(np.concatenate([[0], np.cumsum(self.sizes)]), self.items, len(self.names), owners)

    def places(self, names: pl.Series) -> Ints:
        """Return the numbers of names, -1 for unknown ones."""
        known = self.names.rename("unit").to_frame().with_row_index("number")
        found = names.rename("unit").to_frame().join(known, on="unit", how="left", maintain_order="left")["number"]
        return found.cast(pl.Int64).fill_null(-1).to_numpy()


def _split(texts: pl.Series, unit: Hashes) -> pl.Series:
    """Return what is hashed of each text: its words, or all of it."""
    return words_in(texts) if unit == "words" else texts.fill_null("").str.split("\0")


def _meaning(tokens: pl.Series, published: pl.Series, typed: pl.Series) -> pl.Series:
    """Return the meaning of each token, from rows before and after of equal length; null if unknown."""
    same = published.list.len() == typed.list.len()
    pairs = pl.DataFrame({"unit": published.filter(same).explode(), "word": typed.filter(same).explode()}).unique(
        "unit", keep="first", maintain_order=True
    )
    return tokens.rename("unit").to_frame().join(pairs, on="unit", how="left", maintain_order="left")["word"]


def _one_each(owners: Ints, pseudonyms: Ints) -> bool:
    """Whether every person has one pseudonym."""
    pairs = pl.DataFrame({"owner": owners, "pseudonym": pseudonyms}).unique()
    return not pairs["owner"].is_duplicated().any()
