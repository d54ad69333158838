"""Access log: requests to a web server, under addresses that mean nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.tables import PublishedTable, fresh_order
from shoal.errors import ShoalError

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
    """Rows of an access log. `address` numbers the published addresses, which are drawn anew whenever the table is written.

    `size` may be null; `referrer` and `agent` are null in all rows of the common format, and in none of the combined one.
    """

    kind = "access log"

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != SCHEMA:
            raise ShoalError(f"an access log has the columns {', '.join(SCHEMA)}, not {dict(self.frame.schema)}")
        if self.frame.select("address", "time", "request", "status").null_count().row(0) != (0, 0, 0, 0):
            raise ShoalError("a row of an access log has no address, time, request or status")
        if self.frame["agent"].null_count() not in {0, len(self.frame)} or self.frame["referrer"].null_count() not in {0, len(self.frame)}:
            raise ShoalError("an access log is in the common or the combined format, not in both")

    @property
    def n_rows(self) -> int:
        """How many rows are written."""
        return len(self.frame)

    @property
    def combined(self) -> bool:
        """Whether rows have a referrer and a user agent."""
        return len(self.frame) > 0 and not self.frame["agent"].null_count()

    def as_told(self, account: Accounting) -> bool:
        """Rows stand for those of a whole group, so that there may be more or fewer of them."""
        return True

    def shuffled(self) -> pl.DataFrame:
        """The rows by time, as in any log, those of one second in a fresh order, under fresh addresses of the network 10.0.0.0/8."""
        known = self.frame["address"].unique()
        if len(known) > MOST_ADDRESSES:
            raise ShoalError(f"there are not {len(known):,} addresses to be had")
        drawn = np.random.default_rng().choice(MOST_ADDRESSES, len(known), replace=False).astype(np.int64) + 1
        frame = self.frame[fresh_order(self.n_rows)].sort("time", maintain_order=True)
        number = pl.col("address").replace_strict(known, pl.Series(drawn), return_dtype=pl.Int64)
        return frame.with_columns(pl.format("10.{}.{}.{}", number // 65536, number // 256 % 256, number % 256).alias("address"))

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """One frame."""
        return {name: self.shuffled()}
