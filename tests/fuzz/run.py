"""A campaign of random runs: `python tests/fuzz/run.py --runs 100000 --seed 1 --log FILE`.

Runs are numbered; a number alone says what is drawn. The log has a line for each run, so that a campaign that was ended goes on where it
was. `--only NUMBER` makes one run again and says what was wrong with it, and `--summary` counts what a log holds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

OF_A_SEED = 10**9  # numbers that belong to a seed


def one(number: int, place: str = "") -> dict[str, Any]:
    """One run by its number, as a line of the log."""
    from fuzz.make.every import method_of
    from fuzz.running import fresh, run_number

    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as aside:
        try:
            with fresh(Path(place or aside) / str(number)) as directory:
                return asdict(run_number(number, directory))
        except Exception:
            wrong = [f"the checker failed: {traceback.format_exc()}"]
            return {"number": number, "method": method_of(number), "command": "", "code": -1, "claims": [], "wrong": wrong, "seconds": 0.0}


def lines_of(log: Path) -> list[dict[str, Any]]:
    """What a log holds; a last line that was cut off is left out."""
    found = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def end_last_line(log: Path) -> None:
    """End a last line that was cut off, so that the next one does not become part of it."""
    if log.exists() and (content := log.read_bytes()) and not content.endswith(b"\n"):
        with log.open("ab") as file:
            file.write(b"\n")


def summary(lines: list[dict[str, Any]]) -> str:
    """Counts by method, exit code and claim, the time of a run, and all failures."""
    codes: dict[str, Counter[int]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    for line in lines:
        codes[line["method"]][line["code"]] += 1
        seconds[line["method"]] += line["seconds"]
        claims.update(line["claims"])
    told = [f"{'method':26}   runs  released  refused  ms a run"]
    for method, found in sorted(codes.items()):
        n = found.total()
        told.append(f"{method:26} {n:6} {found[0]:9} {found[1]:8} {1000 * seconds[method] / n:9.0f}")
    total = Counter(line["code"] for line in lines)
    told += ["", "exit codes: " + ", ".join(f"{code}: {n}" for code, n in sorted(total.items()))]
    told += ["claims recounted: " + ", ".join(f"{name} {n}" for name, n in sorted(claims.items()))]
    failed = [line for line in lines if line["wrong"]]
    told += [f"{len(lines)} runs, {len(failed)} failures"]
    told += [f"  {line['number']}: {line['command']}\n     {'; '.join(line['wrong'])[-1500:]}" for line in failed]
    return "\n".join(told)


def campaign(first: int, runs: int, methods: list[str], jobs: int, log: Path | None) -> int:
    """Make the runs that the log does not have yet; the number of failures."""
    from fuzz.make.every import numbers_from

    done = {line["number"] for line in lines_of(log)} if log else set()
    numbers = [number for number in numbers_from(first, runs, methods) if number not in done]
    began, failures, found = time.monotonic(), 0, []
    if log:
        end_last_line(log)
    with ProcessPoolExecutor(jobs) as pool:
        made = pool.map(one, numbers, chunksize=20) if jobs > 1 else map(one, numbers)
        for count, line in enumerate(made, 1):
            if log:
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            else:
                found.append(line)
            if line["wrong"]:
                failures += 1
                print(f"run {line['number']}: {line['command']}\n   {'; '.join(line['wrong'])}", flush=True)
            if count % 1000 == 0:
                print(f"{count} of {len(numbers)} runs, {count / (time.monotonic() - began):.1f} a second, {failures} failures", flush=True)
    print(summary(lines_of(log) if log else found))
    return failures


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="where the numbers begin: a thousand million for each seed")
    parser.add_argument("--methods", default="", help="these alone, separated by commas")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one run; its files stay in the current directory with --keep")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--summary", action="store_true", help="count what the log holds, and make no runs")
    asked = parser.parse_args()
    if asked.summary:
        print(summary(lines_of(asked.log)))
        return 0
    if asked.only is not None:
        return _again(asked.only, asked.keep)
    methods = [name for name in asked.methods.split(",") if name]
    return 1 if campaign(asked.seed * OF_A_SEED, asked.runs, methods, asked.jobs, asked.log) else 0


def _again(number: int, keep: bool) -> int:
    if keep:
        from fuzz.running import run_number

        place = Path(f"run-{number}").absolute()
        place.mkdir()
        found = asdict(run_number(number, place))
    else:
        found = one(number)
    print(json.dumps(found, indent=1))
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
