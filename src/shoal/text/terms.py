"""From texts to terms: words in lower case, without stop words and single letters, as numbers of a
vocabulary.

Words are runs of letters and digits. Texts within ASCII, which are nearly all of a log, go to the kernel as
they are; in the others full-width and composed letters are first brought to one form and every character that
is no part of a word becomes a space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.text.stopwords import is_stop_word

SHORTEST = 2
AT_ONCE = 1 << 21  # texts that are split together: what that takes beside its answer stays small however long the log
NO_WORD = r"[^\p{L}\p{M}\p{N}]+"


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of each text in their order: text i has `items[indptr[i]:indptr[i+1]]`.

    `stopped` counts the occurrences of words that were left out.
    """

    indptr: Ints
    items: Small
    vocabulary: Vocabulary
    stopped: int

    def __len__(self) -> int:
        return len(self.indptr) - 1


def terms_of(texts: pl.Series, *, keep_stop_words: bool = False, as_typed: bool = False) -> Terms:
    """The terms of each text; a null text has none. Single letters, mostly left by apostrophes, always go.

    With `as_typed` words keep their case and form.
    """
    interner = _kernels.Interner()
    plain = without_foreign_marks(texts, as_typed=as_typed)
    pieces = [
        kernels.run(interner.words, piece.__arrow_c_stream__(), 1, not as_typed, kernels.threads(), label="splitting words")
        for piece in (plain.slice(start, AT_ONCE) for start in range(0, max(1, len(plain)), AT_ONCE))
    ]
    words = pl.Series("item", interner.strings(), dtype=pl.String)
    kept = words.str.len_chars() >= SHORTEST
    if not keep_stop_words:
        kept &= ~is_stop_word(in_one_case(words) if as_typed else words)
    return _only(pieces, words, kept)


def in_one_case(words: pl.Series) -> pl.Series:
    """The words in lower case, full-width and composed letters in one form."""
    return words.str.normalize("NFKC").str.to_lowercase()


def without_foreign_marks(texts: pl.Series, *, as_typed: bool = False) -> pl.Series:
    """Texts beyond ASCII with spaces for what is no part of a word, in one form and in lower case unless `as_typed`; others as they are."""
    plain = texts.cast(pl.String).rename("text")
    foreign = (plain.str.len_bytes() != plain.str.len_chars()).fill_null(False)
    if foreign.any():
        found = plain.filter(foreign)
        spaced = (found if as_typed else found.str.normalize("NFKC")).str.replace_all(NO_WORD, " ")
        spaced = spaced if as_typed else spaced.str.to_lowercase()
        plain = plain.scatter(foreign.arg_true(), spaced)
    return plain


def _only(pieces: list[tuple[Ints, Small]], words: pl.Series, kept: pl.Series) -> Terms:
    """The rows of all pieces over the kept words alone; a piece is let go before the next is looked at."""
    mask = kept.to_numpy()
    renumbered = np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int32)
    starts, items, before, found = [np.zeros(1, np.int64)], [], 0, 0
    for at in range(len(pieces)):
        (indptr, every), pieces[at] = pieces[at], (starts[0], np.zeros(0, np.int32))
        ends, left = kernels.run(_kernels.renamed_rows, indptr, every, renumbered)
        starts.append(ends[1:] + before)
        items.append(left)
        before, found = before + len(left), found + len(every)
    whole = np.concatenate(starts)
    starts.clear()
    return Terms(whole, np.concatenate(items), Vocabulary(words.filter(kept)), found - before)
