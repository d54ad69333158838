"""Write the table of what a cluster cannot do into docs/scale.md, from `shoal.cluster.limits`.

    python scripts/cluster_limits.py

`tests/cluster/test_cluster_limits.py` finds a page that is not current.
"""

from __future__ import annotations

import re
from pathlib import Path

from shoal.cli.screen import in_shell
from shoal.cluster.limits import FORMATS, LIMITS, OTHER_OPTIONS, Limit
from shoal.errors import options_of
from shoal.methods import METHODS, Method

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- limits: written by scripts/cluster_limits.py -->\n", "<!-- end of limits -->\n"


def table() -> str:
    """The table as Markdown."""
    rows = [_row(limit) for limit in (*LIMITS, *OTHER_OPTIONS.values(), FORMATS)]
    return "\n".join(["| option or feature | reason | methods | error code |", "| --- | --- | --- | --- |", *rows]) + "\n"


def _row(limit: Limit) -> str:
    """One limit; methods are named where not all are meant."""
    meant = [name for name in METHODS if issubclass(METHODS[name], limit.methods)]
    named = "all" if Method in limit.methods else ", ".join(f"`{name}`" for name in meant)
    what = in_shell(limit.what)
    for name in options_of(limit.what):
        what = re.sub(rf"--{name}( whole)?", r"`\g<0>`", what)
    return f"| {what} | {limit.reason} | {named} | `{limit.code}` |"


def page(text: str) -> str:
    """The page with the table of today."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
