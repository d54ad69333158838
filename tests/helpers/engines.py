"""An engine in plain Python that does everything another way: blocks last to first, one thread, a task of its own for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.engines.local_engine import Answer, Block, Kinds, LocalEngine, Things, Work

COORDINATES = 64
SAMPLE = 2048
Row = dict[int, int]


class PlainEngine(LocalEngine):
    """Knows the rows as dictionaries, given in the order in which methods pass them as arrays."""

    def count(self, rows: _kernels.Rows) -> Kinds:
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        kind = [numbers.setdefault(tuple(sorted(row.items())), len(numbers)) for row in as_dictionaries(rows)]
        times = Counter(kind)
        return Kinds(np.array(kind, np.int64), np.array([times[i] for i in range(len(numbers))], np.int64))

    def split(self, things: Things, chosen: Ints, size: int, cut: int = 0) -> list[Ints]:
        at = coordinates(things)
        level = [(chosen.tolist(), max(1, (len(chosen) + size // 2) // size))]
        while any(blocks > 1 for _, blocks in level):
            halves = [halved(at, part, blocks, cut, len(level) + p) for p, (part, blocks) in enumerate(level)]
            level = [half for pair in halves for half in pair]
        return [np.array(part, np.int64) for part, _ in level]

    def map(self, work: Work[Block, Answer], blocks: Sequence[Block]) -> Iterable[Answer]:
        answers = [work(block, _kernels.Task()) for block in reversed(blocks)]
        return reversed(answers)

    def gather(self, answers: Iterable[Answer]) -> list[Answer]:
        return list(answers)


def as_dictionaries(rows: _kernels.Rows) -> list[Row]:
    starts, ids, counts = (np.asarray(part).tolist() for part in (rows.indptr, rows.ids, rows.counts))
    return [dict(zip(ids[a:b], counts[a:b], strict=True)) for a, b in pairwise(starts)]


def root(weight: int, scale: int) -> int:
    return int(min(65535.0, math.sqrt(weight / scale) * 256))


def coordinates(things: Things) -> list[list[int]]:
    """Square roots of the weight on the 63 heaviest nodes, and of the length."""
    rows, weights = as_dictionaries(things.rows), things.weights.tolist()
    mass: Counter[int] = Counter()
    for row in rows:
        for node, count in row.items():
            mass[node] += weights[node] * count
    heavy = sorted((node for node in mass if mass[node] > 0), key=lambda node: (-mass[node], node))[: COORDINATES - 1]
    spare = [0] * (COORDINATES - 1 - len(heavy))
    return [
        [*(root(weights[node] * row.get(node, 0), things.units) for node in heavy), *spare, root(int(length), 1)]
        for row, length in zip(rows, things.lengths, strict=True)
    ]


def noise(a: int, b: int, c: int) -> int:
    """A hash of three numbers: the finalizer of SplitMix64."""
    every_bit = 2**64 - 1
    x = ((a + 1) * 0x9E3779B97F4A7C15 + b * 0xD1B54A32D192ED03 + c * 0x8CB92BA72F3D8DD7) & every_bit
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & every_bit
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & every_bit
    return x ^ (x >> 31)


def widest(at: list[list[int]], part: list[int], cut: int, place: int) -> int:
    sample = part[:: 1 + len(part) // SAMPLE]
    spreads = []
    for c in range(COORDINATES):
        values = [at[thing][c] for thing in sample]
        spread = (sum(v * v for v in values) - sum(values) // len(values) * sum(values)) // len(values)
        spreads.append(spread * (128 + noise(cut, place, c) % 256) // 256 if cut else spread)
    return spreads.index(max(spreads))


def halved(at: list[list[int]], part: list[int], blocks: int, cut: int, place: int) -> list[tuple[list[int], int]]:
    if blocks == 1:
        return [(part, 1)]
    c = widest(at, part, cut, place)
    before = (blocks + 1) // 2
    first = len(part) * before // blocks
    order = sorted(part, key=lambda thing: (-at[thing][c], thing))
    return [(sorted(order[:first]), before), (sorted(order[first:]), blocks - before)]
