"""Terms of texts: lower-case words without stop words and single letters, as numbers of a vocabulary.

Words are runs of letters and digits. ASCII texts, nearly all of a log, go to the kernel unchanged; in the others full-width and composed
letters are first normalized, and every character outside of words becomes a space.

Stop words are English function words, and fragments of URLs. WordNet lists many of them as nouns ("a" is a unit of length, "in" an inch,
"who" an agency, "be" a metal, "does" the plural of doe), so they are removed before nouns are looked up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.text.domains import SEPARATOR, DomainFinder
from shoal.text.joined_words import Mask, apply_joins, same_text
from shoal.text.phrases import PhraseFinder

# -- stop words


_GROUPS = {
    "articles and determiners": """
        a an the this that these those some any each every either neither no another other others such all
        both half few fewer fewest many more most much little less least several enough own same certain
        various
    """,
    "pronouns": """
        i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
        she her hers herself it its itself they them their theirs themselves one ones oneself someone
        somebody something anyone anybody anything everyone everybody everything nobody nothing none who
        whom whose whoever what whatever which whichever
    """,
    "prepositions and particles": """
        about above across after against along alongside amid among amongst around as at before behind below
        beneath beside besides between beyond by despite down during except for from in inside into like
        minus near of off on onto opposite out outside over past per plus regarding round since than through
        throughout till to toward towards under underneath unlike until up upon versus via vs with within
        without
    """,
    "conjunctions": """
        and but or nor so yet if because although though unless whereas whether while whilst lest once
    """,
    "auxiliary verbs": """
        am is are was were be been being have has had having do does did doing done can could may might must
        shall should will would ought need dare
    """,
    "adverbs": """
        again ago almost already also always anyway anywhere away back else ever everywhere far hence here
        how however indeed instead just maybe meanwhile moreover never nevertheless not now nowhere often
        only otherwise perhaps quite rather really seldom somehow sometimes somewhat somewhere soon still
        then thence there thereby therefore thus together too very well when whence whenever where whereby
        wherein wherever why yes
    """,
    "what an apostrophe leaves": """
        ain aren arent couldn couldnt didn didnt doesn doesnt don dont hadn hadnt hasn hasnt haven havent
        isn isnt ll mustn re shouldn shouldnt ve wasn wasnt weren werent won wont wouldn wouldnt
    """,
    "what the web leaves": """
        www www1 www2 ww wwww http https ftp com comm org net edu gov co uk html htm shtml php asp aspx jsp
        cgi url dot
    """,
}

STOP_WORDS: frozenset[str] = frozenset(word for group in _GROUPS.values() for word in group.split())


def is_stop_word(words: pl.Series) -> pl.Series:
    """Return whether each lower-case word is a stop word."""
    return words.is_in(pl.Series(sorted(STOP_WORDS)).implode())


# -- terms


SHORTEST = 2
AT_ONCE = 1 << 21  # texts that are split together, so that memory stays small however long the log is
NO_WORD = r"[^\p{L}\p{M}\p{N}]+"


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of each text in order: text i has `items[indptr[i]:indptr[i+1]]`.

    `stopped` counts the occurrences of dropped words.
    """

    indptr: Ints
    items: Small
    vocabulary: Vocabulary
    stopped: int

    def __len__(self) -> int:
        return len(self.indptr) - 1


class TermSplitter:
    """Splits the texts of a log part by part; a word has one number in all parts.

    Single letters, mostly left by apostrophes, are always dropped; stop words too, unless `keep_stop_words`. With `as_typed` words keep
    their case and form. With `domains` and `phrases` their words are joined first. `stopped` counts the dropped occurrences, `joined` those
    that were joined to the word before them.
    """

    def __init__(
        self, *, keep_stop_words: bool = False, as_typed: bool = False, domains: bool = False, phrases: PhraseFinder | None = None
    ) -> None:
        self.stopped = self.joined = 0
        self._keep_stop_words = keep_stop_words
        self._as_typed = as_typed
        self._domains, self._phrases = DomainFinder() if domains else None, phrases
        self._interner = _kernels.Interner()
        self._words: list[pl.Series] = []
        self._numbers = np.zeros(0, np.int32)  # the number of each word that was met, -1 for those that go

    def __len__(self) -> int:
        """Return the number of terms so far."""
        return sum(map(len, self._words))

    def split(self, texts: pl.Series) -> tuple[Ints, Small]:
        """Return the terms of each text: text i has `items[indptr[i]:indptr[i+1]]`; a null text has none."""
        return self._only(self._all_pieces(texts))

    def split_in_order(self, texts: pl.Series) -> tuple[Ints, Small, Mask]:
        """Return the same, and which terms stand directly behind the term before them in their text, with no dropped word between."""
        pieces = self._all_pieces(texts)
        follows = [self._follows(*piece) for piece in pieces]
        return *self._only(pieces), np.concatenate(follows)

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the terms so far."""
        return Vocabulary(pl.concat(self._words) if self._words else pl.Series("item", [], dtype=pl.String))

    def numbers(self, terms: pl.Series) -> Small:
        """Return the numbers of these terms, new ones if they are new."""
        found = self._encoded(terms)
        numbers: Small = self._numbers[found]
        return numbers

    def _encoded(self, terms: pl.Series) -> Small:
        found: Small = kernels.run(self._interner.encode, terms.__arrow_c_stream__())
        self._number_words()
        return found

    def _all_pieces(self, texts: pl.Series) -> list[tuple[Ints, Small]]:
        """Return the texts as words of the interner, with domains and phrases as one."""
        plain = without_foreign_marks(texts, as_typed=self._as_typed)
        pieces = [self._pieces(plain.slice(start, AT_ONCE)) for start in range(0, max(1, len(plain)), AT_ONCE)]
        self._number_words()
        return [self._with_phrases(*self._with_domains(*piece)) for piece in pieces]

    def _pieces(self, texts: pl.Series) -> tuple[Ints, Small]:
        """Return all words of these texts."""
        stream, lower = texts.__arrow_c_stream__(), not self._as_typed
        found: tuple[Ints, Small] = kernels.run(self._interner.words, stream, 1, lower, kernels.threads(), label="splitting words")
        return found

    def _with_domains(self, indptr: Ints, items: Small) -> tuple[Ints, Small]:
        if self._domains is None:
            return indptr, items
        joins = self._domains.find(indptr, items)
        self.joined += joins.joined
        return apply_joins(indptr, items, joins, self._strings(), self._encoded, SEPARATOR)

    def _with_phrases(self, indptr: Ints, items: Small) -> tuple[Ints, Small]:
        if self._phrases is None:
            return indptr, items
        joins = self._phrases.find(indptr, items)
        self.joined += joins.joined
        return apply_joins(indptr, items, joins, self._strings(), self._encoded)

    def _strings(self) -> pl.Series:
        """Return all words that were met, by their number in the interner."""
        return pl.Series("item", self._interner.strings(), dtype=pl.String)

    def _follows(self, indptr: Ints, items: Small) -> Mask:
        """Return which of the kept words stand directly behind another kept word of their text."""
        kept = self._numbers[items] >= 0
        behind = same_text(indptr)
        behind[1:] &= kept[:-1]
        found: Mask = behind[kept]
        return found

    def _number_words(self) -> None:
        """Number the new words; existing numbers stay, because words are in the order of first occurrence."""
        words = pl.Series("item", self._interner.strings(len(self._numbers)), dtype=pl.String)
        if words.is_empty():
            return
        folded = in_one_case(words) if self._as_typed else words
        stopped = is_stop_word(folded)
        kept = words.str.len_chars() >= SHORTEST
        if not self._keep_stop_words:
            kept &= ~stopped
        mask = kept.to_numpy()
        before = int(self._numbers.max(initial=-1)) + 1
        fresh = np.where(mask, before + np.cumsum(mask) - 1, -1).astype(np.int32)
        self._numbers = np.concatenate([self._numbers, fresh])
        self._words.append(words.filter(kept))
        if self._domains is not None:
            self._domains.learn_words(folded, mask & ~stopped.to_numpy())
        if self._phrases is not None:
            self._phrases.learn_words(folded)

    def _only(self, pieces: list[tuple[Ints, Small]]) -> tuple[Ints, Small]:
        """Return the rows of all pieces over the kept words only; a piece is released before the next is processed."""
        starts, items, before = [np.zeros(1, np.int64)], [], 0
        for at in range(len(pieces)):
            (indptr, every), pieces[at] = pieces[at], (starts[0], np.zeros(0, np.int32))
            ends, left = kernels.run(_kernels.renamed_rows, indptr, every, self._numbers)
            starts.append(ends[1:] + before)
            items.append(left)
            before += len(left)
            self.stopped += len(every) - len(left)
        whole = np.concatenate(starts)
        starts.clear()
        return whole, np.concatenate(items)


def terms_of(texts: pl.Series, *, keep_stop_words: bool = False, as_typed: bool = False, phrases: PhraseFinder | None = None) -> Terms:
    """Return the terms of each text; a null text has none. Single letters, mostly left by apostrophes, are always dropped.

    With `as_typed` words keep their case and form. The words of phrases are joined first.
    """
    splitter = TermSplitter(keep_stop_words=keep_stop_words, as_typed=as_typed, phrases=phrases)
    indptr, items = splitter.split(texts)
    return Terms(indptr, items, splitter.vocabulary, splitter.stopped)


def in_one_case(words: pl.Series) -> pl.Series:
    """Return the words in lower case, with full-width and composed letters normalized."""
    foreign = _foreign(words)  # letters of ASCII have one form
    formed = words.clone().scatter(foreign, words.gather(foreign).str.normalize("NFKC")) if len(foreign) else words
    return formed.str.to_lowercase()


def without_foreign_marks(texts: pl.Series, *, as_typed: bool = False) -> pl.Series:
    """Normalize non-ASCII texts: spaces for characters outside of words, and lower case unless `as_typed`; others are unchanged."""
    plain = texts.cast(pl.String).rename("text")
    foreign = _foreign(plain)
    if len(foreign):
        found = plain.gather(foreign)
        spaced = (found if as_typed else found.str.normalize("NFKC")).str.replace_all(NO_WORD, " ")
        spaced = spaced if as_typed else spaced.str.to_lowercase()
        plain = plain.scatter(foreign, spaced)
    return plain


def _foreign(texts: pl.Series) -> Ints:
    """Return the positions of non-ASCII texts."""
    places: Ints = kernels.run(_kernels.beyond_ascii, texts.__arrow_c_stream__())
    return places
