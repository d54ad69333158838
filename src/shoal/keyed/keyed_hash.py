"""Tokens: texts replaced by keyed codes, the same text by the same token. Nobody without the key can compute one, or try guesses."""

from __future__ import annotations

import polars as pl

from shoal.keyed.keys import SecretKey

BYTES = 16  # two of a billion texts get one token with a chance below 1e-20
WORD = r"[\p{L}\p{M}\p{N}]+"


def token_of(text: str, key: SecretKey, purpose: bytes) -> str:
    """The token of one text, in hexadecimal digits."""
    return key.code(purpose, text.encode("utf-8", "surrogatepass"))[:BYTES].hex()


def hashed(texts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """A token in place of every text; an empty text stays empty."""
    different = texts.unique()
    tokens = [token_of(text, key, purpose) if text else "" for text in different.to_list()]
    return texts.replace_strict(different, tokens, return_dtype=pl.String)


def words_in(texts: pl.Series) -> pl.Series:
    """The words of each text that get a token each, in their order."""
    return texts.str.normalize("NFKC").str.to_lowercase().str.extract_all(WORD)


def hashed_words(texts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """Every text as the tokens of its words in their order: runs of letters and digits, whose capitals and forms do not count."""
    rows = pl.DataFrame({"row": pl.int_range(len(texts), eager=True), "word": words_in(texts)}).explode("word").drop_nulls()
    joined = rows.with_columns(hashed(rows["word"], key, purpose).alias("word")).group_by("row").agg(pl.col("word").str.join(" "))
    all_rows = pl.DataFrame({"row": pl.int_range(len(texts), eager=True)})
    return all_rows.join(joined, on="row", how="left", maintain_order="left")["word"].fill_null("")
