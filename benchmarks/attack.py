"""Attacks: processor time and memory of `shoal attack` on a generated log, beside making the release, and of blocks beside single people.

    python benchmarks/attack.py [--users 50000] [--targets 1000] [--k 5]

Each command runs in a process of its own; times are of the processor, of all threads. The attacks are made one by one, without a control
group, so that a row is one attack on the original and on the release, with reading, preparing and making the release again (the row
"nothing attacked" is that alone). The last table scores some people one at a time instead of in blocks.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from common import RESULTS, show
from shoal.attacks import ATTACKS, matching
from shoal.evaluate.attack.stage import raw_stage
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

ALONE = ("known-items", "two-halves", "one-more-item", "profile-over-time")
FEW = 64  # people who are scored one at a time


def command(*words: str) -> tuple[float, float]:
    """Processor seconds and the most megabytes of a command of shoal."""
    memory_line = "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    code = f"import resource, sys; from shoal.cli.main import run; run(sys.argv[1:]); {memory_line}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(done.stderr.splitlines()[-1]) / 1024


def measured(directory: Path, users: int, targets: int, k: int) -> list[dict[str, object]]:
    """Every command: making the release, nothing attacked, each attack alone, and all of them with a control group."""
    log, release = str(directory / "log.tsv"), str(directory / "release")
    command("generate", log, "--users", str(users), "--seed", "7")
    base, memory = command("anonymize", log, "--k", str(k), "--out", release)
    rows: list[dict[str, object]] = [{"command": "anonymize", "seconds": round(base, 1), "ratio": 1.0, "MB": round(memory)}]
    attack = ("attack", log, release, "--targets", str(targets), "--json")
    works: dict[str, tuple[str, ...]] = {"nothing attacked": ("--control", "0", "--attack", "personas")}
    works |= {name: ("--control", "0", "--attack", name) for name in ALONE}
    works["these four, with a control group"] = tuple(word for name in ALONE for word in ("--attack", name))
    for name, options in works.items():
        seconds, memory = command(*attack, *options)
        rows.append({"command": name, "seconds": round(seconds, 1), "ratio": round(seconds / base, 2), "MB": round(memory)})
    return rows


def in_blocks(directory: Path) -> list[dict[str, object]]:
    """The same people, in blocks and one at a time, on the original as it is."""
    stage = raw_stage(prepare((directory / "log.tsv",), Preparation()).original)
    people = stage.people(stage.drawn(0, FEW))
    rows: list[dict[str, object]] = []
    for size in (1, matching.BLOCK):
        matching.BLOCK = size
        begun = time.process_time()
        ATTACKS["known-items"]().trials(stage.scene, people, 0)
        rows.append({"people at a time": size, "seconds": round(time.process_time() - begun, 2)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=50_000)
    parser.add_argument("--targets", type=int, default=1_000)
    parser.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        rows = measured(Path(place), options.users, options.targets, options.k)
        show(f"{options.users:,} people, {options.targets:,} attacked, k = {options.k}", rows)
        blocks = in_blocks(Path(place))
        show(f"known-items on {FEW} people of the original", blocks)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "attack.json").write_text(json.dumps({"commands": rows, "blocks": blocks}, indent=2))


if __name__ == "__main__":
    main()
