"""Random small data through `cahd`, with random parameters; the claim recounted from the written files, with nothing of shoal."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from helpers_cli import Shell

RUNS, PARTS = 24, 4


def recounted(release: Path, baskets: list[set[str]], sensitive: set[str], p: int) -> list[str]:
    """What is wrong in the two files of a release of these baskets."""
    rows, counts = (
        [json.loads(line) for line in (release / f"records_{part}.jsonl").read_text().splitlines()] for part in ("rows", "histogram")
    )
    sizes = Counter(row["group"] for row in rows)
    wrong = [f"{line['item']} too often" for line in counts if line["count"] * p > sizes[line["group"]]]
    if Counter(frozenset(row["items"]) for row in rows) != Counter(frozenset(basket - sensitive) for basket in baskets):
        wrong.append("other rows than the records without sensitive items")
    told: Counter[str] = Counter()
    for line in counts:
        told[line["item"]] += line["count"]
    if told != Counter(item for basket in baskets for item in basket & sensitive):
        wrong.append("other totals")
    return wrong


@pytest.mark.parametrize("part", range(PARTS))
def test_the_claim_holds_in_the_written_files(part: int, shell: Shell) -> None:
    written = 0
    for run in range(part, RUNS, PARTS):
        rng = random.Random(run)
        items = [f"item {i}" if i % 3 else f'odd;"{i},' for i in range(rng.choice([2, 4, 9]))]
        sensitive = {f"s{i}" for i in range(rng.choice([1, 2, 4]))}
        baskets = [set(rng.sample(items, rng.randint(1, len(items)))) for _ in range(rng.choice([4, 12, 40, 80]))]
        for name in sorted(sensitive):
            for basket in rng.sample(baskets, rng.randint(1, max(1, len(baskets) // 6))):
                basket.add(name)
        people = rng.choice([len(baskets), 7])
        rows = [{"user": n % people, "basket": n, "item": item} for n, basket in enumerate(baskets) for item in sorted(basket)]
        shell.file("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        p, out = rng.choice([2, 3, 4, 6]), f"release{run}"
        answer = shell("anonymize", "in.jsonl", "--user", "user", "--item", "item", "--record", "basket", "--method", "cahd", "--p", str(p),
                       "--search", rng.choice(["content", "band"]), "--alpha", rng.choice(["1", "3"]), "--to", "jsonl", "--out", out,
                       "--sensitive", "items:" + "|".join(sorted(sensitive)))  # fmt: skip
        most = max(sum(name in basket for basket in baskets) for name in sensitive)
        if answer.code == 0:
            written += 1
            assert not recounted(shell.directory / out, baskets, sensitive, p), f"run {run}"
        else:
            assert answer.code == 1, f"run {run}: {answer}"
            assert most * p > len(baskets) or people < len(baskets) or people < p, f"run {run}: {answer}"
    assert written


def test_the_recount_can_object(tmp_path: Path) -> None:
    (tmp_path / "records_rows.jsonl").write_text('{"group": 1, "items": ["a"]}\n{"group": 1, "items": ["b"]}\n')
    (tmp_path / "records_histogram.jsonl").write_text('{"group": 1, "item": "s", "count": 1}\n')
    baskets = [{"a", "s"}, {"b"}]
    assert not recounted(tmp_path, baskets, {"s"}, 2)
    assert recounted(tmp_path, baskets, {"s"}, 3) == ["s too often"]
    assert recounted(tmp_path, [{"a"}, {"b"}], {"s"}, 2) == ["other totals"]
    assert recounted(tmp_path, [{"a", "s"}, {"c"}], {"s"}, 2) == ["other rows than the records without sensitive items"]
