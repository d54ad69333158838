"""Numbers that must carry no information: pseudonyms, numbers of groups, clusters, chunks and sub-records, and the order of rows.

They must be the integers from 1 without gaps, in random order. The files show the first property. Randomness can be tested with the
original only, and only with enough people: the values with each number are compared with the position and name of the same values in the
original. Under a random order, their correlation times the square root of their number exceeds 6 with a probability of about one in a
billion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.original import AccessOriginal, DocumentOriginal, LogOriginal, Original, TableOriginal
from shoal.data.tables import ADDRESSES, NUMBER, ORDER_OF_ROWS, PSEUDONYMS, VALUE, PublishedTable
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.bags import Bags
    from shoal.data.original import AnyOriginal

BEYOND_CHANCE = 6.0  # standard deviations of a correlation under a random order
FEWEST_IN_ORDER = 11  # people who are all in the order of the original with a chance below one in a million, forwards or backwards
FEWEST_COMPARED = int(BEYOND_CHANCE**2) + 2  # numbers whose correlation times sqrt(n - 1) can exceed that
PLACE = "place"


# -- the form


def misnumbered(table: PublishedTable) -> list[str]:
    """Return columns of numbers that are not the integers from 1 without gaps."""
    return [
        f"{what} are not the whole numbers from 1 on, each used" for what, numbers in table.numbers_from_one() if not _from_one(numbers)
    ]


def _from_one(frame: pl.DataFrame) -> bool:
    *within, number = frame.columns
    if not len(frame):
        return True
    least, most, several = pl.col(number).min().alias("least"), pl.col(number).max().alias("most"), pl.col(number).n_unique().alias("n")
    found = frame.group_by(within).agg(least, most, several) if within else frame.select(least, most, several)
    return bool(((found["least"] == 1) & (found["most"] == found["n"].cast(pl.Int64))).all())


def disordered(table: PublishedTable) -> list[str]:
    """Return what is not sorted although shoal sorts it: lines of a log by time, items of lists and chunks by name."""
    faults = [part.fault for part in table.sorted_rows() if not part.rows.equals(part.rows.sort(part.by))]
    mixed = any((lists != lists.list.sort()).any() for lists in table.sorted_lists())
    return [*faults, *(["the items of a row are not in the order of their names"] if mixed else [])]


# -- the order


@dataclass(frozen=True, eq=False)
class _Numbered:
    """The values with each number of a table (`number`, `value`), and their positions in the original (`place`, `value`).

    `places` has several orders of the original by name.
    """

    what: str
    published: pl.DataFrame
    places: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def judged(self) -> Orders:
        """Return the orders of the original that the numbers follow; undecided if there are too few numbers to exclude chance."""
        most = 0
        for order, original in self.places.items():
            n, score = agreement(self.published, original)
            most = max(most, n)
            if score > BEYOND_CHANCE:
                return Orders(
                    [f"{self.what} follow {order}: by chance {n:,} of them do so less than once in a thousand million releases"], []
                )
        return Orders([], [self.what] if most < FEWEST_COMPARED else [])


@dataclass(frozen=True)
class Orders:
    """Numbers that follow an order of the original, and those that could not be compared, by name such as `the pseudonyms`."""

    faults: list[str]
    not_compared: list[str]


def agreement(published: pl.DataFrame, original: pl.DataFrame) -> tuple[int, float]:
    """Return the number of values that the original has too, and the agreement of both orders in standard deviations."""
    means = original.group_by(VALUE).agg(pl.col(PLACE).cast(pl.Float64).mean())
    shown = published.with_columns(pl.col(VALUE).cast(pl.String))
    scores = shown.join(means, on=VALUE, how="inner").group_by(NUMBER).agg(pl.col(PLACE).mean()).sort(NUMBER)
    n = len(scores)
    if n < FEWEST_COMPARED:
        return n, 0.0
    return n, correlation(scores[NUMBER].to_numpy().astype(np.float64), scores[PLACE].to_numpy())


def correlation(left: np.ndarray, right: np.ndarray) -> float:
    """Return the absolute correlation in standard deviations of that of a random order."""
    left, right = left - left.mean(), right - right.mean()
    scale = float(np.sqrt((left**2).sum() * (right**2).sum()))
    return abs(float((left * right).sum())) / scale * float(np.sqrt(len(left) - 1)) if scale > 0 else 0.0


def orders_of(table: PublishedTable, original: AnyOriginal | None) -> Orders:
    """Return the numbers and row orders that follow the original: its user IDs, or its order."""
    known, values = table.random_orders, table.values_by_number()
    if original is None:
        return Orders([], known)
    if isinstance(original, TableOriginal) and table.flat_rows is not None:
        return _order_of_microdata(table.flat_rows, original)
    places = _places(table, original)
    found = [_Numbered(what, shown, places[what]).judged() for what, shown in values.items() if what in places]
    faults, left = [fault for one in found for fault in one.faults], [what for one in found for what in one.not_compared]
    if PSEUDONYMS in values and isinstance(original, LogOriginal):
        faults = faults or _copied_of_people(values[PSEUDONYMS], original)
    return Orders(faults, left if found else known)


def _places(table: PublishedTable, original: AnyOriginal) -> Mapping[str, Mapping[str, pl.DataFrame]]:
    """Return the positions of values in the original for each random order of a table made of such an original."""
    if table.made_of == "access log" and isinstance(original, AccessOriginal):
        return {ADDRESSES: _places_of_people(original)}
    if table.made_of == "log" and isinstance(original, LogOriginal):
        rows = {"the order of the original's rows": _by_row(original.log.frame["payload"])}
        return {ORDER_OF_ROWS: rows} | ({PSEUDONYMS: _places_of_people(original)} if PSEUDONYMS in table.random_orders else {})
    if table.made_of == "records" and isinstance(original, Original):
        return _same_places(table, "the order of the original's records", original.typed)
    if table.made_of == "documents" and isinstance(original, DocumentOriginal):
        return _same_places(table, "the order of the original's documents", original.vectors)
    return {}


def _same_places(table: PublishedTable, order: str, bags: Bags) -> dict[str, dict[str, pl.DataFrame]]:
    places = {order: _by_record(bags)}
    return dict.fromkeys(table.random_orders, places)


def _by_row(values: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({VALUE: values}).with_row_index(PLACE)


def _by_record(bags: Bags) -> pl.DataFrame:
    """Return the item names of each record, with the position of the record."""
    records = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    return pl.DataFrame({PLACE: records, VALUE: bags.vocabulary.names.gather(bags.items)})


def _places_of_people(original: LogOriginal) -> dict[str, pl.DataFrame]:
    """Return the payloads of people, by first row of the person and by user ID."""
    ranks = people_in_order(original)
    return {
        order: original.log.frame.select("owner", pl.col("payload").alias(VALUE)).join(rank, on="owner").select(PLACE, VALUE)
        for order, rank in ranks.items()
    }


def people_in_order(original: LogOriginal) -> dict[str, pl.DataFrame]:
    """Return the position of every `owner` in several orders: by first row, and by user ID as text and as number."""
    owners = original.log.frame.select(pl.col("owner").unique(maintain_order=True))
    ranks = {"the order of people in the original": owners.with_row_index(PLACE)}
    names = _names(original, owners["owner"])
    if names is None:
        return ranks
    ranks["the order of the original's names"] = owners.with_columns(names.rank("dense").alias(PLACE))
    numbers = names.str.extract(r"^\D*(\d+)$").cast(pl.Int64, strict=False)
    if not numbers.null_count():
        ranks["the order of the numbers in the original's names"] = owners.with_columns(numbers.rank("dense").alias(PLACE))
    return ranks


def _names(original: LogOriginal, owners: pl.Series) -> pl.Series | None:
    """Return the user IDs in the original, if available; in an access log, the addresses."""
    if isinstance(original, AccessOriginal):
        first = original.log.frame.select("owner", "address").unique("owner", keep="first", maintain_order=True)
        octets = first["address"].str.split(".").list.eval(pl.element().str.zfill(3)).list.join(".")
        return pl.DataFrame({"owner": owners}).join(first.with_columns(octets.alias("address")), on="owner", how="left")["address"]
    return None if original.log.names is None else original.log.names.gather(owners)


def _copied_of_people(shown: pl.DataFrame, original: LogOriginal) -> list[str]:
    """Return pseudonyms of people identified by their rows that follow an order of the original or equal the user ID."""
    pairs = known_people(shown, original)
    if len(pairs) < FEWEST_IN_ORDER:
        return []
    for order, rank in people_in_order(original).items():
        placed = pairs.join(rank, on="owner").sort(NUMBER)[PLACE].cast(pl.Int64)
        steps = placed.diff().drop_nulls()
        if (steps > 0).all() or (steps < 0).all():
            return [f"the pseudonyms of {counted(len(pairs), 'person', 'people')} follow {order}"]
    names = _names(original, pairs["owner"])
    same = 0 if names is None else int((names.cast(pl.Int64, strict=False) == pairs[NUMBER]).fill_null(False).sum())
    return [f"{same:,} pseudonyms are what the original calls the same person"] if same >= FEWEST_IN_ORDER else []


def known_people(shown: pl.DataFrame, original: LogOriginal) -> pl.DataFrame:
    """Return pairs of a pseudonym (`number`) and an `owner` with unique and equal published payloads."""
    issued = original.log.frame.select("owner", pl.col("payload").alias(VALUE)).join(shown.select(VALUE).unique(), on=VALUE, how="semi")
    left, right = _alone(shown, NUMBER), _alone(issued, "owner")
    return left.join(right, on=["rows", "print", "other"]).select(NUMBER, "owner")


def _alone(frame: pl.DataFrame, person: str) -> pl.DataFrame:
    """Return those with unique rows, identified by the number of rows and two sums of hashes."""
    hashed = frame.select(person, first=pl.col(VALUE).hash(1), second=pl.col(VALUE).hash(2))
    whole = hashed.group_by(person).agg(rows=pl.len(), print=pl.col("first").sum(), other=pl.col("second").sum())
    return whole.filter(pl.len().over("rows", "print", "other") == 1)


def _order_of_microdata(frame: pl.DataFrame, original: TableOriginal) -> Orders:
    """Test for rows of microdata in the original's order: values with the same row number are more similar than by chance."""
    if len(frame) != len(original.table) or len(frame) < FEWEST_COMPARED:
        return Orders([], [ORDER_OF_ROWS])
    for attribute in original.table.attributes:
        if attribute.name not in frame.columns:
            continue
        shown, typed = _as_numbers(frame[attribute.name], attribute.values)
        if correlation(shown.to_numpy(), typed.to_numpy()) > BEYOND_CHANCE:
            return Orders([f"{ORDER_OF_ROWS} follow the order of the original's rows"], [])
    return Orders([], [])


def _as_numbers(published: pl.Series, values: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Convert both columns to numbers: unchanged, or by alphabetical index."""
    shown, typed = published.cast(pl.Float64, strict=False), values.cast(pl.Float64, strict=False)
    if not shown.null_count() and not typed.null_count():
        return shown, typed
    both = pl.concat([published.cast(pl.String), values.cast(pl.String)]).rank("dense").cast(pl.Float64).fill_null(0.0)
    return both[: len(published)], both[len(published) :]
