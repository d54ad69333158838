"""Build the documentation site: `python docs/site/build.py [--out build/site]`. A warning, such as a broken link, is an error.

The sources are gathered next to the site first: copies of the pages of the repository, and pages made from the program itself.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from commands import write_commands
from guarantees import write_guarantees
from navigation import write_index
from python_names import write_python_names
from sources import ROOT, copy_pages

HERE = Path(__file__).resolve().parent


def gather(target: Path) -> None:
    """Write all sources of the site below a directory. What is left of another build is removed first."""
    shutil.rmtree(target, ignore_errors=True)
    copy_pages(target)
    write_commands(target)
    write_python_names(target)
    write_index(target, write_guarantees(target))


def main() -> int:
    """Build the site and return the exit code of Sphinx."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="directory of the site [default: build/site]")
    out = parser.parse_args().out.resolve()
    sources, state = out.with_name(f"{out.name}-sources"), out.with_name(f"{out.name}-state")
    shutil.rmtree(out, ignore_errors=True)
    gather(sources)
    code = build_main(["-b", "html", "-q", "-E", "-W", "--keep-going", "-c", str(HERE), "-d", str(state), str(sources), str(out)])
    if code == 0:
        print(f"{out / 'index.html'}: {len(list(out.rglob('*.html')))} pages")
    return code


if __name__ == "__main__":
    sys.exit(main())
