"""The columns of a log that was read from a web access log, beside owner, time and payload (the page that was requested).

`visitor` numbers the different owners, addresses and user agents together: sessions are made of one visitor's events. `method` and
`protocol` are null in broken requests, `size` where none is told; `referrer` and `agent` in the common format, which has none.
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


# Access log: requests to a web server, under addresses that mean nothing.


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
    """Rows of an access log. `address` numbers the published addresses, which are redrawn whenever the table is written.

    `size` may be null; `referrer` and `agent` are null in all rows of the common format, and in none of the combined one. `beside` names
    the fields of a file that hold more than their one fixed form: identities, user names, addresses that are not numbered from 1.
    """

    kind = "access log"
    made_of = "access log"
    names = ("access",)
    default_format = "accesslog"

    frame: pl.DataFrame
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != SCHEMA:
            raise ShoalError(f"an access log has the columns {', '.join(SCHEMA)}, not {dict(self.frame.schema)}", code="invalid-table")
        if self.frame.select("address", "time", "request", "status").null_count().row(0) != (0, 0, 0, 0):
            raise ShoalError("a row of an access log has no address, time, request or status", code="invalid-table")
        if self.frame["agent"].null_count() not in {0, len(self.frame)} or self.frame["referrer"].null_count() not in {0, len(self.frame)}:
            raise ShoalError("an access log is in the common or the combined format, not in both", code="invalid-table")

    @property
    def n_rows(self) -> int:
        """How many rows are written."""
        return len(self.frame)

    @property
    def combined(self) -> bool:
        """Whether rows have a referrer and a user agent."""
        return len(self.frame) > 0 and not self.frame["agent"].null_count()

    def as_told(self, account: Accounting) -> bool:
        """Rows represent those of a whole group, so that there may be more or fewer of them."""
        return True

    def shuffled(self) -> pl.DataFrame:
        """The rows by time, as in any log, those of one second in a fresh order; addresses in a fresh order from 10.0.0.1 on."""
        known = self.frame["address"].unique(maintain_order=True).to_list()
        if len(known) > MOST_ADDRESSES:
            raise ShoalError(f"there are not {len(known):,} different private addresses", code="too-many-addresses")
        fresh = dict(zip(known, (fresh_order(len(known)) + 1).tolist(), strict=True))
        frame = self.frame[fresh_order(self.n_rows)].sort("time", maintain_order=True)
        return frame.with_columns(written_addresses(renumbered(frame["address"], fresh)))

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """One frame."""
        return {name: self.shuffled()}

    @property
    def random_orders(self) -> list[str]:
        """The addresses; lines have an order of their own."""
        return [ADDRESSES]

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """The pages that were requested from each address."""
        return {ADDRESSES: self.frame.select(pl.col("address").alias(NUMBER), pl.col("request").str.extract(PAGE).alias(VALUE))}

    def sorted_rows(self) -> Iterator[Sorted]:
        """The lines, by time."""
        yield Sorted(self.frame.select("time"), ["time"], "the lines of the log are not in the order of their times")


def written_addresses(numbers: pl.Series) -> pl.Series:
    """Numbers from 1 as addresses of the network 10.0.0.0/8: 1 is 10.0.0.1, 256 is 10.0.1.0."""
    number = pl.col("address")
    written = pl.format("10.{}.{}.{}", number // 65536, number // 256 % 256, number % 256)
    return pl.DataFrame({"address": numbers}).select(written.alias("address")).to_series()


def numbered_addresses(written: pl.Series) -> pl.Series | None:
    """The number of each address, where the different addresses are 10.0.0.1 and those that follow, each used; None otherwise."""
    different = written.unique()
    numbers = pl.Series("address", range(1, len(different) + 1), dtype=pl.Int64)
    fixed = written_addresses(numbers)
    if len(different) > MOST_ADDRESSES or not different.is_in(fixed.implode()).all():
        return None
    return written.replace_strict(fixed, numbers, return_dtype=pl.Int64)
