"""Threshold sharing of a secret: any k shares determine it, fewer disclose nothing about it.

Shamir, "How to share a secret", Communications of the ACM 22(11), 1979. The secret is the value at 0 of a polynomial of degree below k over
a prime field; each share is one point of it. If all coefficients are uniform, any k - 1 points other than 0 take all values with the same
probability, whatever the secret is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shoal.keyed.keys import SecretKey

PRIME = 2**127 - 1
_COEFFICIENT, _POINT = b"share:polynomial", b"share:point"


class Share(NamedTuple):
    """A point of the polynomial."""

    x: int
    y: int


@dataclass(frozen=True)
class Polynomial:
    """A polynomial over the integers modulo a prime, by its coefficients, the secret first. Not shown, because it is secret."""

    coefficients: tuple[int, ...]
    prime: int = PRIME

    @classmethod
    def of_text(cls, text: bytes, k: int, key: SecretKey) -> Polynomial:
        """Return the polynomial of a text: k coefficients from the key. 512 bits modulo a prime of 127 are uniform to 2^-385."""
        return cls(tuple(_number(key.code(_COEFFICIENT, text, _written(degree))) % PRIME for degree in range(k)))

    @property
    def secret(self) -> int:
        """The value at 0."""
        return self.coefficients[0]

    def share_at(self, x: int) -> Share:
        """Return the share at a point, which must not be 0."""
        if not 0 < x < self.prime:
            raise ValueError("a share at 0 is the secret itself")
        y = 0
        for coefficient in reversed(self.coefficients):
            y = (y * x + coefficient) % self.prime
        return Share(x, y)

    def __repr__(self) -> str:
        return "Polynomial(...)"


def point_of(person: bytes, text: bytes, key: SecretKey) -> int:
    """Return the point of a person's share of a text: always the same, never 0.

    Two people have the same point with a probability of 2^-127; then they have one share, and count as one.
    """
    return _number(key.code(_POINT, person, text)) % (PRIME - 1) + 1


def secret_of(shares: Sequence[Share], prime: int = PRIME) -> int:
    """Return the value at 0 of the polynomial of lowest degree through these distinct points (Lagrange)."""
    points = [share.x for share in shares]
    if len(set(points)) < len(points):
        raise ValueError("two shares lie at one point")
    return sum(share.y * _weight(share.x, points, prime) for share in shares) % prime


def _weight(x: int, points: Iterable[int], prime: int) -> int:
    """Return the product of p / (p - x) over the other points p."""
    above = below = 1
    for point in points:
        if point != x:
            above = above * point % prime
            below = below * (point - x) % prime
    return above * pow(below, -1, prime) % prime


def _number(code: bytes) -> int:
    return int.from_bytes(code, "big")


def _written(number: int) -> bytes:
    return number.to_bytes(8, "big")
