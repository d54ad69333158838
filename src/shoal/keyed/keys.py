"""A secret key as a parameter: read from a file, or drawn from the operating system for one run and never written.

Everything is derived from a key by `SecretKey.code`: keyed BLAKE2b, with the purpose as its personalization, so that codes for one purpose
disclose nothing about those for another. A file of any length is first hashed to a key of 64 bytes with SHA-512.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from shoal.errors import ParameterError
from shoal.parameters import Written

if TYPE_CHECKING:
    import polars as pl

SHORTEST, LONGEST = 16, 1 << 20  # bytes of a key file
MADE = "openssl rand -hex 32 > FILE makes one"


@dataclass(frozen=True)
class SecretKey(Written):
    """A key in a file, which `shoal.io.read.parameter_files` reads, or in memory. Its bytes are never shown."""

    forms: ClassVar[str] = "FILE"

    file: str | None = field(default=None, repr=False)
    secret: bytes | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the path of a file."""
        return cls(file=text)

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Reject any other value without showing it, because it may be a key."""
        raise ParameterError("a key must be the path of a file", code="wrong-type")

    @classmethod
    def of_bytes(cls, content: bytes) -> Self:
        """Make a key from the content of a file. Raise if it could be guessed."""
        if not SHORTEST <= len(content) <= LONGEST:
            raise ParameterError(f"a key has at least {SHORTEST} bytes and at most {LONGEST:,}", code="invalid-key-length", hint=MADE)
        return cls(secret=hashlib.sha512(content).digest())

    @classmethod
    def fresh(cls) -> Self:
        """Draw a key from the operating system's entropy."""
        return cls(secret=secrets.token_bytes(64))

    def code(self, purpose: bytes, *parts: bytes) -> bytes:
        """Return 64 pseudo-random bytes: a function of the key, the purpose and the parts."""
        if self.secret is None:
            raise ParameterError(
                "the file of the key was not read", code="file-not-read", hint="shoal.io.read.parameter_files.with_files_read reads it"
            )
        found = hashlib.blake2b(key=self.secret, person=purpose)
        for part in parts:
            found.update(len(part).to_bytes(8, "big") + part)
        return found.digest()

    @property
    def described(self) -> str:
        """Return the manifest entry: neither the key nor its location."""
        return "from a file"

    def __str__(self) -> str:
        return self.described


# -- tokens: equal texts have equal tokens; nobody without the key can compute one, or test guesses


BYTES = 16  # two of a billion texts get one token with a chance below 1e-20
WORD = r"[\p{L}\p{M}\p{N}]+"


def token_of(text: str, key: SecretKey, purpose: bytes) -> str:
    """Return the token of one text, in hexadecimal digits."""
    return key.code(purpose, text.encode("utf-8", "surrogatepass"))[:BYTES].hex()


def hashed(texts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """Replace every text by a token; an empty text stays empty."""
    import polars as pl

    different = texts.unique()
    tokens = [token_of(text, key, purpose) if text else "" for text in different.to_list()]
    return texts.replace_strict(different, tokens, return_dtype=pl.String)


def words_in(texts: pl.Series) -> pl.Series:
    """Return the words of each text that get a token each, in order."""
    return texts.str.normalize("NFKC").str.to_lowercase().str.extract_all(WORD)


def hashed_words(texts: pl.Series, key: SecretKey, purpose: bytes) -> pl.Series:
    """Replace every text by the tokens of its words in order: runs of letters and digits, ignoring case and form."""
    import polars as pl

    rows = pl.DataFrame({"row": pl.int_range(len(texts), eager=True), "word": words_in(texts)}).explode("word").drop_nulls()
    joined = rows.with_columns(hashed(rows["word"], key, purpose).alias("word")).group_by("row").agg(pl.col("word").str.join(" "))
    all_rows = pl.DataFrame({"row": pl.int_range(len(texts), eager=True)})
    return all_rows.join(joined, on="row", how="left", maintain_order="left")["word"].fill_null("")
