"""Software bill of materials of a release: `python scripts/sbom.py DIR` writes DIR/shoal_privacy-VERSION.cdx.json (CycloneDX 1.6).

It lists what is inside a wheel (NOTICE has the same parts) and all packages that a plain install brings, with the versions and licences of
the environment that runs this. shoal must be installed there, and the package `packaging`.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "shoal-privacy"
# What others made and a wheel contains: version where it is known, licence, and the file with its text.
INSIDE = {
    "WordNet": ("3.0", "WordNet", "src/shoal/taxonomy/wordnet-data/LICENSE"),
    "nanobind": (None, "BSD-3-Clause", "licences/nanobind.txt"),
    "robin-map": (None, "MIT", "licences/robin-map.txt"),
    "libc++": (None, "Apache-2.0 WITH LLVM-exception", "licences/llvm.txt"),
    "compiler-rt": (None, "MIT", "licences/zig.txt"),
}
Entry = dict[str, Any]


def main() -> None:
    """Write the bill of materials into the directory that is named."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bill = bill_of_materials()
    file = Path(sys.argv[1]) / f"{NAME.replace('-', '_')}-{bill['metadata']['component']['version']}.cdx.json"
    file.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    print(f"{file}: {len(bill['components'])} components")


def bill_of_materials() -> Entry:
    """Return the bill of the installed version."""
    packages = required(NAME)
    root = package(distribution(NAME))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": root | {"type": "application", "components": [part(name) for name in INSIDE]},
        },
        "components": [package(distribution(name)) for name in sorted(packages) if name != NAME],
        "dependencies": [
            {"ref": reference(name), "dependsOn": sorted(reference(other) for other in needed)} for name, needed in sorted(packages.items())
        ],
    }


# -- entries


def part(name: str) -> Entry:
    """Return the entry of something inside a wheel."""
    version, licence, _ = INSIDE[name]
    entry: Entry = {"type": "data" if name == "WordNet" else "library", "bom-ref": f"inside:{name}", "name": name}
    return entry | ({"version": version} if version else {}) | {"licenses": licences(licence)}


def package(found: Distribution) -> Entry:
    """Return the entry of an installed package."""
    name = canonicalize_name(found.metadata["Name"])
    entry: Entry = {"type": "library", "bom-ref": reference(name), "name": name, "version": found.version, "purl": reference(name)}
    stated = field(found, "License-Expression") or short_licence(found)
    return entry | ({"licenses": licences(stated)} if stated else {})


def field(found: Distribution, name: str) -> str | None:
    """Return a field of the metadata, None if it is not given."""
    values: list[str] = found.metadata.get_all(name, [])
    return next(iter(values), None)


def licences(stated: str) -> list[Entry]:
    """Return a licence as CycloneDX has it: an expression of SPDX identifiers, or a name."""
    spdx = re.fullmatch(r"[A-Za-z0-9.+-]*\d[A-Za-z0-9.+-]*( (WITH|AND|OR) [A-Za-z0-9.+()-]+)*|MIT", stated)
    return [{"expression": stated}] if spdx else [{"license": {"name": stated}}]


def short_licence(found: Distribution) -> str | None:
    """Return the licence by the classifiers, or the field of older metadata if that is a name and not a text."""
    classified = [line.rpartition(" :: ")[2] for line in found.metadata.get_all("Classifier", []) if line.startswith("License ::")]
    stated = field(found, "License") or ""
    return " AND ".join(classified) or (stated if stated and "\n" not in stated else None)


def reference(name: str) -> str:
    """Return the package URL of an installed package."""
    return f"pkg:pypi/{name}@{distribution(name).version}"


# -- dependencies


def required(name: str) -> dict[str, set[str]]:
    """Return a package and all that it requires, directly or not, each with its direct requirements."""
    found: dict[str, set[str]] = {}
    waiting = [(name, frozenset[str]())]
    while waiting:
        current, extras = waiting.pop()
        needed = list(direct_requirements(current, extras))
        known = found.setdefault(current, set())
        new = {canonicalize_name(one.name) for one in needed} - known
        known |= new
        waiting += [(canonicalize_name(one.name), frozenset(one.extras)) for one in needed if canonicalize_name(one.name) in new]
    return found


def direct_requirements(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """Return the requirements that apply here, with the extras that were asked for."""
    for line in distribution(name).requires or []:
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield one


if __name__ == "__main__":
    main()
