"""Messages for Python users: options are spelled as keywords, such as keep_column."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shoal import kernels
from shoal.data.patience import allowing
from shoal.errors import ParameterError, ShoalError, in_python

__all__ = ["in_python", "spoken_in_python", "using"]


@contextmanager
def spoken_in_python() -> Iterator[None]:
    """Errors raised inside state where their rare names are available. They spell options as keywords themselves."""
    try:
        yield
    except ShoalError as error:
        error.naming(False, "the attribute `rare` of this error")
        raise


@contextmanager
def using(threads: int | None, patience: float | None = None) -> Iterator[None]:
    """Kernels called inside use this many threads, by default all; judgements made inside have this patience."""
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= kernels.MOST_THREADS):
        what = f"threads must be a whole number from 1 to {kernels.MOST_THREADS}, not {threads!r}"
        raise ParameterError(what, code="out-of-range", value=threads)
    with kernels.using(threads=threads), allowing(patience):
        yield
