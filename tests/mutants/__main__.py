"""Change the judges, one place at a time, and run their tests: `python -m tests.mutants --share 0.1 [--only k_anonymity,support]`.

A mutant is killed if a test of its judge fails. The others survive: either the change makes no difference, or a test is missing. The log
has one line per mutant, and the same command continues it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("SHOAL_TEST_TURN", "0")  # the same part of each large family of cases for all mutants


def main() -> int:
    """The command line."""
    from mutants.change import mutants
    from mutants.run import LATE, PASSED, judges, load_packages, outcome, own_tests

    options = _parser().parse_args()
    known = _lines(options.log)
    done = {(line["file"], line["line"], line["change"]) for line in known}
    load_packages()
    rng = random.Random(options.seed)
    for judge in judges():
        if options.only and judge.stem not in options.only.split(","):
            continue
        chosen = [mutant for mutant in mutants(judge.read_text(encoding="utf-8")) if rng.random() < options.share]
        tests = own_tests(judge)
        if chosen and outcome(judge, None, tests) != PASSED:
            print(f"{judge.stem}: its tests fail as it is", flush=True)
            continue
        for mutant in chosen:
            if (judge.name, mutant.line, mutant.change) in done:
                continue
            line = {"file": judge.name, "line": mutant.line, "change": mutant.change, "end": outcome(judge, mutant.source, tests)}
            known.append(line)
            if options.log:
                with options.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            if line["end"] in {PASSED, LATE}:
                print(f"{judge.name}:{mutant.line}: {mutant.change}: {line['end']}", flush=True)
    print(_summary(known))
    return 0


def _lines(log: Path | None) -> list[dict[str, str | int]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log and log.exists() else []


def _summary(lines: list[dict[str, str | int]]) -> str:
    """Killed and surviving mutants by file."""
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(str(line["file"]), Counter())[str(line["end"])] += 1
    text = [f"{name:32} {found['killed']:5} of {found.total():5} killed" for name, found in sorted(counts.items())]
    everything = sum(counts.values(), Counter[str]())
    return "\n".join([*text, f"{'all':32} {everything['killed']:5} of {everything.total():5} killed"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="A,B", help="only these files of shoal.privacy")
    parser.add_argument("--share", type=float, default=1.0, help="share of the mutants, drawn by --seed (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, metavar="FILE", help="log to write, and to continue if it exists")
    return parser


if __name__ == "__main__":
    sys.exit(main())
