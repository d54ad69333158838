"""Let faults befall random commands: `python -m tests.faults --trials 2000 --seed 1 --log FILE`.

Each command runs once without a fault, and then once with each: killed, interrupted or terminated at a random moment, the disk full or an
error at a random write, an error at a random read, a directory that becomes read-only, refused memory, a clock that jumps, two runs into
one directory. After each the files are checked, and the same command runs again. The log has one line per trial, and `--summary` counts
logs. `--signals` tries only signals, twelve for each command, and `--commands` only signals, on the commands beside `anonymize`.
`--studio` sends signals to a studio and to its jobs. `--workers` kills workers of a Spark cluster.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faults.trials import Trial

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
for name, value in {"POLARS_MAX_THREADS": "1", "SHOAL_ADVICE": "0", "SHOAL_PROGRESS": "off"}.items():
    os.environ.setdefault(name, value)
COMMANDS = 3  # beside each release
OF_A_SEED = 10**9  # numbers of commands that belong to a seed


def main() -> int:
    """The command line."""
    from faults.interposed import start_again_with_it

    options = _parser().parse_args()
    if options.summary:
        print(summary([json.loads(line) for log in options.summary for line in log.read_text(encoding="utf-8").splitlines()]))
        return 0
    with tempfile.TemporaryDirectory(prefix="shoal-faults-") as place:
        if not options.workers:
            start_again_with_it(Path(place))
        return 1 if trials(options, Path(place)) else 0


def trials(options: argparse.Namespace, place: Path) -> int:
    """Make trials, print a summary, and return the number of failures."""
    import shoal.cli.anonymize  # noqa: F401 - so that forks have it

    made: list[dict[str, Any]] = []
    for trial in islice(_trials(options, place), options.trials):
        made.append(asdict(trial))
        if options.log:
            with options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(made[-1]) + "\n")
        if trial.wrong:
            print(f"{trial.number} {trial.command} {trial.method}, {trial.fault} {trial.place}: {'; '.join(trial.wrong)}", flush=True)
    print(summary(made))
    return sum(bool(trial["wrong"]) for trial in made)


def _trials(options: argparse.Namespace, place: Path) -> Iterator[Trial]:
    """Trials without end."""
    from faults.cluster_workers import worker_trials
    from faults.commands import commands_beside
    from faults.studios import studio_trials
    from faults.trials import FAULTS, ONLY_SIGNALS, Befallen

    if options.studio:
        yield from studio_trials(options.seed, place / "studio")
    if options.workers:
        yield from worker_trials(options.seed, place / "workers")
    for number in count(options.seed * OF_A_SEED):
        befallen = Befallen(number, place / str(number))
        if befallen.reference():
            if options.commands:
                for one in commands_beside(befallen, COMMANDS):
                    yield from one.trials(ONLY_SIGNALS)
            else:
                yield from befallen.trials(ONLY_SIGNALS if options.signals else FAULTS)
        befallen.remove()


def summary(made: list[dict[str, Any]]) -> str:
    """Count trials by fault, and those in which it ended the run or something was wrong."""
    counts: dict[str, Counter[str]] = {}
    for trial in made:
        found = counts.setdefault(trial["fault"], Counter())
        found.update(trials=1, ended=trial["hit"] and trial["code"] != 0, failures=bool(trial["wrong"]))
    every = sum(counts.values(), Counter[str]())
    lines = [
        f"{fault:12} {found['trials']:6} trials, {found['ended']:6} ended the run, {found['failures']:4} failures"
        for fault, found in sorted(counts.items())
    ]
    commands = len({(trial["number"], trial.get("command")) for trial in made})
    return "\n".join([*lines, f"{every['trials']} trials on {commands} commands, {every['failures']} failures"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000, help="stop after so many (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="other commands and moments")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--signals", action="store_true", help="only signals")
    which.add_argument("--commands", action="store_true", help="only signals, on other commands than anonymize")
    which.add_argument("--studio", action="store_true", help="only signals, on a studio that publishes")
    which.add_argument("--workers", action="store_true", help="only killed workers of a Spark cluster, which the program starts")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line for each trial")
    parser.add_argument("--summary", type=Path, nargs="+", metavar="LOG", help="count what these logs contain")
    return parser


if __name__ == "__main__":
    sys.exit(main())
