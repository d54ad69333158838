"""Prints the lowest allowed version of each dependency, as requirements for pip: `python scripts/lowest_versions.py [EXTRA...]`.

`pip install -r <(python scripts/lowest_versions.py)` makes an environment with them, on which scripts/quick_tests.sh runs every night.
Without that, a bound would be a guess.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[A-Za-z0-9-]+(\[[a-z,]+\])?)>=(?P<version>[0-9.]+)")


def lowest(requirements: list[str]) -> list[str]:
    """Return each requirement with its lower bound as the only version; one without a lower bound is an error."""
    bounds = [BOUND.match(requirement) for requirement in requirements]
    if unbounded := [text for text, bound in zip(requirements, bounds, strict=True) if bound is None]:
        raise ValueError(f"without a lower bound: {', '.join(unbounded)}")
    return [f"{bound['name']}=={bound['version']}" for bound in bounds if bound]


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    chosen = [one for extra in sys.argv[1:] for one in project["optional-dependencies"][extra]]
    print(*lowest(project["dependencies"] + chosen), sep="\n")
