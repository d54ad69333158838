"""Plain Python twins of the kernels: straight from the definitions, exact and slow. They are the oracles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import product

from helpers.matching import placed

Bag = tuple[int, ...]
Parents = tuple[int, ...]


# -- trees


@cache
def up(parent: Parents, node: int) -> list[int]:
    """The node and its ancestors, up to the root."""
    path = []
    while node >= 0:
        path.append(node)
        node = parent[node]
    return path


def is_leaf(parent: Parents, node: int) -> bool:
    return node not in parent


@cache
def leaves_below(parent: Parents, node: int) -> int:
    return sum(node in up(parent, v) for v in range(len(parent)) if is_leaf(parent, v))


@cache
def lm(parent: Parents, node: int) -> Fraction:
    """Iyengar's LM, Definition 3.2.2 of the thesis."""
    everything = leaves_below(parent, 0)
    return Fraction(leaves_below(parent, node) - 1, max(1, everything - 1))


@cache
def ncp(parent: Parents, node: int) -> Fraction:
    own = leaves_below(parent, node)
    return Fraction(0) if own == 1 else Fraction(own, leaves_below(parent, 0))


def subtree_counts(parent: Parents, record: Iterable[int]) -> Counter[int]:
    """How many items of the record lie in the subtree of each node."""
    return Counter(v for item in record for v in up(parent, item))


# -- generalization, Definition 3.1.1: an explicit matching


def generalizes(parent: Parents, general: Sequence[int], special: Sequence[int]) -> bool:
    """Can every item of `general` be given an item of its own below it in `special`? By augmenting paths."""
    return all(placed(len(general), len(special), lambda i, j: general[i] in up(parent, special[j])))


def generalizations(parent: Parents, record: Sequence[int]) -> set[Bag]:
    """All generalized transactions: every item stays, rises to an ancestor, or is suppressed."""
    choices = [[None, *up(parent, item)] for item in record]
    return {tuple(sorted(v for v in pick if v is not None)) for pick in product(*choices)}


def lcg(parent: Parents, records: Sequence[Sequence[int]]) -> Bag:
    """The least common generalization, by enumerating all common ones; fails unless exactly one is least."""
    common = set.intersection(*(generalizations(parent, record) for record in records))
    least = [t for t in common if not any(u != t and generalizes(parent, t, u) for u in common)]
    assert len(least) == 1, "the least common generalization is not unique"
    return least[0]


def ggd(parent: Parents, records: Sequence[Sequence[int]], general: Sequence[int]) -> Fraction:
    """Group Generalization Distortion, Definition 3.2.3."""
    suppressed = sum(len(record) - len(general) for record in records)
    return len(records) * sum((lm(parent, v) for v in general), Fraction(0)) + suppressed


def meet(parent: Parents, records: Sequence[Sequence[int]]) -> Bag:
    """The bag whose subtree counts are the least of the records' ones."""
    counts = [subtree_counts(parent, record) for record in records]
    least = {v: min(c[v] for c in counts) for v in range(len(parent))}
    own = {v: n - sum(least[w] for w in range(len(parent)) if parent[w] == v) for v, n in least.items()}
    return tuple(v for v in sorted(own) for _ in range(own[v]))


# -- rows


def canonical(row: Iterable[tuple[int, int]], as_set: bool) -> list[tuple[int, int]]:
    merged: Counter[int] = Counter()
    for item, count in row:
        if item >= 0 and count > 0:
            merged[item] += count
    return [(item, 1 if as_set else merged[item]) for item in sorted(merged)]


def first_appearance(rows: Sequence[object]) -> list[int]:
    """Identical rows share a number; numbers in order of first appearance."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(row, len(numbers)) for row in rows]


_MASK = 2**64 - 1


def _mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def row_hash(row: Iterable[tuple[int, int]]) -> int:
    """SplitMix64's finalizer over (item, count)."""
    h = 0x9E3779B97F4A7C15
    for item, count in row:
        h = _mix(h ^ ((item << 32) | count))
    return h


# -- Clump, thesis Algorithm 4.5, where clusters count people


def buig(parent: Parents, left: Bag, right: Bag) -> Bag:
    """Algorithm 5.6 of the thesis on two records: line 4 forgets duplicates, and line 7 what one has more of than the other."""
    held = [[int(node in bag) for bag in (left, right)] for node in range(len(parent))]
    found: list[int] = []
    for node in range(len(parent) - 1, 0, -1):  # in preorder children come after their parents
        least = min(held[node])
        if least:
            found += [node] * least
        else:
            held[parent[node]] = [a + b for a, b in zip(held[parent[node]], held[node], strict=True)]
    return tuple(sorted([0] * (min(len(left), len(right)) - len(found)) + found))


class Clump:
    """Every score is computed anew from the members by the definition; nothing is pruned, nothing is kept."""

    def __init__(
        self,
        parent: Parents,
        records: Sequence[Bag],
        owners: Sequence[int],
        order: Sequence[int],
        *,
        k: int,
        r: int,
        total: bool,
        by_length: bool = False,
        printed: bool = False,
    ) -> None:
        self.parent, self.records, self.owners, self.order = parent, records, owners, order
        self.k, self.r, self.total, self.by_length, self.printed = k, r, total, by_length, printed

    def run(self) -> list[int]:
        """The cluster of each record."""
        n = self.most_clusters()
        assert n > 0, "fewer than k owners"
        while (members := self.assign(n)) is None:
            n //= 2
        self.members = members
        return [next(j for j, member in enumerate(members) if i in member) for i in range(len(self.records))]

    def most_clusters(self) -> int:
        n = len(self.order) // self.k
        held = Counter(self.owners[i] for i in self.order).values()
        while sum(min(h, n) for h in held) < self.k * n:
            n -= 1
        return n

    def assign(self, n: int) -> list[list[int]] | None:
        step = self.k if n == len(self.order) // self.k else len(self.order) // n
        seeds = [self.order[j * step] for j in range(n)]
        members = [[seed] for seed in seeds]
        leftover = []
        for i in self.order:
            if i in seeds:
                continue
            wanting = [m for m in members if len(self.people(m)) < self.k and self.owners[i] not in self.people(m)]
            if self.by_length:  # the nearest in length first, of equally near ones the longer
                wanting.sort(key=lambda m: (abs(self.shortest(m) - len(self.records[i])), -self.shortest(m)))
            if wanting:
                self.best(wanting[: self.r], i).append(i)
            else:
                leftover.append(i)
        filled = [m for m in members if len(self.people(m)) >= self.k]
        if not filled:
            return None
        short = [m for m in members if len(self.people(m)) < self.k]
        leftover += [i for i in self.order if any(i in m for m in short)]
        for m in short:
            m.clear()
        for i in leftover:
            self.best(filled, i).append(i)
        return members

    def people(self, members: Sequence[int]) -> set[int]:
        return {self.owners[i] for i in members}

    def best(self, clusters: Sequence[list[int]], i: int) -> list[int]:
        """The cluster of least distortion with the record, or of least increase; the first one on ties."""
        return min(clusters, key=lambda m: self.distortion([*m, i]) - (0 if self.total else self.distortion(m)))

    def shortest(self, members: Sequence[int]) -> int:
        return min(len(self.records[i]) for i in members)

    def distortion(self, members: Sequence[int]) -> Fraction:
        return ggd(self.parent, [self.records[i] for i in members], self.generalized(members))

    def generalized(self, members: Sequence[int]) -> Bag:
        """The meet; or what BUIG makes of the members, one after the other in the order in which they joined."""
        records = [self.records[i] for i in members]
        if not self.printed:
            return meet(self.parent, records)
        return reduce(lambda found, record: buig(self.parent, found, record), records)


# -- Partition (LG)


@dataclass(frozen=True)
class Cut:
    """A node of a cut: `whole` for all below it, else for items equal to it; `open` if it may be split."""

    node: int
    whole: bool = True
    open: bool = True


Group = tuple[list[int], list[Cut]]


class Partition:
    """He and Naughton's Partition, with nothing pruned: every split of a part is tried out. A group is (records, cut)."""

    def __init__(self, parent: Parents, records: Sequence[Bag], owners: Sequence[int], *, k: int, tries: int, split_leftover: bool) -> None:
        self.parent, self.records, self.owners = parent, records, owners
        self.k, self.tries, self.split_leftover = k, tries, split_leftover

    def run(self, order: Sequence[int]) -> list[Group]:
        return self.solve(list(order), [Cut(0)], final=True)

    def solve(self, part: list[int], cut: list[Cut], final: bool) -> list[Group]:
        """A small part follows each of its best few splits to the end and keeps the one that loses least.

        A best split on which all records agree is taken at once.
        """
        small = self.people(part) < 8 * self.k
        splits = sorted(self.splits(part, cut), key=lambda split: -split[0])
        if not splits:
            return [(part, cut)]
        unanimous = len(splits[0][2]) == 1 and not splits[0][3]
        splits = splits[: self.tries if final and small and not unanimous else 1]
        if len(splits) == 1:
            return self.follow(cut, splits[0], final)
        ways = [self.follow(cut, split, final=False) for split in splits]
        best = min(range(len(ways)), key=lambda i: sum(self.loss(group) for group in ways[i]))
        return self.follow(cut, splits[best], final)

    def splits(self, part: list[int], cut: list[Cut]) -> list[tuple[Fraction, int, dict[Bag, list[int]], list[int]]]:
        """What specialising each node of the cut comes to: (gain, place in the cut, good sub-parts, what is left)."""
        found = []
        inner = [at for at, c in enumerate(cut) if c.open and c.whole and not is_leaf(self.parent, c.node)]
        for at in sorted(inner, key=lambda at: -sum(self.gain(i, cut[at].node) for i in part)):
            node = cut[at].node
            subs: dict[Bag, list[int]] = {}
            for i in part:
                subs.setdefault(tuple(sorted({self.child(node, v) for v in self.below(i, node)})), []).append(i)
            good = {key: subs[key] for key in sorted(subs) if self.people(subs[key]) >= self.k}
            left = [i for key in sorted(subs) if key not in good for i in subs[key]]
            if good and self.balance(list(good.values()), left, node):
                gain = sum((self.gain(i, node) for sub in good.values() for i in sub), Fraction(0))
                found.append((gain, at, good, left))
        return found

    def follow(self, cut: list[Cut], split: tuple[Fraction, int, dict[Bag, list[int]], list[int]], final: bool) -> list[Group]:
        _, at, good, left = split
        groups = []
        for key, records in good.items():
            finer = [Cut(c, whole=c != cut[at].node, open=c != cut[at].node) for c in key]
            groups += self.solve(records, [*cut[:at], *finer, *cut[at + 1 :]], final)
        if left:
            banned = [Cut(c.node, c.whole, c.open and self.split_leftover and i != at) for i, c in enumerate(cut)]
            groups += self.solve(left, banned, final)
        return groups

    def loss(self, group: Group) -> Fraction:
        return sum((ncp(self.parent, c.node) * self.covered(i, c) for c in group[1] for i in group[0]), Fraction(0))

    def balance(self, good: list[list[int]], left: list[int], node: int) -> bool:
        """Fills the leftover up to k people in place; where it cannot, nothing that was done counts."""
        if not left or self.people(left) >= self.k:
            return True
        donors = [(sub, i) for sub in good if self.people(sub) > self.k for i in sub]
        for sub, i in sorted(donors, key=lambda donor: (self.gain(donor[1], node), len(self.records[donor[1]]))):
            if self.people(left) >= self.k:
                break
            if self.people([j for j in sub if j != i]) >= self.k:
                sub.remove(i)
                left.append(i)
        return self.people(left) >= self.k

    def below(self, i: int, node: int) -> list[int]:
        return [v for v in self.records[i] if node in up(self.parent, v)]

    def child(self, node: int, item: int) -> int:
        path = up(self.parent, item)
        return node if item == node else path[path.index(node) - 1]

    def gain(self, i: int, node: int) -> Fraction:
        """What telling the children of the node apart wins for one record, in NCP."""

        def after(item: int) -> Fraction:
            return Fraction(0) if item == node else ncp(self.parent, self.child(node, item))

        return sum((ncp(self.parent, node) - after(item) for item in self.below(i, node)), Fraction(0))

    def people(self, records: Sequence[int]) -> int:
        return len({self.owners[i] for i in records})

    def covered(self, i: int, c: Cut) -> int:
        """How many items of a record a node of the cut stands for."""
        return len(self.below(i, c.node)) if c.whole else self.records[i].count(c.node)
