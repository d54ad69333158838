"""Cells that a spreadsheet would take for formulas.

A CSV whose cell begins with =, +, -, @, a tab or a carriage return is harmless to every program that reads text, and may be run by one that
opens it as a sheet. The records are written as they are, because what is read back must be what was published; so it is said.
"""

from __future__ import annotations

import numpy as np

from shoal.data.release import Release

FORMULA = r"^[=+\-@\t\r]"


def formula_notes(release: Release, format: str) -> list[str]:
    """What to know before a written file is opened as a sheet; nothing where no item begins like a formula."""
    if format != "csv":
        return []
    published = release.published
    begins = published.vocabulary.names.str.contains(FORMULA).to_numpy()
    names = len(np.unique(published.items[begins[published.items]]))
    if not names:
        return []
    what = "1 item name begins" if names == 1 else f"{names:,} item names begin"
    return [f"{what} with =, +, -, @ or a tab: import the CSV as text, since a spreadsheet may take such cells for formulas"]
