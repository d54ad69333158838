"""Items that are made beside: the same, in the same order, with the same errors, and nothing goes on when nobody wants more."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest

from shoal import kernels
from shoal.ahead import ahead


def numbers(n: int, made: list[int], fails_at: int = -1) -> Generator[int, None, None]:
    try:
        for number in range(n):
            if number == fails_at:
                raise ValueError("no more")
            made.append(number)
            yield number
    finally:
        made.append(-1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_items_are_the_same(threads: int, n: int) -> None:
    with kernels.using(threads=threads):
        assert list(ahead(numbers(n, []))) == list(range(n))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_behind_the_items_that_were_made_before(threads: int) -> None:
    got = []
    with kernels.using(threads=threads), pytest.raises(ValueError, match="no more"):
        for number in ahead(numbers(5, [], fails_at=3)):
            got.append(number)
    assert got == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_whoever_stops_early_stops_the_making(threads: int) -> None:
    made: list[int] = []
    before = threading.active_count()
    with kernels.using(threads=threads):
        items = ahead(numbers(100, made))
        assert next(items) == 0  # type: ignore[call-overload]
        items.close()  # type: ignore[attr-defined]
    assert made[-1] == -1
    assert len(made) <= 3
    assert threading.active_count() == before


def test_an_item_is_made_while_another_is_worked_on() -> None:
    made: list[int] = []
    with kernels.using(threads=2):
        for number in ahead(numbers(3, made)):
            if number == 0:
                for _ in range(1000):
                    if 1 in made:
                        break
                    threading.Event().wait(0.01)
                assert 1 in made


def test_the_maker_has_the_settings_of_its_user() -> None:
    def threads() -> Generator[int, None, None]:
        yield kernels.threads()
        yield kernels.threads()

    with kernels.using(threads=3):
        assert list(ahead(threads())) == [3, 3]
