"""Sealed texts open under their own secret only, and tell no more than their length in blocks."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.keyed.sealing import BLOCK, TAG, opened, sealed
from shoal.keyed.secret_sharing import PRIME

SECRETS = st.integers(0, PRIME - 1)


@settings(max_examples=60)
@given(st.text(max_size=200), SECRETS, SECRETS)
def test_a_text_opens_under_its_secret_and_under_no_other(text: str, secret: int, other: int) -> None:
    cover = sealed(text, secret)
    assert opened(cover, secret) == text
    assert other == secret or opened(cover, other) is None


def raw(cover: str) -> bytearray:
    return bytearray(base64.b32decode(cover.upper() + "=" * (-len(cover) % 8)))


@pytest.mark.parametrize("place", [0, TAG - 1, TAG, TAG + BLOCK - 1])
def test_a_changed_text_does_not_open(place: int) -> None:
    content = raw(sealed("weather", 5))
    content[place] ^= 1
    assert opened(base64.b32encode(content).decode().rstrip("=").lower(), 5) is None


@pytest.mark.parametrize("cover", ["", "weather", "äöü", "aaaa", "a" * 77, "not base 32!"])
def test_what_was_never_sealed_does_not_open(cover: str) -> None:
    assert opened(cover, 5) is None


def test_the_length_is_told_in_blocks() -> None:
    """31 bytes and the mark of the end fill one block."""
    assert {len(raw(sealed("a" * n, 5))) for n in range(32)} == {TAG + BLOCK}
    assert len(raw(sealed("a" * 32, 5))) == TAG + 2 * BLOCK


def test_equal_texts_are_equal_under_one_secret_and_different_under_two() -> None:
    assert sealed("weather", 5) == sealed("weather", 5) != sealed("weather", 6)
    assert sealed("weather", 5).isalnum() and sealed("weather", 5).islower()
