"""Aggregation by contribution: people with more queries contribute more to the common history, and first those that they repeat.

Of member i with |Q_i| queries the contribution is |Q_i| / sum |Q_j|, and the quota the contribution times |Q_i|. Members choose from their
texts, the most repeated first: a text is taken with a probability of contribution times repetitions, until the quota is reached. Quotas are
rounded so that their sum is that of all, rounded. Where a list ends before the quota is reached it is gone through again without what was
taken; a text that several members could give is given once for every asking that enough of them share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints, Small
from shoal.microaggregation.histories import MISSING, NO_TIME, SECOND, Histories, ranges
from shoal.util.numbers import order_of

# One history in place of several: its queries, their times and their clicks.
#
# The n-th asking of a text by one person is matched with the n-th asking of it by another. Of such matches those of the most people come
# first, then those with the most frequent text. A time is the mean over the people matched, and a click the one that most of them
# share,
# at the mean of its ranks.


ASKINGS = 1 << 31  # more than one person asks one text


@dataclass(frozen=True, eq=False)
class Matches:
    """The queries of several people, matched: `match` of each query, and of each match its text, its asking, and its people.

    Matches are in the order of their texts; `of_text` numbers these from 0. `frequency` is that of the text.
    """

    queries: Ints
    match: Ints
    text: Ints
    nth: Ints
    people: Ints
    frequency: Ints
    of_text: Ints

    @classmethod
    def of(cls, histories: Histories, people: Ints) -> Matches:
        """Return the matches among these people, in the order of text and asking."""
        queries = histories.queries_of(people)
        keys, match, held_by = np.unique(
            histories.text[queries].astype(np.int64) * ASKINGS + histories.nth[queries], return_inverse=True, return_counts=True
        )
        text = keys // ASKINGS
        of_text = np.cumsum(np.append(False, text[1:] != text[:-1]))[: len(text)]
        frequency = np.bincount(of_text, weights=held_by).astype(np.int64)[of_text]
        return cls(queries, match.ravel(), text, keys % ASKINGS, held_by.astype(np.int64), frequency, of_text)

    def among(self, some: npt.NDArray[np.bool_]) -> Matches:
        """Return the same matches with some of the queries only; nobody may be left who has one of them."""
        match = self.match[some]
        people = np.bincount(match, minlength=len(self.text))
        frequency = np.bincount(self.of_text, weights=people).astype(np.int64)[self.of_text]
        return replace(self, queries=self.queries[some], match=match, people=people, frequency=frequency)

    def best(self, number: int) -> Ints:
        """Return the first of all matches that somebody has, in the order of `ranked`."""
        rank = self.people * (int(self.frequency.max(initial=0)) + 1) + self.frequency
        held = np.flatnonzero(self.people)
        if len(held) > number:
            held = held[rank[held] >= np.partition(rank[held], len(held) - number)[len(held) - number]]
        return held[np.argsort(-rank[held], kind="stable")][:number]

    def of_same_texts(self, some: Ints | npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return a mask of the matches with the text of one of these."""
        chosen = np.zeros(len(self.of_text), bool)
        chosen[self.of_text[some]] = True
        return chosen[self.of_text]

    def ranked(self, least: int) -> Ints:
        """Return the matches of at least this many people, by falling number of people, falling frequency of the text, and text."""
        order = np.lexsort((-self.frequency, -self.people))
        return order[self.people[order] >= least]


@dataclass(frozen=True, eq=False)
class Profile:
    """The queries of one history: text, time (or `NO_TIME`), rank and URL (or `MISSING`) of each."""

    text: Ints | Small
    time: Ints
    rank: Ints | Small
    url: Ints | Small


def mean_size(histories: Histories, people: Ints) -> int:
    """Return the mean number of queries of these people, rounded; of halves upwards."""
    total, n = int(histories.sizes[people].sum()), len(people)
    return (2 * total + n) // (2 * n)


def shared_queries(histories: Histories, people: Ints, matches: Matches, least: int) -> Ints:
    """Return the matches that represent these people: as many as they have queries in the mean, or all that `least` of them share.

    Among matches that rank alike at the end people take turns: next is whoever has the smallest part of their own queries published.
    """
    ranked, size = matches.ranked(least), mean_size(histories, people)
    if len(ranked) <= size:
        return ranked
    last = ranked[size - 1]
    alike = (matches.people[ranked] == matches.people[last]) & (matches.frequency[ranked] == matches.frequency[last])
    before = ranked[: int(np.argmax(alike))]
    return np.concatenate([before, _in_turns(histories, people, matches, before, ranked[alike], size - len(before))])


class Quota:
    """Chooses the queries of one history after another such that every text is published about as often as it occurs in the original.

    A text is due as many rows as it has in all groups so far, less those that were published; each query that a history contains is
    published for all its people. Into a history go the askings that are most due, as in an apportionment by largest remainders whose
    remainders are carried over to the next group.
    """

    def __init__(self, histories: Histories) -> None:
        self._histories = histories
        self._due = np.zeros(len(histories.texts), np.int64)

    def take(self, people: Ints, matches: Matches, least: int) -> Ints:
        """Return the matches of these people's history: as many as they have queries in the mean, none of fewer than `least` of them."""
        first = matches.nth == 0
        self._due[matches.text[first]] += matches.frequency[first]
        due = self._due[matches.text] - len(people) * matches.nth
        allowed = np.flatnonzero(matches.people >= least)
        ranked = allowed[np.argsort(-due[allowed], kind="stable")]
        size = mean_size(self._histories, people)
        if len(ranked) > size:
            alike = due[ranked] == due[ranked[size - 1]]
            before = ranked[: int(np.argmax(alike))]
            ranked = np.concatenate([before, _in_turns(self._histories, people, matches, before, ranked[alike], size - len(before))])
        np.subtract.at(self._due, matches.text[ranked], len(people))
        return ranked


def _in_turns(histories: Histories, people: Ints, matches: Matches, before: Ints, alike: Ints, number: int) -> Ints:
    """Return this many of the matches that rank equally."""
    if number == len(alike):
        return alike
    members = np.repeat(np.arange(len(people)), histories.sizes[people])
    n_published = np.bincount(members[np.isin(matches.match, before)], minlength=len(people))
    holders = {m: members[matches.match == m] for m in alike.tolist()}
    own: list[list[int]] = [[] for _ in people]
    for m in reversed(alike.tolist()):
        for member in holders[m]:
            own[member].append(m)
    chosen: dict[int, None] = {}
    sizes = histories.sizes[people]
    while len(chosen) < number:
        for stack in own:
            while stack and stack[-1] in chosen:
                stack.pop()
        nexts = [member for member, stack in enumerate(own) if stack]
        member = min(nexts, key=lambda i: ((n_published[i] + 1) / sizes[i], i))
        m = own[member].pop()
        chosen[m] = None
        n_published[holders[m]] += 1
    return np.array(list(chosen), np.int64)


def profile_of(histories: Histories, matches: Matches, chosen: Ints, least: int) -> Profile:
    """Return the chosen matches with their mean times and their shared clicks; what fewer than `least` people gave is missing."""
    place = np.full(len(matches.text), -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    held = place[matches.match] >= 0
    at, queries = place[matches.match[held]], matches.queries[held]
    rank, url = _clicks(histories, matches, chosen, least)
    unit = SECOND if histories.in_seconds else 1
    return Profile(matches.text[chosen], _mean_times(histories.time[queries], at, len(chosen), least, unit), rank, url)


def _mean_times(times: Ints, at: Ints, n: int, least: int, unit: int) -> Ints:
    """Return the mean of the times at each of n places, in whole units; none if fewer than `least` are known."""
    known = times != NO_TIME
    start = int(times[known].min()) if known.any() else 0
    count = np.bincount(at[known], minlength=n)
    total = np.zeros(n, np.int64)
    np.add.at(total, at[known], times[known] - start)
    return np.where((count >= least) & (count > 0), (start + total // np.maximum(count, 1)) // unit * unit, NO_TIME)


def _clicks(histories: Histories, matches: Matches, chosen: Ints, least: int) -> tuple[Ints, Ints]:
    """Rank and URL of each chosen match: the n-th asking of a text has the n-th of the clicks that enough people made after that text."""
    rank, url = np.full(len(chosen), MISSING, np.int64), np.full(len(chosen), MISSING, np.int64)
    queries = matches.queries[matches.of_same_texts(chosen)[matches.match]]
    clicked = queries[histories.clicks[queries + 1] > histories.clicks[queries]]
    if not len(clicked):
        return rank, url
    shared = _shared_clicks(histories, clicked, least)
    keys = matches.text[chosen] * ASKINGS + matches.nth[chosen]
    place = np.searchsorted(shared.key, keys)
    there = place < len(shared.key)
    there[there] = shared.key[place[there]] == keys[there]
    rank[there], url[there] = shared.rank[place[there]], shared.url[place[there]]
    return rank, url


@dataclass(frozen=True, eq=False)
class _SharedClicks:
    """Clicks of enough people: of each the text with the place among its clicks, as one rising number; the mean rank, and the URL."""

    key: Ints
    rank: Ints
    url: Ints


def _shared_clicks(histories: Histories, queries: Ints, least: int) -> _SharedClicks:
    """Return the clicks of enough people after each text, those of the most people first. Clicks without a URL count as one."""
    clicks = ranges(histories.clicks[queries], histories.clicks[queries + 1])
    query = np.repeat(queries, histories.clicks[queries + 1] - histories.clicks[queries])
    person = np.searchsorted(histories.starts, query, side="right") - 1
    text, url, rank = (values.astype(np.int64) for values in (histories.text[query], histories.url[clicks], histories.rank[clicks]))
    order = order_of(text, url, person)
    text, url, rank, person = text[order], url[order], rank[order], person[order]
    new = np.append(True, (text[1:] != text[:-1]) | (url[1:] != url[:-1]))
    click = np.cumsum(new) - 1  # one after the other: text and URL
    n, known = int(click[-1]) + 1, rank != MISSING
    people = _different(click, person, n)
    ranked = _different(click[known], person[known], n)
    total, counted = np.bincount(click[known], rank[known], n).astype(np.int64), np.bincount(click[known], minlength=n)
    mean = np.where(ranked >= least, (2 * total + counted) // np.maximum(1, 2 * counted), MISSING)
    text, url = text[new], url[new]
    enough = np.flatnonzero(people >= least)
    enough = enough[np.lexsort((url[enough], -people[enough], text[enough]))]
    text = text[enough]
    place = np.arange(len(text)) - np.searchsorted(text, text)
    return _SharedClicks(text * ASKINGS + place, mean[enough], url[enough])


def _different(click: Ints, person: Ints, n: int) -> Ints:
    """Return the number of different people of each of n clicks; clicks rise, and the people of each do."""
    new = np.append(True, (click[1:] != click[:-1]) | (person[1:] != person[:-1]))[: len(click)]
    return np.bincount(click[new], minlength=n)


MOST_ROUNDS = 1000  # through a list whose texts are hardly ever taken


def quotas(sizes: Ints) -> Ints:
    """Return how many queries each member contributes: by largest remainders, so that the sum is the rounded sum of all quotas."""
    total = int(sizes.sum())
    squares = sizes * sizes
    target = (2 * int(squares.sum()) + total) // (2 * total)
    whole = squares // total
    short = target - int(whole.sum())
    rounded = whole.copy()
    rounded[np.argsort(-(squares % total), kind="stable")[:short]] += 1
    return rounded


def contributed(histories: Histories, members: Ints, matches: Matches, least: int, chance: np.random.Generator) -> Ints:
    """Return the matches that the members give, none of fewer than `least` of them."""
    sizes = histories.sizes[members]
    shared = matches.people >= least
    left: dict[int, list[int]] = {}
    for match in reversed(np.flatnonzero(shared).tolist()):
        left.setdefault(int(matches.text[match]), []).append(match)
    member_of_query = np.repeat(np.arange(len(members)), sizes)
    chosen: list[int] = []
    for member, quota in enumerate(quotas(sizes).tolist()):
        texts, repeats = np.unique(matches.text[matches.match[member_of_query == member]], return_counts=True)
        order = np.lexsort((texts, -repeats))
        own = [(int(texts[i]), int(repeats[i])) for i in order if int(texts[i]) in left]
        chosen += _contributed(own, quota, float(sizes[member] / sizes.sum()), left, chance)
    return np.array(chosen, np.int64)


def _contributed(
    own: list[tuple[int, int]], quota: int, contribution: float, left: dict[int, list[int]], chance: np.random.Generator
) -> list[int]:
    """Return the contribution of one member: texts with their repetitions, most repeated first."""
    chosen: list[int] = []
    for _ in range(MOST_ROUNDS):
        refused = []
        for text, repeats in own:
            if len(chosen) >= quota:
                return chosen
            if not left[text]:
                continue
            if chance.random() < min(1.0, contribution * repeats):
                chosen.append(left[text].pop())
            else:
                refused.append((text, repeats))
        own = refused
        if not own:
            break
    return chosen
