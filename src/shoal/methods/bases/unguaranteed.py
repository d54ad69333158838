"""Base of methods that publish rows without a guarantee: historical approaches, for comparison and for attacks.

They run only on explicit request. With a key, the tokens of two releases are equal; without one, a random key is used and discarded.
"""

from __future__ import annotations

from typing import ClassVar

import polars as pl

from shoal.data.claims import Model
from shoal.data.log import Log
from shoal.data.tables.column_types import Slots
from shoal.data.tables.rows import PAYLOAD
from shoal.errors import ParameterError
from shoal.keyed.keys import SecretKey, token_of
from shoal.methods.bases.log_rows import USER, RowsMethod


class UnguaranteedRows(RowsMethod):
    """A method that publishes rows, makes no claim, and states what it does not protect.

    It publishes no further columns of the log; `own_columns` are its own, after the payload.
    """

    required_texts = ("name", "paper", "does_not_protect")
    guarantees_nothing = True
    ledgers = ("words",)
    does_not_protect: ClassVar[str]
    own_columns: ClassVar[tuple[str, ...]] = ()
    varies = "the key is random and was not stored: no other release can have the same tokens"

    def columns_of(self, table: str) -> Slots:
        """Return the users unless they are left out, times if the log has them, the payload, and the method's own columns."""
        own = tuple((name,) for name in self.own_columns)
        return (*(((USER,),) if self.links_people else ()), ("time", ""), tuple(PAYLOAD.values()), *own)

    def claims(self) -> tuple[Model, ...]:
        """Claim nothing."""
        return ()


def names_of(log: Log) -> pl.Series:
    """Return the user IDs, which a key needs: user numbers are those of one run."""
    if log.names is None:
        raise ParameterError(
            "a key hashes user IDs, but this log was read without them",
            code="missing-user",
            hint="a key needs a query log, a table or prompts, as a file or frame",
        )
    return log.names


def part_tokens(log: Log, parts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """Return a token for each row, from the user ID and the index of its part among the person's parts."""
    names = names_of(log)
    rows = pl.DataFrame({"owner": log.frame["owner"], "part": parts})
    place = rows.with_columns(place=pl.col("part") - pl.col("part").min().over("owner")).select("part", "owner", "place")
    different = place.unique("part")
    tokens = [token_of(f"{at} {names[owner]}", key, purpose) for _, owner, at in different.iter_rows()]
    return parts.replace_strict(different["part"], tokens, return_dtype=pl.String)
