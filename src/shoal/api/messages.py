"""Messages for Python users: options are spelled as keywords, such as keep_column. Notes and warnings go to the logger `shoal`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from shoal import kernels
from shoal.data.patience import allowing
from shoal.errors import ParameterError, ShoalError, in_python

__all__ = ["in_python", "log", "log_notes", "spoken_in_python", "using"]

log = logging.getLogger("shoal")


@contextmanager
def spoken_in_python() -> Iterator[None]:
    """Context in which errors refer to the attribute with rare names. They spell options as keywords themselves."""
    try:
        yield
    except ShoalError as error:
        error.naming(False, "the attribute `rare` of this error")
        raise


@contextmanager
def using(threads: int | None, patience: float | None = None) -> Iterator[None]:
    """Context in which kernels use this many threads (default: all cores) and verification has this patience."""
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= kernels.MOST_THREADS):
        what = f"threads must be a whole number from 1 to {kernels.MOST_THREADS}, not {threads!r}"
        raise ParameterError(what, code="out-of-range", value=threads)
    with kernels.using(threads=threads), allowing(patience):
        yield


def log_notes(notes: Iterable[str], warnings: Iterable[str] = ()) -> None:
    """Log notes and warnings to the logger `shoal`, with options spelled as keywords."""
    for note in notes:
        log.info(in_python(note))
    for warning in warnings:
        log.warning(in_python(warning))
