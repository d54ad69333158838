"""Threshold sharing over a prime field: k shares give the secret, k - 1 are uniform whatever it is."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from shoal.keyed.keys import SecretKey
from shoal.keyed.secret_sharing import PRIME, Polynomial, Share, point_of, secret_of

FALSE_ALARM = 1e-6  # chance that a sound scheme fails the statistical test
SMALL = 7


def key_number(number: int) -> SecretKey:
    """Keys that are the same in every run of the tests."""
    return SecretKey.of_bytes(b"a key of the tests: " + number.to_bytes(8, "big"))


def test_the_field_is_prime() -> None:
    """Lucas and Lehmer: 2^p - 1 is prime exactly if s(p - 2) = 0, where s(0) = 4 and s(i) = s(i - 1)^2 - 2."""
    s = 4
    for _ in range(127 - 2):
        s = (s * s - 2) % PRIME
    assert PRIME == 2**127 - 1 and s == 0


def test_a_worked_example() -> None:
    """3 + 2x + 5x^2 modulo 7 by hand: 10 = 3, 27 = 6 and 54 = 5 at 1, 2 and 3."""
    polynomial = Polynomial((3, 2, 5), SMALL)
    assert [polynomial.share_at(x) for x in (1, 2, 3)] == [Share(1, 3), Share(2, 6), Share(3, 5)]
    assert secret_of([Share(1, 3), Share(2, 6), Share(3, 5)], SMALL) == 3


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_any_k_shares_give_the_secret_and_fewer_do_not(k: int) -> None:
    key, text = key_number(1), b"weather"
    polynomial = Polynomial.of_text(text, k, key)
    shares = [polynomial.share_at(point_of(f"person {i}".encode(), text, key)) for i in range(k + 2)]
    for chosen in combinations(shares, k):
        assert secret_of(chosen) == polynomial.secret
    for chosen in combinations(shares, k - 1):
        assert secret_of(chosen) != polynomial.secret


@pytest.mark.parametrize("k", [2, 3])
def test_fewer_shares_are_exactly_uniform_over_all_polynomials_of_a_small_field(k: int) -> None:
    """By enumeration: for every secret each value of k - 1 shares comes from the same number of polynomials. Of k shares it does not."""
    for secret in range(SMALL):
        polynomials = [Polynomial((secret, *rest), SMALL) for rest in product(range(SMALL), repeat=k - 1)]
        fewer = Counter(tuple(p.share_at(x).y for x in range(1, k)) for p in polynomials)
        assert set(fewer.values()) == {1} and len(fewer) == SMALL ** (k - 1)
        enough = Counter(tuple(p.share_at(x).y for x in range(1, k + 1)) for p in polynomials)
        assert len(enough) < SMALL**k


def cells(degree: int, keys: int, k: int = 3, side: int = 4) -> np.ndarray:
    """How often the k - 1 shares of a text fall into each cell of a grid, over many keys; and, as one more axis, the secret's guess.

    The guess is what the shares alone would give: if it told anything of the secret, their difference would not be uniform.
    """
    grid = np.zeros((side,) * k, int)
    for number in range(keys):
        key = key_number(number)
        polynomial = Polynomial.of_text(b"weather", degree + 1, key)
        shares = [polynomial.share_at(point_of(name, b"weather", key)) for name in (b"ann", b"ben")[: k - 1]]
        error = (secret_of(shares) - polynomial.secret) % PRIME
        grid[tuple(value * side // PRIME for value in (*(share.y for share in shares), error))] += 1
    return grid


def uniform(grid: np.ndarray) -> bool:
    """Chi-square over all cells; fails for a sound scheme once in a million choices of the keys."""
    return bool(stats.chisquare(grid.ravel()).pvalue >= FALSE_ALARM)


def test_k_minus_1_shares_and_what_they_guess_are_uniform() -> None:
    assert uniform(cells(degree=2, keys=4_000))


def test_the_statistical_test_can_fail() -> None:
    """With a polynomial of one degree less the same two shares give the secret: the error of the guess is always 0."""
    assert not uniform(cells(degree=1, keys=400))


def test_a_person_has_one_share_of_a_text_and_another_of_another() -> None:
    key = key_number(3)
    assert point_of(b"ann", b"weather", key) == point_of(b"ann", b"weather", key)
    points = {point_of(person, text, key) for person in (b"ann", b"ben") for text in (b"weather", b"rain")}
    assert len(points) == 4 and all(0 < point < PRIME for point in points)
    assert point_of(b"ann", b"weather", key_number(4)) not in points


def test_the_parts_of_a_code_are_counted_apart() -> None:
    assert point_of(b"an", b"nweather", key_number(3)) != point_of(b"ann", b"weather", key_number(3))


def test_shares_at_0_or_at_one_point_are_refused() -> None:
    with pytest.raises(ValueError, match="the secret itself"):
        Polynomial((1, 2)).share_at(0)
    with pytest.raises(ValueError, match="one point"):
        secret_of([Share(1, 2), Share(1, 3)])


def test_a_polynomial_does_not_show_its_secret() -> None:
    assert repr(Polynomial((123456789, 5))) == "Polynomial(...)"
