"""From texts to document vectors (Abril, Navarro-Arribas and Torra, MDAI 2010): the most frequent nouns of WordNet with relative weights.

Stop words, words shorter than three letters and words that WordNet does not have as nouns are left out and counted; the last are kept
as terms of their own where that is requested. A word counts as the noun it is a form of: mice as mouse. With another taxonomy, terms are
the words that it has; a label of several words is one term.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.accounting import Ledger, changed, gone, kept
from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.original import NOT_IN_TAXONOMY, ONLY_STOP_WORDS, SHORT_WORDS, UNKNOWN_KEPT, DocumentOriginal
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, option
from shoal.taxonomy.document_words import DocumentWords
from shoal.taxonomy.place_terms import Unknown
from shoal.text.terms import in_one_case, is_stop_word, terms_of
from shoal.util.wording import counted

SHORTEST = 3  # letters


def document_vectors(
    texts: pl.Series, owners: Ints, most_terms: int, unknown: Unknown = "drop", taxonomy: Taxonomy | None = None
) -> DocumentOriginal:
    """Return the vector of each text in WordNet or another taxonomy; among equally frequent terms, the first by name are taken."""
    known = DocumentWords(taxonomy)
    found = terms_of(texts, keep_stop_words=True, as_typed=True, phrases=known.phrases())
    words = _sorted_out(found.vocabulary.names, unknown, known)
    occurrences = np.bincount(found.items, minlength=len(words))
    if unknown == "refuse" and (words["fate"] == "unknown").any():
        missing = int(occurrences[(words["fate"] == "unknown").to_numpy()].sum())
        raise InputError(
            f"{known.name} lacks {counted(missing, 'word')} of these documents",
            code="terms-not-in-taxonomy",
            hint=f"{option('unknown', 'drop')} leaves them out",
        )
    vocabulary = Vocabulary(words["term"].drop_nulls().unique().sort())
    codes = vocabulary.codes(words["term"].fill_null(""))
    whole = Bags.from_rows(found.indptr, codes[found.items], np.ones(len(found.items), np.int32), vocabulary, owners)
    vectors = _most_frequent(whole, most_terms)
    ledger = _account(words, occurrences, found.stopped, unknown)
    return DocumentOriginal(
        vectors, known.places(vocabulary.names), whole.lengths, ledger, most_terms, whole.occurrences - vectors.occurrences, taxonomy
    )


def _sorted_out(typed: pl.Series, unknown: Unknown, known: DocumentWords) -> pl.DataFrame:
    """For each different word its fate, and the term it counts as; null if it is left out."""
    lower = in_one_case(typed)
    places = known.places(lower)
    noun = known.known.gather(pl.Series(places).set(pl.Series(places < 0), None))
    fate = (
        pl.when(is_stop_word(lower)).then(pl.lit("stop"))
        .when(lower.str.len_chars() < SHORTEST).then(pl.lit("short"))
        .when(noun.is_null()).then(pl.lit("unknown"))
        .when(noun == typed).then(pl.lit("typed"))
        .when(noun == lower).then(pl.lit("lower"))
        .otherwise(pl.lit("renamed"))
    )  # fmt: skip
    words = pl.select(fate.alias("fate"), lower.alias("lower"), noun.alias("noun"))
    left_out = pl.col("fate").is_in(["stop", "short", *([] if unknown == "keep" else ["unknown"])])
    return words.with_columns(term=pl.when(~left_out).then(pl.coalesce("noun", "lower")))


def _account(words: pl.DataFrame, occurrences: Ints, single: int, unknown: Unknown) -> Ledger:
    """Return the outcome of all words; `single` letters were left out before."""
    n = {fate: int(occurrences[(words["fate"] == fate).to_numpy()].sum()) for fate in words["fate"].unique()}
    unknown_terms = n.get("unknown", 0)
    parts = {
        "unchanged": kept(n.get("typed", 0)),
        "lower-cased": changed(n.get("lower", 0)),
        "under another name": changed(n.get("renamed", 0)),
        UNKNOWN_KEPT: kept(unknown_terms if unknown == "keep" else 0),
        NOT_IN_TAXONOMY: gone(0 if unknown == "keep" else unknown_terms),
        ONLY_STOP_WORDS: gone(n.get("stop", 0)),
        SHORT_WORDS: gone(n.get("short", 0) + single),
    }
    return Ledger(sum(part.n for part in parts.values()), parts)


def _most_frequent(bags: Bags, most: int) -> Bags:
    """Return the documents with their most frequent terms alone."""
    document = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    order = np.lexsort((bags.items, -bags.counts.astype(np.int64), document))
    rank = np.arange(len(order)) - bags.indptr[document[order]]
    chosen: npt.NDArray[np.bool_] = np.zeros(len(order), bool)
    chosen[order[rank < most]] = True
    indptr = np.concatenate([[0], np.cumsum(np.bincount(document[chosen], minlength=len(bags)))])
    items: Small = bags.items[chosen]
    return Bags.from_rows(indptr, items, bags.counts[chosen], bags.vocabulary, bags.owners)
