"""Which columns of a product table hold the items of a log, their readable names, and the levels above them.

What the user names is used. The rest is found by content, and refused where two readings are possible:

* the key is the column with the item as the log writes it: the one that is called like the item column of the log, or else the only one
  that contains many of the items;
* the levels are the longest chain of text columns of which each determines the next, from fine to coarse: every type is of one category.
  Of columns that determine each other, such as a category and its number, the first text is taken;
* the name is the only column with different texts for most of the items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from shoal.errors import InputError, option
from shoal.util.wording import did_you_mean, listed, percent

ENOUGH = 0.5  # share of the items of the log that a key must contain if its name does not tell
HARDLY_ANY = 0.25  # of that share, what any other column may contain then
DETERMINED = 0.9  # share of the rows of a level that have the group above which most rows of their group have,
UNDIVIDED = 0.8  # or share of its groups that lie in a single group above; "Other" may lie in many
SHARED = 0.5  # groups per item of a level, at most; and names per item, at least
NAME_WORDS = ("name", "title", "product", "productname", "itemname", "description", "producttitle", "label")


@dataclass(frozen=True)
class ItemColumns:
    """The columns of a product table by their roles: `levels` from fine to coarse, `name` None where items keep their key."""

    key: str
    levels: tuple[str, ...]
    name: str | None = None


def plain_name(name: str) -> str:
    """Return a column name in small letters, without blanks, dashes and underscores."""
    return re.sub(r"[\s_-]", "", name).lower()


def column_called(columns: Sequence[str], wanted: str) -> str:
    """Return the column that is meant: of that name, or of one that differs in capitals and blanks only; an error where there is none."""
    alike = [wanted] if wanted in columns else [name for name in columns if plain_name(name) == plain_name(wanted)]
    if len(alike) == 1:
        return alike[0]
    hint = did_you_mean(wanted, columns, f"it has {listed(columns, len(columns))}")
    raise InputError(f"the items table has no column {wanted!r}", code="missing-column", hint=hint, value=wanted)


def texts_of(cells: pl.Series) -> pl.Series | None:
    """Return a column as text without blanks at the ends, whole numbers as they are written; None if it holds neither; empty cells are
    null.
    """
    if cells.dtype.is_float():
        held = cells.drop_nulls().drop_nans()
        if not len(held) or not ((held == held.round()) & (held.abs() < 2**53)).all():
            return None
        cells = cells.fill_nan(None).cast(pl.Int64)
    if not (cells.dtype.is_integer() or cells.dtype in (pl.String, pl.Categorical, pl.Enum)):
        return None
    named = cells.cast(pl.String).str.strip_chars()
    return pl.select(pl.when(named != "").then(named).alias(cells.name)).to_series()


# -- the key


def find_key(table: pl.DataFrame, items: pl.Series, item_column: str | None) -> tuple[str, str]:
    """Return the column with the items of a log, and how it was found.

    Args:
        table: The product table, all cells as text.
        items: The different items of the log.
        item_column: What the log calls the column of its items, if it has one.

    Raises:
        InputError: No column contains the items, or several may.
    """
    known = {name: int(items.is_in(table[name].unique().implode()).sum()) for name in table.columns}
    most = max(known.values(), default=0)
    if not most:
        raise InputError(
            "no column of the items table contains an item of the log",
            code="items-not-found",
            hint=f"name the column with the items as the log has them: {option('items-key', placeholder='COLUMN')}",
        )
    share = {name: n / max(1, len(items)) for name, n in known.items()}
    called = [name for name in table.columns if item_column is not None and plain_name(name) == plain_name(item_column)]
    if len(called) == 1 and known[called[0]] == most:
        return called[0], f"items are joined by {called[0]!r}, which has the name of the item column and {_part(share[called[0]])}"
    best = [name for name in table.columns if known[name] > HARDLY_ANY * most]
    if len(best) == 1 and share[best[0]] >= ENOUGH:
        return best[0], f"items are joined by {best[0]!r}, the only column that contains {_part(share[best[0]])}"
    found = [name for name in sorted(known, key=lambda name: -known[name]) if known[name]]
    shares = ", ".join(f"{name!r} has {percent(share[name])}" for name in found)
    raise InputError(
        f"it is not clear which column of the items table has the items: {shares}",
        code="items-key-unclear",
        hint=f"name it with {option('items-key', placeholder='COLUMN')}",
        columns=tuple(found),
    )


def _part(share: float) -> str:
    return f"{percent(share)} of the items"


# -- the levels


def find_levels(table: pl.DataFrame, key: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the levels from fine to coarse: the longest chain of text columns of which each determines the next.

    Raises:
        InputError: There is no such column, or there are two chains of the same length.
    """
    rows = table.filter(pl.col(key).is_not_null()).unique(subset=[key], keep="first", maintain_order=True)
    left_out = {key, *without}
    groups = {name: rows[name].drop_nulls().n_unique() for name in table.columns if name not in left_out}
    worth = [name for name, n in groups.items() if 2 <= n <= SHARED * len(rows) and not _is_number(rows[name])]
    if not worth:
        raise _unclear("no column of the items table groups its items", ())
    above = _determined(rows, _one_of_equals(rows, worth, groups), groups)
    chains = sorted(_longest(above), key=lambda chain: -len(chain))
    longest = [chain for chain in chains if len(chain) == len(chains[0])]
    if len(longest) > 1:
        listed = " or ".join(" < ".join(map(repr, chain)) for chain in longest[:3])
        raise _unclear(f"the levels of the items table may be {listed}", tuple(sorted({name for chain in longest for name in chain})))
    return longest[0]


def _unclear(what: str, columns: tuple[str, ...]) -> InputError:
    hint = f"name them from fine to coarse with {option('items-levels', placeholder='COLUMNS')}"
    return InputError(what, code="items-levels-unclear", hint=hint, columns=columns)


def _is_number(cells: pl.Series) -> bool:
    """Whether all texts are numbers, which may be prices as well as groups."""
    return bool(cells.drop_nulls().str.contains(r"^[-+]?[\d.,]+$").all())


def _one_of_equals(rows: pl.DataFrame, names: Sequence[str], groups: Mapping[str, int]) -> list[str]:
    """Return the columns without those that only rename another: each value has exactly one counterpart."""
    kept: list[str] = []
    for name in names:
        if not any(groups[name] == groups[other] == rows.select(name, other).drop_nulls().unique().height for other in kept):
            kept.append(name)
    return kept


def _determined(rows: pl.DataFrame, names: Sequence[str], groups: Mapping[str, int]) -> dict[str, list[str]]:
    """For each column the coarser ones that it determines."""
    return {fine: [coarse for coarse in names if groups[coarse] < groups[fine] and _determines(rows, fine, coarse)] for fine in names}


def _determines(rows: pl.DataFrame, fine: str, coarse: str) -> bool:
    """Whether nearly all rows of a group, or all rows of nearly all groups, have one and the same group of another column."""
    pairs = rows.select(fine, coarse).drop_nulls().group_by(fine, coarse).len()
    groups = pairs.group_by(fine).agg(largest=pl.col("len").max(), above=pl.len())
    undivided = int((groups["above"] == 1).sum()) >= UNDIVIDED * len(groups)
    return undivided or int(groups["largest"].sum()) >= DETERMINED * int(pairs["len"].sum())


def _longest(above: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return all chains from a finest column to a coarsest one, in which each column determines all that follow."""
    found: list[tuple[str, ...]] = []

    def extend(chain: tuple[str, ...]) -> None:
        further = [name for name in above[chain[-1]] if all(name in above[one] for one in chain)]
        for name in further:
            if not any(name in above[other] for other in further):  # the next one up, not one beyond it
                extend((*chain, name))
        if not further:
            found.append(chain)

    for name in above:
        extend((name,))
    return found


def order_note(levels: Sequence[str], table: pl.DataFrame) -> str:
    """Return the levels with their numbers of groups, for people."""
    return "levels from fine to coarse: " + ", ".join(f"{name!r} ({table[name].drop_nulls().n_unique():,} groups)" for name in levels)


def check_order(levels: Sequence[str], table: pl.DataFrame) -> None:
    """Raise if levels that were named do not become coarser."""
    sizes = {name: table[name].drop_nulls().n_unique() for name in levels}
    for fine, coarse in pairwise(levels):
        if sizes[fine] < sizes[coarse]:
            raise InputError(
                f"the level {coarse!r} has {sizes[coarse]:,} groups, more than {fine!r} below it, which has {sizes[fine]:,}",
                code="levels-not-ordered",
                hint=f"{option('items-levels')} names them from fine to coarse",
                columns=(fine, coarse),
            )


# -- the name


def find_name(table: pl.DataFrame, key: str, levels: Sequence[str]) -> str | None:
    """Return the column with readable names of items; None if there is none.

    Raises:
        InputError: Several columns may have the names. None is guessed, because what is in it is published.
    """
    rows = table.filter(pl.col(key).is_not_null()).unique(subset=[key], keep="first", maintain_order=True)
    left = [name for name in table.columns if name not in {key, *levels} and not _is_number(rows[name])]
    many = [name for name in left if rows[name].drop_nulls().n_unique() > SHARED * len(rows)]
    called = [name for name in many if plain_name(name) in NAME_WORDS or plain_name(name).endswith("name")]
    if len(many) <= 1 and called == many:
        return many[0] if many else None
    if len(called) == 1:
        return called[0]
    raise InputError(
        f"it is not clear which column of the items table has their names: {', '.join(map(repr, many))}",
        code="items-name-unclear",
        hint=f"name it with {option('items-name', placeholder='COLUMN')}; {option('items-name', key)} publishes the items as they are",
        columns=tuple(many),
    )
