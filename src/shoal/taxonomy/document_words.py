"""The words of documents in a taxonomy: which words it knows, and which terms have several words."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.data.bags import Small
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.ontology import ConceptLexicon
from shoal.taxonomy.wordnet import lemmas, noun_places
from shoal.text.phrases import PhraseFinder


@dataclass(frozen=True, eq=False)
class DocumentWords:
    """The words of a taxonomy, None for WordNet. A word of a tree from a file is the name of a node, one of an ontology is a label."""

    taxonomy: Taxonomy | None = None

    @property
    def name(self) -> str:
        """What a message calls the taxonomy."""
        return "WordNet" if self.taxonomy is None else "the taxonomy"

    @property
    def known(self) -> pl.Series:
        """All words that it knows."""
        if self.taxonomy is None:
            return lemmas()["lemma"]
        lexicon = self.taxonomy.lexicon
        return lexicon.folded.names if isinstance(lexicon, ConceptLexicon) else self.taxonomy.names.names

    def places(self, terms: pl.Series) -> Small:
        """Return the number of the word that each term, in lower case, is or is a form of; -1 if there is none."""
        if self.taxonomy is None:
            return noun_places(terms)
        lexicon = self.taxonomy.lexicon
        return lexicon.places(terms) if isinstance(lexicon, ConceptLexicon) else self.taxonomy.names.codes(terms)

    def phrases(self) -> PhraseFinder | None:
        """Return a finder of terms of several words; None if words are looked up one by one."""
        lexicon = None if self.taxonomy is None else self.taxonomy.lexicon
        return lexicon.phrases() if isinstance(lexicon, ConceptLexicon) else None
