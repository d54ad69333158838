"""The rules file in a release directory: what a recoding publishes, so that it can be applied to new data.

It contains no name that the records lack, and no digest of such names, and may be published with them. About the taxonomy it contains the
kind, and which published name is above which. Anyone may have edited it, so it is read strictly, and its results on new data are verified
like any other release.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.data.recoding_rules import Rules
from shoal.errors import InputError
from shoal.io.extra_columns import distinct_keys
from shoal.io.read.source import content_of

RULES = "rules.json"
PARENTS = "published_parents"
_COMMON = {"shoal", "method", "parameters", "taxonomy", "items", "nodes", "sha256"}
_KEYS, _EARLIER_KEYS = _COMMON | {PARENTS}, _COMMON | {"taxonomy_sha256"}


@dataclass(frozen=True)
class RulesFile:
    """Rules with the method that found them, its parameters as in the manifest, and the kind of their taxonomy, if any.

    `parents` maps published names to the nearest published name above each. `taxonomy_sha256` is only in files of earlier versions: it is
    compared if present, and never written. `version` is the version of shoal that wrote the file, if it was read from one.
    """

    rules: Rules
    method: str
    parameters: Mapping[str, Any]
    taxonomy: str | None
    parents: Mapping[str, str] = field(default_factory=dict)
    taxonomy_sha256: str | None = None
    version: str | None = None

    def content(self, version: str) -> str:
        """Return the file content, as written by this version of shoal."""
        content = {
            "shoal": version,
            "method": self.method,
            "parameters": dict(self.parameters),
            "taxonomy": self.taxonomy,
            PARENTS: dict(sorted(self.parents.items())),
            "items": list(self.rules.items),
            "nodes": list(self.rules.nodes),
        }
        return json.dumps({**content, "sha256": _digest(content)}, indent=1, ensure_ascii=False) + "\n"


def read_rules(path: str | Path) -> RulesFile:
    """Read the rules at a path: a file, or a release directory with one. Raise unless they conform strictly."""
    place = Path(path)
    if place.is_dir():
        place = place / RULES
        if not place.exists():
            raise InputError(f"{path} has no {RULES}", code="no-rules-file", hint="only methods that recode items globally write one")
    raw = content_of(place)
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=distinct_keys(place))
    except (ValueError, RecursionError):
        raise InputError(f"{place} is not readable as JSON", code="invalid-json") from None
    if not isinstance(found, dict) or found.keys() not in (_KEYS, _EARLIER_KEYS):
        raise InputError(f"{place} is not a file of rules", code="not-a-rules-file", hint=f"a release directory has them as {RULES}")
    for fault in _faults(found):
        raise InputError(f"{place} is damaged: {fault}", code="not-a-rules-file")
    return RulesFile(
        Rules(tuple(found["items"]), tuple(found["nodes"])),
        found["method"],
        found["parameters"],
        found["taxonomy"],
        found.get(PARENTS, {}),
        found.get("taxonomy_sha256"),
        found["shoal"],
    )


def _faults(content: Mapping[str, Any]) -> list[str]:
    """Return the faults."""
    wrong = [f"{name} must be text" for name in ("shoal", "method", "sha256") if not isinstance(content[name], str)]
    wrong += [f"{name} must be text or null" for name in ("taxonomy", "taxonomy_sha256") if not isinstance(content.get(name), str | None)]
    for name in ("items", "nodes"):
        names = content[name]
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names) or names != sorted(set(names)):
            wrong.append(f"{name} must be different names in alphabetical order")
    parents, names = content.get(PARENTS, {}), _names(content)
    if not isinstance(parents, dict) or not all(isinstance(up, str) and name != up and {name, up} <= names for name, up in parents.items()):
        wrong.append(f"{PARENTS} must map names among its items and nodes to others of them")
    if not isinstance(content["parameters"], dict) or not all(type(v) in _SETTINGS for v in content["parameters"].values()):
        wrong.append("parameters must be one value each")
    if not wrong and content["sha256"] != _digest({name: content[name] for name in content if name != "sha256"}):
        wrong.append("its SHA-256 is another")
    return wrong


def _names(content: Mapping[str, Any]) -> set[str]:
    """Return all names of items and nodes."""
    lists = [content[part] for part in ("items", "nodes") if isinstance(content[part], list)]
    return {name for names in lists for name in names if isinstance(name, str)}


_SETTINGS = {str, int, float, bool, type(None)}


def _digest(content: Mapping[str, Any]) -> str:
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
