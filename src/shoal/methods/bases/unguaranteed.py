"""The base of methods that publish rows and guarantee nothing: remedies of the past, kept to be compared with and attacked.

They run only where their user asks for no guarantee. A key makes the tokens of two releases the same; without one a key is drawn for the
run and forgotten.
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
    """A method of rows that makes no claim, and says what it does not protect.

    It publishes no further columns of the log; `own_columns` are those of its own, after the payload.
    """

    must_tell = ("name", "paper", "does_not_protect")
    guarantees_nothing = True
    ledgers = ("words",)
    does_not_protect: ClassVar[str]
    own_columns: ClassVar[tuple[str, ...]] = ()
    varies = "the key is random and was not stored: no other release can have the same tokens"

    def columns_of(self, table: str) -> Slots:
        """People, unless they are left out, times where the log has them, the payload, and what is the method's own."""
        own = tuple((name,) for name in self.own_columns)
        return (*(((USER,),) if self.links_people else ()), ("time", ""), tuple(PAYLOAD.values()), *own)

    def claims(self) -> tuple[Model, ...]:
        """None."""
        return ()


def names_of(log: Log) -> pl.Series:
    """The names of people, which a key needs: numbers of people are those of one run."""
    if log.names is None:
        raise ParameterError(
            "a key hashes user IDs, but this log was read without them",
            code="missing-user",
            hint="a key needs a query log, a table or prompts, as a file or frame",
        )
    return log.names


def part_tokens(log: Log, parts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """A token for each row: of the name of its person, and of the place of its part among the person's, as parts are numbered in order."""
    names = names_of(log)
    rows = pl.DataFrame({"owner": log.frame["owner"], "part": parts})
    place = rows.with_columns(place=pl.col("part") - pl.col("part").min().over("owner")).select("part", "owner", "place")
    different = place.unique("part")
    tokens = [token_of(f"{at} {names[owner]}", key, purpose) for _, owner, at in different.iter_rows()]
    return parts.replace_strict(different["part"], tokens, return_dtype=pl.String)
