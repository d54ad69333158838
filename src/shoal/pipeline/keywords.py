"""Messages for Python: what the command line calls --keep-column is the keyword keep_column here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from shoal import kernels
from shoal.data.patience import allowing
from shoal.errors import ParameterError, ShoalError

FLAGS = frozenset({"header", "strict", "bag", "bound", "force", "whole", "no_guarantee"})
_VALUE = r"[A-Z]{3,}|\d+|querylog|table|transactions|microdata|documents|prompts|session|event|exact|folded|keep|drop|refuse"
_OPTION = re.compile(rf"(?<![\w'-])--(no-)?([a-z][a-z-]*)(?:/--[a-z-]+)?(?: ({_VALUE})\b)?")
_NEXT = re.compile(r"(=[^\s,]+) (?=[a-z_]+=)")


@contextmanager
def spoken_in_python() -> Iterator[None]:
    """Errors raised inside name keywords instead of options."""
    try:
        yield
    except ShoalError as error:
        error.message, error.hint = in_python(error.message), in_python(error.hint)
        if error.rare:
            names = "the attribute `rare` of this error names them"
            error.hint = f"{error.hint}; {names}" if error.hint else names
        raise


@contextmanager
def using(threads: int | None, patience: float | None = None) -> Iterator[None]:
    """Kernels called inside use this many threads, by default all; judgements made inside have this patience."""
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= kernels.MOST_THREADS):
        raise ParameterError(f"threads must be a whole number from 1 to {kernels.MOST_THREADS}, not {threads!r}", value=threads)
    with kernels.using(threads=threads), allowing(patience):
        yield


def in_python(text: str) -> str:
    """The text with options written as keywords: --per session as per="session", --no-header as header=False."""
    return _NEXT.sub(r"\1, ", _OPTION.sub(_keyword, text))


def _keyword(found: re.Match[str]) -> str:
    negated, option, value = found.groups()
    name = option.replace("-", "_")
    if negated and f"no_{name}" in FLAGS:
        return f"no_{name}=True"
    if negated or name in FLAGS:
        return f"{name}={not negated}"
    if value is None:
        return name
    return f"{name}={value}" if value.isdigit() or value.isupper() else f'{name}="{value}"'
