"""Repeats the experiments of the papers and writes docs/papers.md with their tables and pictures.

    python scripts/refresh_papers.py [PAPER ...]

All by default; with names only those are run again, and the others stay as they are on the page. It takes some minutes for each paper.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from shoal.evaluate.reproduce import PAPERS, reproduced
from shoal.evaluate.reproduce.experiment_page import markdown
from shoal.evaluate.reproduce.files import write_pictures
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.io.experiment_files import ExperimentFiles

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "papers.md"


def main(names: list[str]) -> None:
    """Run the experiments and put what they found on the page."""
    for name in names or list(PAPERS):
        found = reproduced(name, ExperimentSize())
        write_pictures(found, ExperimentFiles(DOCS / "papers" / name, force=True))
        _put(name, markdown(found, f"shoal reproduce {name}", f"papers/{name}/"))
        print(f"{name}: {found.agreeing} of {len(found.findings)} statements were seen here too")


def _put(name: str, part: str) -> None:
    """Between the marks of this paper."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    page = PAGE.read_text("utf-8")
    fresh, n = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n{part}\n{end}", page, flags=re.DOTALL)
    if n != 1:
        raise SystemExit(f"{PAGE.name} must have the marks {begin} and {end} once")
    PAGE.write_text(fresh, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
