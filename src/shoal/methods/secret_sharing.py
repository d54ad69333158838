"""Secret sharing: a query can be decrypted once k people have issued it, and not before.

Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis. Every query is encrypted with its own secret, and
every person who issues it publishes a share of that secret (`shoal.keyed.secret_sharing`). Repeated queries of a person have the same
share. Guarantee: none is claimed, because a person's rows stay linked, and the frequency of a query is visible before it can be decrypted.
Time: O(rows) and O(k) multiplications per distinct pair of person and query.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import Ledger, changed, gone
from shoal.data.log import Log
from shoal.data.query_units import n_words
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible, InputError
from shoal.keyed.keys import SecretKey
from shoal.keyed.sealing import opened, sealed
from shoal.keyed.secret_sharing import PRIME, Polynomial, Share, point_of, secret_of
from shoal.methods.bases.log_rows import NO_QUERY, RemainingRows
from shoal.methods.bases.unguaranteed import UnguaranteedRows, names_of
from shoal.parameters import param

READABLE, SEALED = "readable with k shares", "sealed: fewer than k people"
X, Y = "x", "y"  # the columns of a share, in hexadecimal digits
DIGITS = 32


@dataclass(frozen=True)
class SecretSharing(UnguaranteedRows):
    """Encrypts queries and adds a share of the key to every row: the shares of k people together decrypt a query, fewer do not."""

    name = "secret-sharing"
    paper = 'Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis'
    does_not_protect = (
        "people of whom some queries are known, because a pseudonym links all their rows and times; how many people issued an "
        "undecryptable query, because equal queries look equal; a query that one person issued from k accounts; the length of a query, "
        "up to 32 bytes"
    )
    fates = {READABLE: "changed", SEALED: "changed"}  # noqa: RUF012 (never changed)
    own_columns = (X, Y)

    k: int = param(5, minimum=2, help="number of people whose shares decrypt a query")
    key: SecretKey | None = param(
        None, help="key file; the same key gives the same shares and decrypts every query (default: a random key)"
    )

    @property
    def not_protected(self) -> str:
        """What is unprotected; with a stored key, also everything from whoever obtains it."""
        return self.does_not_protect if self.key is None else f"{self.does_not_protect}; any query from an attacker who gets the key"

    @property
    def reads_names(self) -> bool:
        """Whether user IDs are needed: shares are equal in every release with the same key, so they are derived from the user ID."""
        return self.key is not None

    @property
    def deterministic(self) -> bool:
        """Whether the result is deterministic: only with a given key."""
        return self.key is not None

    def remaining(self, log: Log) -> RemainingRows:
        """Return every row with a query, encrypted and with a share."""
        columns = [name for name in ("owner", "time", "payload") if name in log.frame.columns]
        queries = log.frame.select(columns).with_row_index("row").filter(pl.col("payload") != "")
        people = queries.group_by("payload").agg(people=pl.col("owner").n_unique())
        shared = people.filter(pl.col("people") >= self.k)
        if not len(shared):
            raise Infeasible(
                f"no query was issued by {self.k:,} people or more: none could be read",
                code="nothing-to-publish",
                hint="lower k or use more data",
            )
        readable = queries.join(shared, on="payload", how="semi")
        outcomes = {
            READABLE: changed(len(readable)),
            SEALED: changed(len(queries) - len(readable)),
            NO_QUERY: gone(len(log) - len(queries)),
        }
        typed, opened_words = n_words(queries["payload"]), n_words(readable["payload"])
        words = Ledger(typed, {READABLE: changed(opened_words), SEALED: changed(typed - opened_words)})
        rows = queries.join(self._shares(queries, log), on=["owner", "payload"], how="left", maintain_order="left")
        frame = rows.select(*(name for name in columns if name != "payload"), X, Y, payload="sealed")
        return RemainingRows(Log(frame, log.kind), queries["row"].to_numpy().astype("int64"), outcomes, words=words)

    def _shares(self, queries: pl.DataFrame, log: Log) -> pl.DataFrame:
        """Return the encrypted query and the share of every person and query."""
        key = SecretKey.fresh() if self.key is None else self.key
        names = None if self.key is None else names_of(log)
        polynomials = {text: Polynomial.of_text(_encoded(text), self.k, key) for text in queries["payload"].unique().to_list()}
        covers = {text: sealed(text, polynomial.secret) for text, polynomial in polynomials.items()}
        made = []
        for owner, text in queries.select("owner", "payload").unique().iter_rows():
            person = _encoded(str(owner) if names is None else names[owner])
            share = polynomials[text].share_at(point_of(person, _encoded(text), key))
            made.append((owner, text, covers[text], f"{share.x:0{DIGITS}x}", f"{share.y:0{DIGITS}x}"))
        schema = {"owner": pl.Int64, "payload": pl.String, "sealed": pl.String, X: pl.String, Y: pl.String}
        return pl.DataFrame(made, schema=schema, orient="row")

    def decoded(self, release: Release) -> pl.DataFrame:
        """Return the queries that k shares decrypt, with the numbers of different shares and of rows, the most shared first."""
        table = release.only(RowTable)
        if not {X, Y} <= table.columns.keys():
            raise InputError(f"the rows have no columns {X!r} and {Y!r} of shares", code="missing-column")
        rows = table.frame.select(pl.col(table.unit).alias("query"), X, Y)
        groups = rows.group_by("query").agg(pl.struct(X, Y).unique().alias("shares"), rows=pl.len().cast(pl.Int64))
        found = [
            (text, len(shares), n)
            for cover, shares, n in groups.iter_rows()
            if (text := self._opened(cover, [share for share in map(_share, shares) if share is not None])) is not None
        ]
        schema = {"query": pl.String, "people": pl.Int64, "rows": pl.Int64}
        return pl.DataFrame(found, schema=schema, orient="row").sort("people", "rows", "query", descending=[True, True, False])

    def _opened(self, cover: str, shares: list[Share]) -> str | None:
        """Decrypt a query with these shares; None if there are fewer than k, or if the rows were changed."""
        points = {share.x: share for share in sorted(shares)}
        return opened(cover, secret_of(list(points.values())[: self.k])) if len(points) >= self.k else None


def _share(written: dict[str, str]) -> Share | None:
    """Parse a share; None if it is invalid."""
    try:
        x, y = int(written[X], 16), int(written[Y], 16)
    except (TypeError, ValueError):
        return None
    return Share(x, y) if 0 < x < PRIME and 0 <= y < PRIME else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
