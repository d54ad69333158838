"""Names of learned topics: at most three words of enough people, and a number for a part of a topic that has no such word.

No name is a word of the data, and none is used twice. A part is called after the nearest topic above it that has words to name it, as in
`music / lyrics / song (2)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from shoal.errors import TaxonomyError
from shoal.util.wording import counted

ROOT = "(any topic)"
RARE_ROOT = "(any topic, with rare words)"  # of a tree that also has words of fewer people
OTHERS = "(other words)"  # above words that occur with no widely held word
SEPARATOR = " / "
MORE = "..."  # follows the only word of a name
TITLES, CANDIDATES = 3, 12  # words of a name, and words that it is chosen from
NUMBER = re.compile(r" \(\d+\)$")  # tells two topics of the same words apart
RESERVED = re.compile(rf"(?:{re.escape(ROOT)}|{re.escape(OTHERS)})(?: \(\d+\))?")


def insist_on_words(names: Sequence[str]) -> None:
    """Raise if a word looks like a name of a topic: published names would be ambiguous, and their people could not be counted."""
    reserved = [name for name in names if name == RARE_ROOT or RESERVED.fullmatch(name) is not None]
    slashes = [name for name in names if SEPARATOR in name]
    if slashes:
        raise _alike(len(slashes), f"names of topics, which contain {SEPARATOR!r}", "replace the slash in these items")
    if reserved:
        raise _alike(len(reserved), f"topics without a name, such as {OTHERS!r}", "rename these items")


def clear_in_names(word: str) -> bool:
    """Whether a word may be a part of a name: not dots, which follow the only word of one, nor a slash at an end, as in the page `/`."""
    return word != MORE and SEPARATOR not in f" {word} "


def insist_on_numbers(names: Iterable[str], is_rare: Callable[[str], bool]) -> None:
    """Raise if a number turns a word of a name into a rare word: it could not be decided whether the name shows that one."""
    alike = sum(map(is_rare, {part for name in names for part in name.split(SEPARATOR) if NUMBER.search(part)}))
    if alike:
        raise _alike(alike, "a topic with a number, such as 'cat (2) / ...'", "remove the number at the end of these items")


def _alike(items: int, what: str, how: str) -> TaxonomyError:
    return TaxonomyError(
        f"{counted(items, 'item')} cannot be distinguished from {what}",
        code="items-like-topics",
        hint=f"{how}, or give another taxonomy",
        value=items,
    )


def topic_names(above: Sequence[int], titles: Sequence[tuple[str, ...]], others: int) -> list[str]:
    """Return the names of all topics but the first.

    Args:
        above: The topic above each topic, which comes before it.
        titles: Of each topic the words that it may be named by, the most typical ones first; none for a part without such words.
        others: The topic of words that occur with no widely held word; the number of topics if there is none.

    Returns:
        The names.
    """
    taken: set[frozenset[str]] = set()
    names: list[str] = []
    after: list[tuple[str, ...]] = [(ROOT,)]  # the words that each topic and its parts are called by
    numbers: dict[tuple[str, ...], Iterator[int]] = {(OTHERS,): count(2)}
    for topic in range(1, len(above)):
        words = titles[topic]
        if topic == others:
            after_here: tuple[str, ...] = (OTHERS,)
            choice = after_here
        elif words:
            after_here = words[:TITLES]
            choice = next(one for one in _choices(words) if frozenset(one) not in taken)
        else:
            after_here = after[above[topic]]
            free = numbers.setdefault(after_here, count(1 if after_here == (ROOT,) else 2))
            choice = next(one for one in _numbered(after_here, free) if frozenset(one) not in taken)
        taken.add(frozenset(choice))
        after.append(after_here)
        names.append(SEPARATOR.join(choice))
    return names


def _choices(titles: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words for a name, from the most typical ones: the first three; else two and another; else these and a number."""
    first = titles[:TITLES]
    yield from _ended(first)
    yield from ((*first[: TITLES - 1], other) for other in titles[TITLES:])
    yield from _numbered(first, count(2))


def _numbered(words: tuple[str, ...], numbers: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """These words with each of these numbers."""
    for number in numbers:
        yield from _ended((*words[:-1], f"{words[-1]} ({number})"))


def _ended(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a name of these words: one word alone is followed by dots, so that it does not look like an item."""
    alone = len(words) == 1 and not RESERVED.fullmatch(words[0])
    yield (*words, MORE) if alone else words
