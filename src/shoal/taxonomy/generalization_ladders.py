"""Ladders: what the values of a column may be published as, from themselves up to the most general.

A word leads to itself in lower case without marks at its ends, then to its node in a taxonomy and to all nodes above that may be published;
a path to its folders; a whole number to ranges ten, a hundred, a thousand wide. Every rung has a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints, Small, Vocabulary
from shoal.data.query_units import EXACT, PREFIX, RANGES
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.errors import InputError
from shoal.taxonomy.urls import ANY, folders
from shoal.text.terms import SHORTEST, in_one_case, is_stop_word
from shoal.util.numbers import distinct

TOP = -1
_MARKS = r"^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$"


@dataclass(frozen=True, eq=False)
class Ladder:
    """Rungs by number: `names`, all different, and the next more general rung, `parent`, or TOP.

    The first rungs are the values that the ladder was made for, in their order; `spelled` has the rung of each in lower case, if words are.
    """

    names: pl.Series
    parent: Ints
    spelled: Ints | None = None

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def height(self) -> Small:
        """Rungs above each rung."""
        found = np.zeros(len(self), np.int32)
        above = self.parent.copy()
        while (climbing := above >= 0).any():
            found += climbing
            above[climbing] = self.parent[above[climbing]]
        return found


def ladder_of(values: pl.Series, way: str) -> Ladder:
    """Return the ladder of different values of a column that is published this way."""
    if way == EXACT:
        return Ladder(values, np.full(len(values), TOP, np.int64))
    if way == PREFIX and values.dtype != pl.String:
        raise InputError(f"the column {values.name!r} is of type {values.dtype}, but prefixes need text", code="wrong-column-type")
    if way == RANGES and not values.dtype.is_integer():
        raise InputError(f"the column {values.name!r} is of type {values.dtype}, but ranges need whole numbers", code="wrong-column-type")
    chains: Callable[[pl.Series], Iterator[Sequence[str]]] = _paths if way == PREFIX else _ranges
    return _of_chains(chains(values))


_LATEST: WeakKeyDictionary[Taxonomy, tuple[pl.Series, Ladder]] = WeakKeyDictionary()


def ladder_of_words(words: pl.Series, taxonomy: Taxonomy | None) -> Ladder:
    """Return the ladder of different words of texts. Without a taxonomy it ends with the word in lower case.

    Names of nodes are written without blanks, so that each stays one word. Stop words and single letters have no node. The latest ladder
    of a taxonomy is kept, because looking words up takes long: another one of the same words in the same order is the same.
    """
    if taxonomy is None:
        return _made_of_words(words, None)
    known = _LATEST.get(taxonomy)
    if known is None or not known[0].equals(words):
        known = _LATEST[taxonomy] = words, _made_of_words(words, taxonomy)
    return known[1]


def _made_of_words(words: pl.Series, taxonomy: Taxonomy | None) -> Ladder:
    """Look the words up and make their ladder, whose numbers nobody can change."""
    folded = _in_lower_case(words)
    plain = pl.concat([words, folded.filter(folded != "")]).unique(maintain_order=True).rename("word")
    spelled = Vocabulary(plain).codes(folded).astype(np.int64)
    own = np.arange(len(words))
    spelled = np.where(spelled < 0, own, spelled)
    parent = np.full(len(plain), TOP, np.int64)
    parent[: len(words)] = np.where(spelled == own, TOP, spelled)
    if taxonomy is None:
        return Ladder(plain, parent, spelled)
    lowest = np.flatnonzero(parent == TOP)
    texts = plain.gather(lowest)
    meant = ((texts.str.len_chars() >= SHORTEST) & ~is_stop_word(texts)).to_numpy()
    names = taxonomy.names.names.str.replace_all(r"\s+", "_")
    found = _with_nodes(Ladder(plain, parent), lowest[meant], taxonomy, names)
    for numbers in (found.parent, spelled):
        numbers.flags.writeable = False
    return Ladder(found.names, found.parent, spelled)


def ladder_of_items(items: pl.Series, taxonomy: Taxonomy | None) -> Ladder:
    """Return the ladder of different items, which are named as the taxonomy names its nodes."""
    flat = Ladder(items.rename("word"), np.full(len(items), TOP, np.int64))
    return flat if taxonomy is None else _with_nodes(flat, np.arange(len(items)), taxonomy, taxonomy.names.names)


def _in_lower_case(words: pl.Series) -> pl.Series:
    """Return the words in lower case, without marks at their ends; empty if that would not be the same when it is done again."""
    once = in_one_case(words).str.replace_all(_MARKS, "")
    again = in_one_case(once).str.replace_all(_MARKS, "")
    return once.zip_with(once == again, pl.Series([""], dtype=pl.String).new_from_index(0, len(once)))


def _with_nodes(flat: Ladder, lowest: Ints, taxonomy: Taxonomy, names: pl.Series) -> Ladder:
    """Return the ladder with the nodes above these lowest rungs, under these names.

    Nodes above the floor of every release are none of it. A node that is called as a word that means it is the rung of that word.
    """
    node = taxonomy.nodes(flat.names.gather(lowest)).astype(np.int64)
    known, node = lowest[node >= 0], node[node >= 0]
    used = _with_all_above(taxonomy, node) & ~Floor().bars(taxonomy)
    number = np.full(len(taxonomy), TOP, np.int64)
    same = (names.gather(node) == flat.names.gather(known)).to_numpy() & used[node]
    number[node[same]] = known[same]
    fresh = np.flatnonzero(used & (number == TOP))
    number[fresh] = len(flat) + np.arange(len(fresh))
    rungs = np.concatenate([flat.parent, np.full(len(fresh), TOP, np.int64)])
    rungs[known[~same]] = number[node[~same]]
    inner = np.flatnonzero(used & (taxonomy.parent >= 0))
    rungs[number[inner]] = number[taxonomy.parent[inner]]
    named = _free_names(names.gather(fresh), flat.names)
    return Ladder(pl.concat([flat.names, named.rename("word")]), rungs)


def _with_all_above(taxonomy: Taxonomy, nodes: Ints) -> npt.NDArray[np.bool_]:
    """Return which nodes are these or lie above one of them."""
    used = np.zeros(len(taxonomy), bool)
    at = distinct(nodes)
    while len(at):
        used[at] = True
        at = distinct(taxonomy.parent[at].astype(np.int64))
        at = at[at >= 0]
    return used


def _free_names(names: pl.Series, taken: pl.Series) -> pl.Series:
    """Return the names of nodes, with a mark where a word, or another node, is called so."""
    clashing = (names.is_in(taken.implode()) | ~names.is_first_distinct()).arg_true()
    if clashing.is_empty():
        return names
    found, held = names.to_list(), {*taken, *names}
    for i in clashing:
        while found[i] in held:
            found[i] += "_"
        held.add(found[i])
    return pl.Series(found, dtype=pl.String)


def _of_chains(chains: Iterator[Sequence[str]]) -> Ladder:
    """Return the ladder in which each of these chains leads upwards; the first of each is a value. A name has one name above it."""
    listed = list(chains)
    number = {chain[0]: i for i, chain in enumerate(listed)}
    parent = [TOP] * len(listed)
    for chain in listed:
        for lower, upper in pairwise(chain):
            if upper not in number:
                number[upper] = len(parent)
                parent.append(TOP)
            parent[number[lower]] = number[upper]
    return Ladder(pl.Series(list(number), dtype=pl.String), np.array(parent, np.int64))


def _paths(values: pl.Series) -> Iterator[Sequence[str]]:
    """Yield a path, then without its query string, then its folders, up to that of its host."""
    for value in values:
        page, queried, _ = value.partition("?")
        yield tuple(dict.fromkeys((value, *([f"{page}?{ANY}"] if queried else []), *folders(value))))


def _ranges(values: pl.Series) -> Iterator[Sequence[str]]:
    """Yield a whole number, then the ranges it lies in, each ten times as wide, up to one that is wider than the largest number."""
    numbers = values.to_list()
    largest = max((abs(number) for number in numbers), default=0)
    for number in numbers:
        chain, width = [str(number)], 1
        while width <= largest:
            width *= 10
            least = number // width * width
            chain.append(f"{least} to {least + width - 1}")
        yield chain
