"""Processor time of the last test run by file: `python scripts/test_costs.py [RESULTS...] [--tests] [--top N]`.

RESULTS are JUnit files (default: those of build/test-results). `--tests` lists single tests instead of files.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree as ET


def costs(results: list[Path], *, by_test: bool) -> dict[str, tuple[float, float, int]]:
    """For each file or test: processor time, clock time in seconds, and the number of cases."""
    found: dict[str, tuple[float, float, int]] = defaultdict(lambda: (0.0, 0.0, 0))
    for result in results:
        for case in ET.parse(result).iter("testcase"):
            name = case.get("classname", "").replace(".", "/")
            if by_test:
                name += "::" + case.get("name", "").partition("[")[0]
            spent = next((float(one.get("value", 0)) for one in case.iter("property") if one.get("name") == "processor_seconds"), 0.0)
            processor, clock, cases = found[name]
            found[name] = processor + spent, clock + float(case.get("time", 0)), cases + 1
    return found


def main() -> None:
    """Print the costs, largest first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=Path)
    parser.add_argument("--tests", action="store_true", help="list single tests, their cases together")
    parser.add_argument("--top", type=int, default=60, metavar="N", help="number of lines (default: 60)")
    options = parser.parse_args()
    found = costs(options.results or sorted(Path("build/test-results").glob("*.xml")), by_test=options.tests)
    total = [sum(column) for column in zip(*found.values(), strict=True)]
    print(f"{'processor':>9} {'clock':>9} {'cases':>6}")
    for name, (processor, clock, cases) in [("all", total), *sorted(found.items(), key=lambda one: -one[1][0])][: options.top + 1]:
        print(f"{processor:9.1f} {clock:9.1f} {cases:6}  {name}")


if __name__ == "__main__":
    main()
