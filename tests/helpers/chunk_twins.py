"""Plain twins of the kernels of disassociation: clusters of records and chunks of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

Sets = Sequence[frozenset[int]]


def people(records: Iterable[int], owners: Sequence[int]) -> int:
    return len({owners[r] for r in records})


def twin_clusters(sets: Sets, owners: Sequence[int], most: int, k: int) -> list[int]:
    """Records split by their most frequent terms, in parts of half a cluster; parts of about the same size in twos."""
    if len(sets) <= most:
        return [0] * len(sets)
    leaves, parts = [], [(list(range(len(sets))), frozenset[int]())]
    while parts:
        records, used = parts.pop()
        refused: set[int] = set()
        while len(records) > max(1, most // 2):
            support = Counter(term for r in records for term in sets[r] if term not in used | refused)
            term = min((t for t, n in support.items() if n >= k), key=lambda t: (-support[t], t), default=None)
            if term is None:
                break
            holders = [r for r in records if term in sets[r]]
            others = [r for r in records if term not in sets[r]]
            if min(people(holders, owners), people(others, owners)) < k:
                refused.add(term)
                continue
            parts.append((holders, used | {term}))
            records = others
        leaves.append(records)
    leaves.sort(key=len, reverse=True)
    cluster = [0] * len(sets)
    for i, leaf in enumerate(leaves):
        for r in leaf:
            cluster[r] = min(i // 2, max(0, len(leaves) // 2 - 1))
    return cluster


def twin_chunks(sets: Sets, owners: Sequence[int], cluster: Sequence[int], k: int, m: int) -> list[dict[int, int]]:
    """For each record the chunk of each of its terms, -1 for the term chunk."""
    found: dict[int, dict[int, int]] = {}
    for number in set(cluster):
        members = [r for r in range(len(sets)) if cluster[r] == number]
        found[number] = TwinCluster([sets[r] for r in members], [owners[r] for r in members], k, m).chunks()
    return [{term: found[cluster[r]][term] for term in sets[r]} for r in range(len(sets))]


class TwinCluster:
    def __init__(self, sets: Sets, owners: Sequence[int], k: int, m: int) -> None:
        self.sets, self.owners, self.k, self.m, self.n = sets, owners, k, m, len(sets)
        self.support = Counter(term for record in sets for term in record)
        self.owned = sorted(Counter(owners).values(), reverse=True)

    def holders(self, *terms: int) -> int:
        return len({owner for record, owner in zip(self.sets, self.owners, strict=True) if record >= set(terms)})

    def occurs(self, *terms: int) -> bool:
        return any(record >= set(terms) for record in self.sets)

    def chunks(self) -> dict[int, int]:
        frequent = [t for t in self.support if self.holders(t) >= self.k]
        first = self.attempt(frequent)
        if all(first[t] >= 0 for t in frequent):
            return first
        second = self.attempt([t for t in frequent if self.support[t] <= self.n // 2])
        return second if self.kept(second) > self.kept(first) else first

    def kept(self, chunk: dict[int, int]) -> tuple[int, int]:
        lengths = self.lengths(chunk)
        return sum(n for n in lengths if n > 1), sum(lengths)

    def lengths(self, chunk: dict[int, int]) -> list[int]:
        return [n for record in self.sets for c, n in Counter(chunk[t] for t in record).items() if c >= 0]

    def attempt(self, frequent: list[int]) -> dict[int, int]:
        free = sorted(frequent, key=lambda t: (-self.support[t], t))
        chunks: list[list[int]] = []
        refused: set[int] = set()
        while seeds := [t for t in free if t not in refused]:
            if not self.fits(seeds[0], chunks, None):
                refused.add(seeds[0])
                continue
            chunks.append([seeds[0]])
            free.remove(seeds[0])
            blocked: set[int] = set()
            while True:
                scores = {t: s for t in free if t not in blocked and (s := self.score(t, chunks[-1]))}
                if not scores:
                    break
                best = min(scores, key=lambda t: (-scores[t], -self.support[t], t))
                if not self.fits(best, chunks, chunks[-1]) or self.rare(best, chunks[-1]):
                    blocked.add(best)
                    continue
                chunks[-1].append(best)
                free.remove(best)
        home = dict.fromkeys(self.support, -1) | {t: i for i, chunk in enumerate(chunks) for t in chunk}
        return self.settled(home, chunks, frequent)

    def score(self, term: int, chunk: list[int]) -> int:
        counts = [self.holders(term, other) for other in chunk if self.occurs(term, other)]
        return 0 if self.m >= 2 and any(n < self.k for n in counts) else sum(counts)

    def rare(self, term: int, chunk: list[int]) -> bool:
        sets = ((term, *others) for size in range(1, self.m) for others in combinations(chunk, size))
        return any(self.occurs(*held) and self.holders(*held) < self.k for held in sets)

    def fits(self, term: int, chunks: list[list[int]], own: list[int] | None) -> bool:
        if self.m < 2:
            return True
        others = [t for chunk in chunks if chunk is not own for t in chunk]
        return not any(self.tells(self.support[term] + self.support[other] - self.n) for other in others)

    def tells(self, certain: int) -> bool:
        fewest = next((i for i in range(len(self.owned) + 1) if sum(self.owned[:i]) >= certain), 0)
        return certain > 0 and (self.m > 2 or fewest < self.k)

    def settled(self, home: dict[int, int], chunks: list[list[int]], frequent: list[int]) -> dict[int, int]:
        together = min(self.m, len(chunks))
        if -1 not in home.values():
            if len(self.lengths(home)) >= self.n + self.k * (together - 1):
                return home
            home[min(frequent, key=lambda t: (self.support[t], -t))] = -1
        if self.m < 2:
            return home
        return {t: -1 if self.support[t] == self.n else c for t, c in home.items()}
