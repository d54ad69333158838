"""Keys: from a file or drawn afresh, and shown nowhere. Tokens: the same text and key give the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl
import pytest

from helpers.errors import refuses
from shoal.io.read.parameter_files import read_key
from shoal.keyed.keys import SecretKey, hashed, hashed_words, token_of

CONTENT = b"0123456789abcdef0123456789abcdef"


def test_a_code_is_blake2b_under_the_hash_of_the_file() -> None:
    """Computed from the definition: parts follow their lengths."""
    length = (3).to_bytes(8, "big")
    expected = hashlib.blake2b(length + b"ann" + length + b"ben", key=hashlib.sha512(CONTENT).digest(), person=b"test").digest()
    assert SecretKey.of_bytes(CONTENT).code(b"test", b"ann", b"ben") == expected


def test_purposes_and_keys_give_different_codes() -> None:
    key = SecretKey.of_bytes(CONTENT)
    codes = {key.code(b"a", b"x"), key.code(b"b", b"x"), key.code(b"a", b"y"), SecretKey.of_bytes(CONTENT + b"\n").code(b"a", b"x")}
    assert len(codes) == 4


def test_fresh_keys_differ() -> None:
    assert SecretKey.fresh().code(b"a", b"x") != SecretKey.fresh().code(b"a", b"x")


def test_no_text_of_a_key_shows_it() -> None:
    key = SecretKey.of_bytes(CONTENT)
    assert {str(key), key.described} == {"from a file"}
    assert repr(key) == "SecretKey()"
    assert repr(SecretKey.parse("/home/ann/key")) == "SecretKey()"


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(CONTENT)
    assert read_key(tmp_path / "key") == SecretKey.of_bytes(CONTENT)


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "invalid-key-length"), (b"secret password", "invalid-key-length"), (b"x" * 2**21, "invalid-key-length")]
)
def test_a_key_that_could_be_guessed_is_refused_without_being_shown(tmp_path: Path, content: bytes, said: str) -> None:
    place = tmp_path / "key"
    place.write_bytes(content)
    with refuses(said) as refused:
        read_key(place)
    assert not content or content.decode() not in str(refused.value)


def test_a_missing_file_and_an_unread_one() -> None:
    with refuses("file-not-found"):
        read_key("nowhere")
    with refuses("file-not-read"):
        SecretKey.parse("nowhere").code(b"a", b"x")
    with refuses("wrong-type"):
        SecretKey.of(b"0123456789abcdef")


def test_whole_texts_are_hashed_alike() -> None:
    key = SecretKey.of_bytes(CONTENT)
    texts = pl.Series(["weather", "Weather", "weather", ""])
    weather, capital = token_of("weather", key, b"test"), token_of("Weather", key, b"test")
    assert hashed(texts, key, b"test").to_list() == [weather, capital, weather, ""]
    assert len({weather, capital}) == 2 and len(weather) == 32


def test_words_are_hashed_one_by_one_in_their_order() -> None:
    key = SecretKey.of_bytes(CONTENT)
    texts = pl.Series(["Tom Cruise", "cruise, TOM!", "...", "", "\uff34om 2"])
    tom, cruise, two = (token_of(word, key, b"test") for word in ("tom", "cruise", "2"))
    assert hashed_words(texts, key, b"test").to_list() == [f"{tom} {cruise}", f"{cruise} {tom}", "", "", f"{tom} {two}"]
