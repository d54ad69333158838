"""Matching of two lists by augmenting paths, for the plain recounts of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def placed(n_left: int, n_right: int, fits: Callable[[int, int], bool]) -> Iterator[bool]:
    """Yield for each position on the left whether it can be matched together with all matched before; a right one is used once.

    The number of `True` is the size of a largest matching.
    """
    partner: dict[int, int] = {}

    def place(left: int, tried: set[int]) -> bool:
        for right in range(n_right):
            if right not in tried and fits(left, right):
                tried.add(right)
                if right not in partner or place(partner[right], tried):
                    partner[right] = left
                    return True
        return False

    return (place(left, set()) for left in range(n_left))
