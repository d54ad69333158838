"""Change the judges, one place at a time, and run their tests: `python -m tests.mutants --share 0.1 [--only k_anonymity,support]`.

A mutant is killed if a test fails that reaches the changed line, or if it runs for too long. The others survive: either the change makes
no difference, or a test is missing. The log has one line per mutant, and the same command continues it; `--summary` counts it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("SHOAL_TEST_TURN", "0")  # the same part of each large family of cases for all mutants
os.environ.setdefault("POLARS_MAX_THREADS", "1")


def main() -> int:
    """The command line."""
    import pytest

    from mutants.judges import ROOT, TESTS, judges, load_judges
    from mutants.server import MutantServer

    options = _parser().parse_args()
    if options.summary:
        print(summary(_lines(options.log)))
        return 0
    load_judges()
    os.chdir(ROOT)
    files = [judge for judge in judges() if not options.only or judge.stem in options.only.split(",")]
    server = MutantServer(judges(), ROOT / "build" / "mutants", lambda server: _try_all(server, files, options))
    quiet = ("-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning")
    return int(pytest.main([*quiet, *(options.tests or TESTS)], plugins=[server]))


def _try_all(server: Any, files: list[Path], options: argparse.Namespace) -> None:
    """Try the mutants that the log does not have yet, in random order, so that a run that is stopped has a sample of all files."""
    from mutants.change import mutants
    from mutants.judges import JUDGES, module_of

    known = _lines(options.log)
    done = {(line["file"], line["line"], line["change"]) for line in known}
    rng, end = random.Random(options.seed), time.monotonic() + 3600 * options.hours
    every = [(path, mutant) for path in files for mutant in mutants(path.read_text(encoding="utf-8"))]
    print(f"{len(every)} mutants", flush=True)
    rng.shuffle(every)
    for path, mutant in every[: round(options.share * len(every))]:
        name = str(path.relative_to(JUDGES).with_suffix(""))
        if (name, mutant.line, mutant.change) in done:
            continue
        if time.monotonic() > end:
            break
        began = os.times()
        line = {"file": name, "line": mutant.line, "change": mutant.change, "end": server.outcome(module_of(path), path, mutant)}
        ended = os.times()
        line["seconds"] = round(ended.children_user + ended.children_system - began.children_user - began.children_system, 2)
        known.append(line)
        if options.log:
            with options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    print(summary(known))


def _lines(log: Path | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log and log.exists() else []


def summary(lines: list[dict[str, Any]]) -> str:
    """The numbers of mutants by file and end."""
    ends = sorted({str(line["end"]) for line in lines})
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(str(line["file"]), Counter())[str(line["end"])] += 1
    counts["all"] = sum(counts.values(), Counter[str]())
    heads = "".join(f"{end:>13}" for end in ends)
    return "\n".join([f"{'':36}{heads}", *(f"{name:36}{''.join(f'{found[end]:13}' for end in ends)}" for name, found in counts.items())])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="A,B", help="only these files of shoal.privacy")
    parser.add_argument("--share", type=float, default=1.0, help="share of the mutants, drawn by --seed (default: all)")
    parser.add_argument("--hours", type=float, default=1e6, help="start no mutant after this many hours")
    parser.add_argument("--seed", type=int, default=0, help="another order of the mutants")
    parser.add_argument("--log", type=Path, metavar="FILE", help="log to write, and to continue if it exists")
    parser.add_argument("--summary", action="store_true", help="count what the log contains")
    parser.add_argument("tests", nargs="*", metavar="TESTS", help="other tests than those of judges")
    return parser


if __name__ == "__main__":
    sys.exit(main())
