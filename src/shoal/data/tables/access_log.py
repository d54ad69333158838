"""The kind of a published access log, and the columns of one that was read, in addition to user, time and payload (the requested page).

`visitor` numbers the distinct combinations of user, address and user agent: sessions consist of one visitor's events. `method` and
`protocol` are null in malformed requests, `size` if it is missing; `referrer` and `agent` are null in the common format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.fresh import fresh_order
from shoal.data.tables import ADDRESSES, NUMBER, VALUE, PublishedTable, Sorted
from shoal.data.tables.column_types import renumbered
from shoal.errors import ShoalError

VISITOR = "visitor"
PAGE = r"^\S+ (.*?)(?: HTTP/\d(?:\.\d)?)?$"  # of a request
COLUMNS = (VISITOR, "address", "method", "protocol", "status", "size", "referrer", "agent")


# Access log: requests to a web server, with random addresses.


SCHEMA = {
    "address": pl.Int64(),
    "time": pl.Datetime("us"),
    "request": pl.String(),
    "status": pl.Int64(),
    "size": pl.Int64(),
    "referrer": pl.String(),
    "agent": pl.String(),
}
MOST_ADDRESSES = (1 << 24) - 1  # of 10.0.0.0/8, without its first


@dataclass(frozen=True, eq=False)
class AccessTable(PublishedTable):
    """Rows of an access log. `address` numbers the published addresses, which are drawn again whenever the table is written.

    `size` may be null; `referrer` and `agent` are null in all rows of the common format, and in none of the combined format. `extra_fields`
    names the fields of a file with more than their fixed form: identities, user names, addresses that are not numbered from 1.
    """

    kind = "access log"
    made_of = "access log"
    names = ("access",)
    default_format = "accesslog"

    frame: pl.DataFrame
    extra_fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != SCHEMA:
            raise ShoalError(f"an access log has the columns {', '.join(SCHEMA)}, not {dict(self.frame.schema)}", code="invalid-table")
        if self.frame.select("address", "time", "request", "status").null_count().row(0) != (0, 0, 0, 0):
            raise ShoalError("a row of an access log has no address, time, request or status", code="invalid-table")
        if self.frame["agent"].null_count() not in {0, len(self.frame)} or self.frame["referrer"].null_count() not in {0, len(self.frame)}:
            raise ShoalError("an access log is in the common or the combined format, not in both", code="invalid-table")

    @property
    def n_rows(self) -> int:
        """The number of rows that are written."""
        return len(self.frame)

    @property
    def combined(self) -> bool:
        """Whether rows have a referrer and a user agent."""
        return len(self.frame) > 0 and not self.frame["agent"].null_count()

    def agrees_with(self, account: Accounting) -> bool:
        """Always true: rows represent those of a whole group, so their number may differ."""
        return True

    def shuffled(self) -> pl.DataFrame:
        """Return the rows by time, those of one second in random order, with addresses from 10.0.0.1 assigned at random."""
        known = self.frame["address"].unique(maintain_order=True).to_list()
        if len(known) > MOST_ADDRESSES:
            raise ShoalError(f"there are not {len(known):,} different private addresses", code="too-many-addresses")
        fresh = dict(zip(known, (fresh_order(len(known)) + 1).tolist(), strict=True))
        frame = self.frame[fresh_order(self.n_rows)].sort("time", maintain_order=True)
        return frame.with_columns(written_addresses(renumbered(frame["address"], fresh)))

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame."""
        return {name: self.shuffled()}

    @property
    def random_orders(self) -> list[str]:
        """Return the addresses; lines are sorted by time."""
        return [ADDRESSES]

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the pages requested from each address."""
        return {ADDRESSES: self.frame.select(pl.col("address").alias(NUMBER), pl.col("request").str.extract(PAGE).alias(VALUE))}

    def sorted_rows(self) -> Iterator[Sorted]:
        """Return the lines, sorted by time."""
        yield Sorted(self.frame.select("time"), ["time"], "the lines of the log are not in the order of their times")


def written_addresses(numbers: pl.Series) -> pl.Series:
    """Format numbers from 1 as addresses of the network 10.0.0.0/8: 1 is 10.0.0.1, 256 is 10.0.1.0."""
    number = pl.col("address")
    written = pl.format("10.{}.{}.{}", number // 65536, number // 256 % 256, number % 256)
    return pl.DataFrame({"address": numbers}).select(written.alias("address")).to_series()


def numbered_addresses(written: pl.Series) -> pl.Series | None:
    """Return the number of each address if the addresses are 10.0.0.1 and those following it, without gaps; otherwise None."""
    different = written.unique()
    numbers = pl.Series("address", range(1, len(different) + 1), dtype=pl.Int64)
    fixed = written_addresses(numbers)
    if len(different) > MOST_ADDRESSES or not different.is_in(fixed.implode()).all():
        return None
    return written.replace_strict(fixed, numbers, return_dtype=pl.Int64)
