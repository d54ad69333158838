"""Encryption of texts of any length with a secret from a prime field, with authentication.

The construction is SIV (Rogaway and Shrimpton, "A provable-security treatment of the key-wrap problem", EUROCRYPT 2006) from functions of
the standard library: a tag of the text by keyed BLAKE2b, then the text under the key stream of SHAKE-256 of secret and tag. It is
deterministic, so equal texts stay equal, which is required here. Every secret encrypts one text only, so that even without the tag no key
stream would be used twice; the tag distinguishes the right secret from a wrong one. A cryptography library would only add a dependency for
this one use. The length of a text is disclosed up to a multiple of 32 bytes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

BLOCK = 32
TAG = 16
_SIZE = 16  # bytes of a secret
_TAG_OF, _STREAM_OF = b"seal:tag", b"shoal seal:stream"
_END = b"\x80"


def sealed(text: str, secret: int) -> str:
    """Encrypt the text with a secret, as lower-case letters and digits, which no program interprets as a formula."""
    padded = text.encode("utf-8", "surrogatepass") + _END
    padded += bytes(-len(padded) % BLOCK)
    tag = _tag(padded, secret)
    return base64.b32encode(tag + _under_stream(padded, secret, tag)).decode("ascii").rstrip("=").lower()


def opened(written: str, secret: int) -> str | None:
    """Decrypt a text; None if the secret is wrong or the text is invalid."""
    try:
        content = base64.b32decode(written.upper() + "=" * (-len(written) % 8))
    except (binascii.Error, ValueError):
        return None
    tag, body = content[:TAG], content[TAG:]
    if not body or len(body) % BLOCK:
        return None
    padded = _under_stream(body, secret, tag)
    if not hmac.compare_digest(tag, _tag(padded, secret)):
        return None
    return padded.rstrip(b"\0").removesuffix(_END).decode("utf-8", "surrogatepass")


def _tag(padded: bytes, secret: int) -> bytes:
    return hashlib.blake2b(padded, key=_bytes(secret), person=_TAG_OF, digest_size=TAG).digest()


def _under_stream(text: bytes, secret: int, tag: bytes) -> bytes:
    stream = hashlib.shake_256(_STREAM_OF + _bytes(secret) + tag).digest(len(text))
    return (int.from_bytes(text, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(text), "big")


def _bytes(secret: int) -> bytes:
    return secret.to_bytes(_SIZE, "big")
