"""Files that hold a secret key."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import InputError, ParameterError
from shoal.io.read.compression import open_regular
from shoal.keyed.keys import LONGEST, SecretKey


def read_key(path: str | Path) -> SecretKey:
    """The key in a file: all of its bytes. What it holds is in no message."""
    place = Path(path)
    if not place.exists():
        raise InputError(f"no key file at {path}")
    with open_regular(place) as stream:
        content = stream.read(LONGEST + 1)
    try:
        return SecretKey.of_bytes(content)
    except ParameterError as error:
        raise InputError(f"{path}: {error.message}", hint=error.hint) from None
