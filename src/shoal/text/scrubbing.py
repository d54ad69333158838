"""Scrubbing: text that looks like an e-mail address, a card, phone or social security number, an address or a listed name is replaced by
its kind.

Patterns recognize forms, not meanings: they miss other spellings, and whatever identifies a person without such a form. They are kept
narrow, so that ordinary words and numbers stay: a card number must pass the Luhn check, a street needs a number and the word for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

# The check digit of card numbers (Luhn, US patent 2,950,048; ISO/IEC 7812-1).


def luhn_holds(digits: str) -> bool:
    """Whether the last digit is the check digit: with every second digit from the right doubled, all digits add up to a multiple of 10."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


NAME = "name"
SHORTEST_PHONE = 7
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Detector(NamedTuple):
    """A kind of text to scrub: its pattern, and an additional check."""

    kind: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = lambda found: True


class Scrubbed(NamedTuple):
    """A text after scrubbing, and the number of replacements of each kind."""

    text: str
    found: Counter[str]


def is_card(written: str) -> bool:
    """Whether these digits, blanks and hyphens are a card number."""
    return luhn_holds("".join(filter(str.isdigit, written)))


def is_ip_address(written: str) -> bool:
    """Whether four numbers separated by full stops are an IPv4 address."""
    return all(int(part) < 256 for part in written.split("."))


# In the order in which they are looked for: what a longer form may hold comes later.
DETECTORS = (
    Detector("e-mail", re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")),
    Detector("card", re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])"), is_card),
    Detector("IP address", re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"), is_ip_address),
    Detector("social security", re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")),
    Detector(
        "phone",
        re.compile(
            r"(?<![\d.-])(?<!\d )(?:"
            r"\+\d{1,3}(?:[ .-]?\d{1,4}){2,5}"  # with the code of a country
            r"|(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]?\d{4}"  # of North America
            r"|1?[2-9]\d{2}[2-9]\d{6}"
            r"|\d{3}-\d{4}"
            r")(?![\d-])(?! \d)"
        ),
        lambda written: sum(map(str.isdigit, written)) >= SHORTEST_PHONE,
    ),
    Detector(
        "address",
        re.compile(
            r"(?<!\w)\d{1,5}[a-z]? (?:[^\W\d_]+\.? ){1,2}(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln)(?!\w)"
            r"|(?<!\w)[^\W\d_]+(?:stra(?:ss|ß)e|str\.) ?\d{1,4}[a-z]?(?!\w)",
            re.IGNORECASE,
        ),
    ),
)
KINDS = (*(detector.kind for detector in DETECTORS), NAME)


def scrubbed(text: str, names: Names | None = None) -> Scrubbed:
    """Replace everything that is found by `<kind>`."""
    found: Counter[str] = Counter()
    for detector in DETECTORS:

        def replace(match: re.Match[str], detector: Detector = detector) -> str:
            if not detector.holds(match[0]):
                return match[0]
            found[detector.kind] += 1
            return f"<{detector.kind}>"

        text = detector.pattern.sub(replace, text)
    if names is not None:
        text, found[NAME] = names.scrubbed(text)
    return Scrubbed(text, +found)


class Names:
    """Names to scrub: of one word or several, as whole words, ignoring case."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {" ".join(word.lower() for word in _WORD.findall(name)) for name in names} - {""}
        self._longest = max((name.count(" ") + 1 for name in self._names), default=0)

    def scrubbed(self, text: str) -> tuple[str, int]:
        """Replace every listed name by `<name>`, the longest first, and count them."""
        words = list(_WORD.finditer(text))
        pieces, at, place, n = [], 0, 0, 0
        while place < len(words):
            length = self._length_at(words, place, text)
            if length:
                pieces += [text[at : words[place].start()], f"<{NAME}>"]
                at, n = words[place + length - 1].end(), n + 1
            place += length or 1
        return "".join([*pieces, text[at:]]), n

    def _length_at(self, words: list[re.Match[str]], place: int, text: str) -> int:
        """Return the number of words of the listed name that begins here; 0 if there is none. Scrubbed text is not a name."""
        if text[words[place].start() - 1 : words[place].start()] == "<":
            return 0
        most = min(self._longest, len(words) - place)
        lower = [word[0].lower() for word in words[place : place + most]]
        return next((n for n in range(most, 0, -1) if " ".join(lower[:n]) in self._names), 0)
