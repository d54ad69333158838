"""How many heaps the threads of a program share: for our own programs, not for those that import shoal.

The C library of Linux gives threads heaps of their own, up to eight for each core. Memory that is freed in one heap is not used for
another, so a program that starts threads again and again holds more and more. With one heap per core it holds less, and its peak is lower.
"""

from __future__ import annotations

import os

M_ARENA_MAX = -8  # of mallopt, in malloc.h of glibc


def share_heaps() -> bool:
    """Let threads share one heap per core. False if the C library has no such setting; it must be called before threads start."""
    import ctypes  # only programs that compute need it

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return bool(set_option(M_ARENA_MAX, max(2, os.cpu_count() or 1)))
