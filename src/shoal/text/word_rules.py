"""Word rules: which words of a text become one term, and where words are looked up that the taxonomy lacks.

Written as a list, such as `domains,phrases,collocations:20,related`. Without rules every word is a term of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import ParameterError
from shoal.text.collocations import FEWEST_PEOPLE
from shoal.util.wording import did_you_mean

DOMAINS, PHRASES, COLLOCATIONS, RELATED = "domains", "phrases", "collocations", "related"
RULES = (DOMAINS, PHRASES, COLLOCATIONS, RELATED)
MOST_PEOPLE = 2**31 - 1


@dataclass(frozen=True)
class WordRules:
    """Rules for the words of texts.

    Attributes:
        domains: Whether a domain of the web is one term.
        phrases: Whether a noun of several words that WordNet lists is one term.
        collocations: The number of people who have each pair of words that becomes one term by a significance test; None joins none.
        related: Whether WordNet places an adjective, verb or adverb that is no noun by the noun that it is related to.
    """

    domains: bool = False
    phrases: bool = False
    collocations: int | None = None
    related: bool = False

    @classmethod
    def parse(cls, written: str) -> WordRules:
        """Read a list of rules. Raise if one is unknown or repeated."""
        chosen: dict[str, str] = {}
        for rule in filter(None, map(str.strip, written.split(","))):
            name, colon, number = rule.partition(":")
            if name not in RULES or (colon and name != COLLOCATIONS):
                hint = did_you_mean(name, RULES, f"give {', '.join(RULES)}, or {COLLOCATIONS}:PEOPLE")
                raise ParameterError(f"there is no word rule {rule!r}", code="unknown-choice", hint=hint, value=rule)
            if name in chosen:
                raise ParameterError(f"the word rule {name} is given twice", code="unknown-choice", value=rule)
            chosen[name] = number if colon else str(FEWEST_PEOPLE)
        people = _people(chosen[COLLOCATIONS]) if COLLOCATIONS in chosen else None
        return cls(DOMAINS in chosen, PHRASES in chosen, people, RELATED in chosen)

    def __str__(self) -> str:
        pairs = [] if self.collocations is None else [f"{COLLOCATIONS}:{self.collocations}"]
        names = [name for name, on in ((DOMAINS, self.domains), (PHRASES, self.phrases)) if on]
        return ",".join([*names, *pairs, *([RELATED] if self.related else [])])

    @property
    def joins(self) -> bool:
        """Whether words may be joined."""
        return self.domains or self.phrases or self.collocations is not None

    def __bool__(self) -> bool:
        """Whether there is any rule."""
        return self != WordRules()


def is_word_rules(written: object) -> bool:
    """Whether this is a list of rules as a manifest records it."""
    try:
        return isinstance(written, str) and written != "" and str(WordRules.parse(written)) == written
    except ParameterError:
        return False


def _people(number: str) -> int:
    if not number.isascii() or not number.isdigit() or not 2 <= int(number) <= MOST_PEOPLE:
        what = f"collocations are those of a whole number of people, at least 2, not {number!r}"
        raise ParameterError(what, code="out-of-range", value=number)
    return int(number)
