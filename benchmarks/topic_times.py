"""Times of learning topics, against reading the same log, in processor seconds; with the memory of both.

Run `python benchmarks/topic_times.py [--users 50000] [--rounds 3]`; times are the shortest of all rounds, memory is the most in any, so
one round shows what one command needs. The digest is of the tree with all words: a faster version must not change it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from common import forget_peak, peak_since, show
from datasets import generated_log
from shoal.data.taxonomy import Taxonomy
from shoal.pipeline.options import TOPICS, Preparation
from shoal.pipeline.prepare import Records, read_records, topics_of
from shoal.taxonomy.learned import FEWEST_PEOPLE


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    show("processor seconds of reading a log and of learning topics from it", [_measured(options.users, options.rounds)])


def _measured(users: int, rounds: int) -> dict[str, Any]:
    path = generated_log(users)
    forget_peak()
    reads, learns = list[float](), list[float]()
    for _ in range(rounds):
        records, reading = _timed(partial(_read, path))
        tree, learning = _timed(partial(_learn, records))
        reads.append(reading)
        learns.append(learning)
        del records
    times = {"reading": min(reads), "learning": min(learns), "ratio": min(learns) / min(reads)}
    return {"users": f"{users:,}", **times, "most MB": round(peak_since()), "tree": _digest(tree)}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    return work(), time.process_time() - started


def _read(path: Path) -> Records:
    return read_records(str(path), Preparation(taxonomy=TOPICS))[0]


def _learn(records: Records) -> Taxonomy:
    return topics_of(records, FEWEST_PEOPLE).taxonomy()


def _digest(tree: Taxonomy) -> str:
    edges = "\n".join(f"{name}\t{up}" for name, up in zip(tree.names.names, tree.parent.tolist(), strict=True))
    return sha256(edges.encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
