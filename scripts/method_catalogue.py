"""Write src/shoal/methods/catalogue.json: the summary, the family and the parameters of every method, for the help of the command line.

Usage: python scripts/method_catalogue.py
"""

from __future__ import annotations

from pathlib import Path

from shoal.methods.catalogue import FILE, catalogue_text

if __name__ == "__main__":
    (Path(__file__).parents[1] / "src" / "shoal" / "methods" / FILE).write_text(catalogue_text(), "utf-8")
