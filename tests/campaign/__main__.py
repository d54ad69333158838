"""Run a campaign of random cases: `python -m tests.campaign --runs 100000 --seed 1 --log FILE`.

Cases are numbered, and a number alone determines the case. The log has one line per case, so a campaign that was stopped continues where
it was. `--only NUMBER` repeats one case, `--shrink NUMBER` reduces a failing one and keeps it as a test, `--summary` counts a log.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# Set before polars is imported: threads of its own cost more than they gain on small data, and advice would search for minutes.
for name, value in {"POLARS_MAX_THREADS": "1", "SHOAL_ADVICE": "0", "SHOAL_PROGRESS": "off"}.items():
    os.environ.setdefault(name, value)


def main() -> int:
    """The command line."""
    from campaign.driver import Plan, campaign, lines_of, repeat
    from campaign.figures import OF_A_SEED, write_figures
    from campaign.shrink import keep
    from campaign.summary import summary

    parser = _parser()
    options = parser.parse_args()
    if options.figures and not options.commit:
        parser.error("--figures needs --commit")
    if options.summary:
        print(summary([line for log in options.summary for line in lines_of(log)]))
        return 0
    if options.figures:
        lines = [line for log in options.figures for line in lines_of(log)]
        print(write_figures(lines, f"`{options.commit}`", f"{datetime.now(UTC):%Y-%m-%d}"))
        return 0
    if options.shrink is not None:
        print(keep(options.shrink))
        return 0
    if options.only is not None:
        outcome = repeat(options.only, options.keep)
        print(json.dumps(outcome, indent=1))
        return 1 if outcome["wrong"] else 0
    methods = tuple(name for name in options.methods.split(",") if name)
    plan = Plan(options.seed * OF_A_SEED, options.runs, methods, options.jobs, options.hours)
    return 1 if campaign(plan, options.log) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.campaign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10**9, help="number of cases (default: until --hours have passed)")
    parser.add_argument("--hours", type=float, default=1.0, help="stop after this many hours (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="other cases: a thousand million numbers for each seed")
    parser.add_argument("--methods", default="", metavar="A,B", help="only these methods")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="number of processes (default: one per core)")
    parser.add_argument("--log", "--resume", dest="log", type=Path, metavar="FILE", help="log to write, and to continue if it exists")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="repeat one case; with --keep its files stay in the current directory")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--shrink", type=int, metavar="NUMBER", help="reduce a failing case and keep it in tests/fuzz/kept")
    parser.add_argument("--summary", type=Path, nargs="+", metavar="LOG", help="count what these logs contain")
    parser.add_argument("--figures", type=Path, nargs="+", metavar="LOG", help="add the counts of these logs to docs/reliability.md")
    parser.add_argument("--commit", default="", metavar="HASH", help="with --figures: the commit that was tested")
    return parser


if __name__ == "__main__":
    sys.exit(main())
