"""WordNet 3.0's nouns as a taxonomy: 82,115 synsets under "entity", each with its first hypernym, and 117,798
nouns that name them.

In this tree a term means the first sense, which is the most frequent, of the noun it is a form of; `senses` has all senses
and all hypernyms. The data is embedded, built by `scripts/build_wordnet.py`; its licence is next to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files

import numpy as np
import polars as pl

from shoal.data.bags import Small, Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.parameters import insist_on_flag, insist_on_text
from shoal.text.phrases import PhraseFinder, PhraseList
from shoal.text.terms import is_stop_word

# -- noun morphology: from a word as people write it to the noun in the list, over whole columns of distinct terms
#
# A term is looked up as it is; then by the irregular forms; then by the endings of regular plurals; a term of several words at last
# word by word. The first form that is a noun of the list wins. As in WordNet, a spelling also matches with its spaces turned to hyphens,
# its hyphens turned to spaces, or both or its full stops taken out: "hip hop", "hip_hop" and "hip-hop" are one noun.


DETACHMENTS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
# Of verbs and of adjectives, in WordNet's order.
OTHER_ENDINGS = (
    ("s", ""),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)
# Nouns of several words that a text has as runs of letters and digits: with spaces or with hyphens, not with both.
PHRASE = r"^[a-z0-9]+( [a-z0-9]+)+$|^[a-z0-9]+(-[a-z0-9]+)+$"
FEW_FORMS = 1 << 12  # for which a search in the sorted list is faster than a join
# WordNet takes no ending off words this short, nor off those that end in a double s.
SHORTEST_PLURAL = 3

RESPELLINGS = [
    pl.col("form").str.replace_all(" ", "-", literal=True),
    pl.col("form").str.replace_all("-", " ", literal=True),
    pl.col("form").str.replace_all("[ -]", ""),
    pl.col("form").str.replace_all(".", "", literal=True),
]


@dataclass(frozen=True, eq=False)
class Morphology:
    """A list of nouns, in lower case with spaces between words, and its irregular forms.

    The exceptions have the columns `form` and `base`; of several bases of a form the better comes first. `endings` are those of regular
    forms, with what takes their place.
    """

    lemmas: pl.Series
    exceptions: pl.DataFrame
    endings: Sequence[tuple[str, str]] = DETACHMENTS

    def find(self, terms: pl.Series) -> Small:
        """Return the place in the list of the noun that each term is a form of, -1 where there is none."""
        found = np.full(len(terms), -1, np.int32)
        written = _tidied(terms).rename("form")
        pending = pl.DataFrame({"form": written}).with_row_index("term").drop_nulls()
        for look_up in (self._as_written, self._respelled, self._inflected, self._word_by_word):
            if pending.is_empty():
                break
            best = look_up(pending)
            found[best["term"].to_numpy()] = best["place"].to_numpy()
            pending = pending.join(best, on="term", how="anti")
        return found

    def lemmatized(self, terms: pl.Series) -> pl.Series:
        """Return the noun that each term is a form of, null if there is none."""
        places = pl.Series(self.find(terms))
        return self.lemmas.gather(places.set(places < 0, None))

    def bases(self, terms: pl.Series) -> pl.Series:
        """Return the noun that each term is an inflected form of, null if there is none, whether or not the term is a noun itself."""
        pending = pl.DataFrame({"form": _tidied(terms)}).with_row_index("term").drop_nulls()
        best = self._inflected(pending)
        return pl.Series(self.lemmas.gather(best["place"])).extend_constant(None, 1).gather(_places(best["term"], len(terms)))

    @cached_property
    def _list(self) -> pl.DataFrame:
        return pl.DataFrame({"form": self.lemmas, "place": np.arange(len(self.lemmas), dtype=np.int32)})

    @cached_property
    def _sorted(self) -> bool:
        return self.lemmas.is_sorted()

    def _listed(self, forms: pl.DataFrame) -> pl.DataFrame:
        """Return the rows whose form is in the list, with its place there. A join reads the whole list, so few forms are searched in it."""
        if len(forms) > FEW_FORMS or not self._sorted:
            return forms.join(self._list, on="form")
        place = self.lemmas.search_sorted(forms["form"]).clip(0, len(self.lemmas) - 1).cast(pl.Int32).alias("place")
        return forms.hstack([place]).filter(self.lemmas.gather(place) == forms["form"])

    def _as_written(self, pending: pl.DataFrame) -> pl.DataFrame:
        return self._listed(pending).select("term", "place")

    def _respelled(self, pending: pl.DataFrame) -> pl.DataFrame:
        return self._first_listed(_ranked(pending.lazy()))

    def _first_listed(self, candidates: pl.LazyFrame) -> pl.DataFrame:
        """Of each term's candidates, by their rank and then by their spelling, the first in the list."""
        spelled = candidates.collect().with_columns(spelling=pl.lit(0))
        divided = spelled.filter(spelled["form"].str.contains("[ .-]")).lazy()
        respelled = [divided.with_columns(respelling, spelling=pl.lit(i)) for i, respelling in enumerate(RESPELLINGS, start=1)]
        listed = self._listed(pl.concat([spelled.lazy(), *respelled]).collect())
        return listed.sort("term", "rank", "spelling").unique("term", keep="first").select("term", "place")

    def _inflected(self, pending: pl.DataFrame) -> pl.DataFrame:
        irregular = pending.lazy().join(self._irregular.lazy(), on="form").select("term", form="base", rank="rank")
        regular = _detached(pending.lazy(), self.endings, first_rank=len(self.exceptions))
        return self._first_listed(pl.concat([irregular, regular]))

    @cached_property
    def _irregular(self) -> pl.DataFrame:
        return self.exceptions.with_columns(rank=pl.int_range(pl.len(), dtype=pl.Int32))

    def _word_by_word(self, pending: pl.DataFrame) -> pl.DataFrame:
        phrases = pending.filter(pl.col("form").str.contains("[^ -][ -]+[^ -]"))
        words = phrases.select("term", form=pl.col("form").str.extract_all("[^ -]+")).explode("form")
        if words.is_empty():
            return pl.DataFrame(schema={"term": pl.UInt32, "place": pl.Int32})
        distinct = words["form"].unique()
        bases = pl.DataFrame({"form": distinct, "base": self.lemmatized(distinct)})
        single = words.join(bases, on="form", how="left", maintain_order="left")
        phrase = pl.coalesce("base", "form").str.join(" ").alias("form")
        return self._first_listed(_ranked(single.lazy().group_by("term", maintain_order=True).agg(phrase)))


def _places(terms: pl.Series, n: int) -> Small:
    """For each of n terms the place in this list of terms, the last place plus one for those that are not in it."""
    found = np.full(n, len(terms), np.int32)
    found[terms.to_numpy()] = np.arange(len(terms), dtype=np.int32)
    return found


def _tidied(terms: pl.Series) -> pl.Series:
    """Lower case, one space between words."""
    return terms.cast(pl.String).str.to_lowercase().str.replace_all(r"[_\s]+", " ").str.strip_chars(" ")


def _ranked(forms: pl.LazyFrame) -> pl.LazyFrame:
    return forms.select("term", "form", rank=pl.lit(0, pl.Int32))


def _detached(pending: pl.LazyFrame, endings: Sequence[tuple[str, str]], first_rank: int) -> pl.LazyFrame:
    """Return the forms left by taking each ending off, those of "-ful" nouns from before it: boxesful, boxful."""
    has_ful = pl.col("form").str.ends_with("ful")
    parts = pending.select(
        "term",
        stem=pl.col("form").str.strip_suffix("ful"),
        tail=pl.when(has_ful).then(pl.lit("ful")).otherwise(pl.lit("")),
    )
    unlikely = pl.col("stem").str.ends_with("ss") | (pl.col("stem").str.len_chars() < SHORTEST_PLURAL)
    plural = parts.filter((pl.col("tail") != "") | ~unlikely)
    base = {
        str(rank): pl.when(pl.col("stem").str.ends_with(ending)).then(
            pl.col("stem").str.strip_suffix(ending) + pl.lit(instead) + pl.col("tail")
        )
        for rank, (ending, instead) in enumerate(endings, start=first_rank)
    }
    forms = plural.select("term", **base).unpivot(index="term", variable_name="rank", value_name="form").drop_nulls("form")
    return forms.select("term", "form", pl.col("rank").cast(pl.Int32))


# -- the taxonomy


@dataclass(frozen=True, eq=False)
class NounLexicon:
    """Finds the synset of a noun in any of its forms, by the noun's first sense.

    With `related`, adjectives, verbs and adverbs that are no nouns are found by the noun that WordNet derives from them, or them from it.
    """

    morphology: Morphology
    first_sense: Small
    related: bool = False

    def nodes(self, terms: pl.Series) -> Small:
        """Return the node of each term, -1 where WordNet has no such noun."""
        places = self.morphology.find(terms)
        if self.related:
            places = np.where(places >= 0, places, related_places(terms))
        return np.where(places >= 0, self.first_sense[places], np.int32(-1))


def wordnet(loss: str = DEFAULT_LOSS, *, related: bool = False) -> Taxonomy:
    """Return the taxonomy of WordNet's nouns, which is part of the package.

    Args:
        loss: The loss function of nodes: "information", "lm", "height" or "people".
        related: Whether words that are no nouns are placed like the noun they are derived from, such as *pregnant* like *pregnancy*.

    Returns:
        A `Taxonomy`, for the argument `taxonomy` of `shoal.anonymize`.

    Raises:
        ParameterError: An argument has a wrong type, or no loss function has this name.

    Example:
        >>> nouns = shoal.wordnet()
        >>> "guitar" in nouns.names
        True
    """
    insist_on_text("loss", loss)
    insist_on_flag("related", related)
    taxonomy = _nouns(related)
    return taxonomy if loss == taxonomy.loss_name else taxonomy.with_loss(loss)


def lemmas() -> pl.DataFrame:
    """Return every noun: `lemma`, the `node` of its first sense, its number of `senses`, its `uses`, is it `proper`.

    Uses are those of the first sense in the texts that WordNet's makers tagged; most nouns have none. A
    proper noun is written with a capital in that sense.
    """
    return _table("lemmas")


def irregular_forms() -> pl.DataFrame:
    """Irregular plurals: `form` and `base`."""
    return _table("exceptions")


def further_senses() -> pl.DataFrame:
    """Return the senses of nouns beyond the first, in their order: `lemma`, a place in the table of lemmas, and `node`."""
    return _table("senses")


def further_hypernyms() -> pl.DataFrame:
    """Return the hypernyms of synsets beyond the first: `node` and `above`."""
    return _table("hypernyms")


def noun_places(terms: pl.Series) -> Small:
    """Return the place in the table of lemmas of the noun that each term is a form of, -1 where WordNet has none."""
    return _lexicon().morphology.find(terms)


def base_nouns(terms: pl.Series) -> pl.Series:
    """Return the noun that each term is a form of, null if WordNet has none: mouse for mice."""
    return _lexicon().morphology.lemmatized(terms)


def related_places(terms: pl.Series) -> Small:
    """Return the place of the noun that WordNet relates each adjective, verb or adverb to, as pregnancy to pregnant; -1 where there is
    none.
    """
    words, place = _related()
    found = words.find(terms)
    return np.where(found >= 0, place[found], np.int32(-1))


def phrase_finder() -> PhraseFinder:
    """Return a finder of WordNet's nouns of several words, such as hot dog or hip-hop; the last word may be in the plural."""
    return PhraseFinder(_phrases())


@cache
def _phrases() -> PhraseList:
    written = _lexicon().morphology.lemmas
    listed = pl.DataFrame({"noun": written}).filter(pl.col("noun").str.contains(PHRASE))
    words = listed.select(pl.col("noun").str.replace_all("-", " ", literal=True).unique()).to_series().sort()
    parts = words.str.split(" ")
    longest = parts.list.eval(pl.element().str.len_chars()).list.max()
    phrases = words.filter(~is_stop_word(parts.list.first()) & ~is_stop_word(parts.list.last()) & (longest > 1))
    forms = Morphology(phrases.str.split(" ").list.last().unique().sort(), irregular_forms())
    return PhraseList(phrases, forms.bases, is_stop_word)


@cache
def _related() -> tuple[Morphology, Small]:
    table = _table("related")
    return Morphology(table["word"], _table("related_forms"), OTHER_ENDINGS), table["lemma"].to_numpy()


@cache
def _lexicon() -> NounLexicon:
    lemmas = _table("lemmas", "lemma", "node")
    return NounLexicon(Morphology(lemmas["lemma"], irregular_forms()), lemmas["node"].to_numpy())


@cache
def _nouns(related: bool) -> Taxonomy:
    nodes = _table("nodes")
    return Taxonomy(Vocabulary(nodes["name"]), nodes["parent"].to_numpy().copy(), replace(_lexicon(), related=related))


def _table(name: str, *columns: str) -> pl.DataFrame:
    data = files("shoal.taxonomy").joinpath("wordnet-data", f"{name}.parquet").read_bytes()
    return pl.read_parquet(data, columns=list(columns) or None)
