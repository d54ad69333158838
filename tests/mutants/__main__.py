"""Change the judges, one place at a time, and run their tests: `python -m tests.mutants --share 0.1 [--only k_anonymity,support]`.

A mutant is killed if a test fails that reaches the changed line, or if it runs for too long. The others survive: either the change makes
no difference, which `equivalent.toml` lists with the reason, or a test is missing. The log has one line per mutant, and the same command
continues it; `--again` tries those of the log again that were not killed. `--summary` counts a log, and `--survivors` lists what it has of
survivors. With `--kernels`, the kernels in C++ that judges count with are changed instead.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("SHOAL_TEST_TURN", "0")  # the same part of each large family of cases for all mutants
os.environ.setdefault("POLARS_MAX_THREADS", "1")


def main() -> int:
    """The command line."""
    import pytest

    from mutants.equivalent import Equivalents
    from mutants.judges import KERNEL_TESTS, ROOT, TESTS, all_mutants, judges, load_judges
    from mutants.kernels.build import MarkedKernels, build, kernel_mutants
    from mutants.kernels.server import KernelServer
    from mutants.log import Log, ends_of, summary, survivors
    from mutants.server import MutantServer

    options = _parser().parse_args()
    only = options.only.split(",") if options.only else None
    all_of_them = kernel_mutants() if options.kernels else all_mutants()
    every = [found for found in all_of_them if only is None or found[0].stem in only]
    if options.summary or options.survivors:
        found = ends_of(Log(options.log), [(name, mutant) for _, name, mutant in every], Equivalents())
        print(survivors(found) if options.survivors else summary(found))
        return 0
    os.chdir(ROOT)

    def work(server: MutantServer) -> None:
        _try_all(server, every, options)

    tests, cache = options.tests or TESTS, ROOT / "build" / "mutants"
    if options.kernels:
        kernels = MarkedKernels(build(), len(all_of_them))
        places = [(path, mutant) for path, _, mutant in all_of_them]
        files = sorted({path for path, _ in places})
        server: MutantServer = KernelServer(kernels, places, files, cache / "kernels", work, options.budget)
        tests = options.tests or (*TESTS, *KERNEL_TESTS)
    else:
        load_judges()
        server = MutantServer(judges(), cache, work, options.budget)
    quiet = ("-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-W", "ignore::pytest.PytestWarning")
    return int(pytest.main([*quiet, *tests], plugins=[server]))


def _try_all(server: Any, every: list[tuple[Path, str, Any]], options: argparse.Namespace) -> None:
    """Try the mutants that the log does not have yet, in random order, so that a run that is stopped has a sample of all files."""
    from mutants.equivalent import Equivalents
    from mutants.judges import module_of
    from mutants.log import KILLED, LATE, PASSED, Log

    log, listed = Log(options.log), Equivalents()
    rng, end = random.Random(options.seed), time.monotonic() + 3600 * options.hours
    print(f"{len(every)} mutants", flush=True)
    rng.shuffle(every)
    for path, name, mutant in every[: round(options.share * len(every))]:
        known = log.end(name, mutant, current=True)
        if listed.reason(name, mutant) or known in {KILLED, LATE} or (known is not None) != options.again:
            continue
        if time.monotonic() > end:
            break
        began = os.times()
        outcome = server.outcome(module_of(path) if path.suffix == ".py" else "", path, mutant)
        ended = os.times()
        seconds = ended.children_user + ended.children_system - began.children_user - began.children_system
        if not known or outcome in {KILLED, LATE, PASSED}:  # fewer tests may not reach what others reached
            log.add(name, mutant, outcome, round(seconds, 2))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", action="store_true", help="change the kernels of cpp/judge")
    parser.add_argument("--only", default="", metavar="A,B", help="only these files of shoal.privacy or cpp/judge")
    parser.add_argument("--share", type=float, default=1.0, help="share of the mutants, drawn by --seed (default: all)")
    parser.add_argument("--hours", type=float, default=1e6, help="start no mutant after this many hours")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of processor time for one mutant (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="another order of the mutants")
    parser.add_argument("--log", type=Path, metavar="FILE", help="log to write, and to continue if it exists")
    parser.add_argument("--again", action="store_true", help="try the survivors of the log again, and no others")
    parser.add_argument("--summary", action="store_true", help="count what the log contains")
    parser.add_argument("--survivors", action="store_true", help="list the survivors in the log")
    parser.add_argument("tests", nargs="*", metavar="TESTS", help="other tests than those of judges")
    return parser


if __name__ == "__main__":
    sys.exit(main())
