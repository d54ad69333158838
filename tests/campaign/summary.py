"""The summary of a log: counts by method, exit code, claim, further property, format and size, and every failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

SIZES = (5, 10, 20, 40)  # upper ends of the classes of numbers of people


def summary(lines: list[dict[str, Any]]) -> str:
    """The counts as text. Logs of earlier versions have no formats, sizes and properties."""
    codes: dict[str, Counter[int]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("claims", "then", "form", "to", "size", "twist")}
    for line in lines:
        codes[line["method"]][line["code"]] += 1
        seconds[line["method"]] += line["seconds"]
        counts["claims"].update(line["claims"])
        counts["then"].update(line.get("then", []) if line["code"] == 0 else [])
        counts["form"].update([line["form"]] if line.get("form") else [])
        counts["to"].update([line["to"]] if line.get("to") and line["code"] == 0 else [])
        counts["twist"].update([line["twist"]] if line.get("twist") else [])
        counts["size"].update([_size(line["people"])] if line.get("people") else [])
    text = [f"{'method':26}   runs  released  refused  ms a run"]
    for method, found in sorted(codes.items()):
        n = found.total()
        text.append(f"{method:26} {n:6} {found[0]:9} {found[1]:8} {1000 * seconds[method] / n:9.0f}")
    exits = Counter(line["code"] for line in lines)
    text += ["", "exit codes: " + ", ".join(f"{code}: {n}" for code, n in sorted(exits.items()))]
    titles = {
        "claims": "claims recounted",
        "then": "further properties of releases",
        "form": "inputs",
        "to": "releases by format",
        "size": "people in the input",
        "twist": "unusual inputs",
    }
    text += [f"{titles[name]}: " + ", ".join(f"{key} {n}" for key, n in sorted(found.items())) for name, found in counts.items() if found]
    failed = [line for line in lines if line["wrong"]]
    text += [f"{len(lines)} runs, {exits[0]} releases, {len(failed)} failures"]
    text += [f"  {line['number']}: {line['command']}\n     {'; '.join(line['wrong'])[-1500:]}" for line in failed]
    return "\n".join(text)


def _size(people: int) -> str:
    return next((f"up to {most:2}:" for most in SIZES if people <= most), f"more than {SIZES[-1]}:")
