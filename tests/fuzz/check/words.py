"""Terms of several words, joined again from what people typed, by plain loops over lists; nothing is imported from shoal.

A text is a list of words. Words that are left out, such as *www*, leave a gap (None), and no term spans a gap.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log

Text = list[str | None]
GONE = {"www", "com", "org", "net", "co", "uk"}  # of what is generated; left out as stop words
PHRASES = [("ice", "cream"), ("birth", "control"), ("birth", "control", "pill"), ("car", "pool")]  # those of WordNet's that are generated
LAST = {"pills": "pill", "pools": "pool"}
CRITICAL = 37.3249


def terms_by_rules(texts: list[tuple[str, list[str]]], rules: str) -> tuple[list[list[str]], int]:
    """The terms of each text of a person, and how many words were joined to the word before."""
    chosen = dict(rule.partition(":")[::2] for rule in rules.split(",") if rule)
    before = sum(len(words) for _, words in texts)
    made: list[tuple[str, Text]] = []
    dropped = 0
    for owner, words in texts:
        joined = _domains(words) if "domains" in chosen else words
        joined = _phrases(joined) if "phrases" in chosen else joined
        text: Text = [None if word.lower() in GONE else word for word in joined]
        dropped += text.count(None)
        made.append((owner, text))
    if "collocations" in chosen:
        for _ in range(2):
            made = _collocations(made, int(chosen["collocations"] or 10))
    terms = [[word for word in text if word is not None] for _, text in made]
    return terms, before - dropped - sum(map(len, terms))


def _domains(words: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(words):
        after = [word.lower() for word in words[at + 1 : at + 3]]
        length = 1
        if words[at].lower() not in GONE and after:
            if after == ["co", "uk"]:
                length = 3
            elif after[0] in {"com", "org"} or (after[0] == "net" and at > 0 and words[at - 1].lower() == "www"):
                length = 2
        found.append(".".join(words[at : at + length]))
        at += length
    return found


def _phrases(words: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(words):
        length = 1
        for phrase in PHRASES:
            here = [word.lower() for word in words[at : at + len(phrase)]]
            if (*here[:-1], LAST.get(here[-1], here[-1])) == phrase:
                length = max(length, len(phrase))
        found.append(" ".join(words[at : at + length]))
        at += length
    return found


def _collocations(texts: list[tuple[str, Text]], fewest: int) -> list[tuple[str, Text]]:
    """The texts with all pairs that pass the test as one term."""
    people: dict[tuple[str, str], set[str]] = {}
    for owner, text in texts:
        for left, right in pairwise(text):
            if left is not None and right is not None:
                people.setdefault((left.lower(), right.lower()), set()).add(owner)
    counts = {pair: len(owners) for pair, owners in people.items()}
    first, second = Counter[str](), Counter[str]()
    for (left, right), n in counts.items():
        first[left] += n
        second[right] += n
    total = sum(counts.values())
    strength = {}
    for (left, right), n in counts.items():
        ratio = _ratio(n, first[left], second[right], total)
        often = n >= fewest and 2 * n >= min(first[left], second[right])
        if left != right and often and n * total > first[left] * second[right] and ratio >= CRITICAL:
            strength[left, right] = ratio
    return [(owner, _joined(text, strength)) for owner, text in texts]


def _ratio(both: int, one: int, other: int, total: int) -> float:
    """Dunning's likelihood ratio: the table of pairs against the one that chance would make."""
    cells = [(both, one, other), (one - both, one, total - other), (other - both, total - one, other)]
    cells.append((total - one - other + both, total - one, total - other))
    return 2 * sum(cell * log(cell * total / (row * column)) for cell, row, column in cells if cell)


def _joined(text: Text, strength: dict[tuple[str, str], float]) -> Text:
    """The strongest pair of the text first, of equal ones the first by its words, and no word twice."""
    pairs = []
    for at, (left, right) in enumerate(pairwise(text)):
        if left is not None and right is not None and (left.lower(), right.lower()) in strength:
            key = (left.lower(), right.lower())
            pairs.append((-round(strength[key], 9), *key, at))
    starts: set[int] = set()
    for *_, at in sorted(pairs):
        if not starts & {at - 1, at, at + 1}:
            starts.add(at)
    made: Text = []
    for at, word in enumerate(text):
        if at in starts:
            made.append(f"{word} {text[at + 1]}")
        elif at - 1 not in starts:
            made.append(word)
    return made
