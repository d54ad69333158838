"""Numbers as people read them: of things, in the singular for one and in the plural for any other number; and shares in percent."""

from __future__ import annotations

import math


def counted(n: int, one: str, several: str = "") -> str:
    """A number of things; `several` is their plural where an s is not enough. A verb can go along: `record is`, `records are`."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """A share of one in percent. What is not nothing is never written as 0, and what is not all never as 100."""
    if not math.isfinite(share):
        return "not defined"
    if share in {0, 1}:
        return f"{share:.0%}"
    least = 10.0 ** -(digits + 2)
    written, nothing, everything = (f"{value:.{digits}%}" for value in (share, 0.0, 1.0))
    if written.lstrip("-") == nothing:
        return f"<{least:.{digits}%}" if share > 0 else f">-{least:.{digits}%}"
    if written == everything:
        return f">{1 - least:.{digits}%}" if share < 1 else ">100%"
    return written
