"""WordNet 3.0's nouns as a taxonomy: 82,115 synsets under "entity", each with its first hypernym, and 117,798
nouns that name them.

In this tree a term means the first sense, which is the most frequent, of the noun it is a form of; `senses` has all senses
and all hypernyms. The data is embedded, built by `scripts/build_wordnet.py`; its licence is beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from shoal.data.bags import Small, Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.parameters import insist_on_text
from shoal.text.morphology import Morphology


@dataclass(frozen=True, eq=False)
class NounLexicon:
    """Finds the synset of a noun in any of its forms, by the noun's first sense."""

    morphology: Morphology
    first_sense: Small

    def nodes(self, terms: pl.Series) -> Small:
        """The node of each term, -1 where WordNet has no such noun."""
        places = self.morphology.find(terms)
        return np.where(places >= 0, self.first_sense[places], np.int32(-1))


def wordnet(loss: str = DEFAULT_LOSS) -> Taxonomy:
    """WordNet's nouns, under the named node loss."""
    insist_on_text("loss", loss)
    taxonomy = _nouns()
    return taxonomy if loss == taxonomy.loss_name else taxonomy.with_loss(loss)


def lemmas() -> pl.DataFrame:
    """Every noun: `lemma`, the `node` of its first sense, its number of `senses`, its `uses`, is it `proper`.

    Uses are those of the first sense in the texts that WordNet's makers tagged; most nouns have none. A
    proper noun is written with a capital in that sense.
    """
    return _table("lemmas")


def irregular_forms() -> pl.DataFrame:
    """Irregular plurals: `form` and `base`."""
    return _table("exceptions")


def further_senses() -> pl.DataFrame:
    """The senses of nouns beyond the first, in their order: `lemma`, a place in the table of lemmas, and `node`."""
    return _table("senses")


def further_hypernyms() -> pl.DataFrame:
    """The hypernyms of synsets beyond the first: `node` and `above`."""
    return _table("hypernyms")


def noun_places(terms: pl.Series) -> Small:
    """The place in the table of lemmas of the noun that each term is a form of, -1 where WordNet has none."""
    return _lexicon().morphology.find(terms)


def base_nouns(terms: pl.Series) -> pl.Series:
    """The noun that each term is a form of, null if WordNet has none: mouse for mice."""
    return _lexicon().morphology.lemmatized(terms)


@cache
def _lexicon() -> NounLexicon:
    lemmas = _table("lemmas", "lemma", "node")
    return NounLexicon(Morphology(lemmas["lemma"], irregular_forms()), lemmas["node"].to_numpy())


@cache
def _nouns() -> Taxonomy:
    nodes = _table("nodes")
    return Taxonomy(Vocabulary(nodes["name"]), nodes["parent"].to_numpy().copy(), _lexicon())


def _table(name: str, *columns: str) -> pl.DataFrame:
    data = files("shoal.taxonomy").joinpath("wordnet-data", f"{name}.parquet").read_bytes()
    return pl.read_parquet(data, columns=list(columns) or None)
