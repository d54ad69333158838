"""The frames of zstd: whether bytes are exactly one frame. A skippable frame, or a second one, can contain anything."""

from __future__ import annotations

MAGIC = b"\x28\xb5\x2f\xfd"
_BLOCK_HEAD = 3
_REPEATED = 1  # a block that repeats one byte


def frame_end(data: bytes | memoryview, at: int = 0) -> int | None:
    """Return the end of the frame that begins here; None if no ordinary frame begins here, or if it is truncated."""
    if bytes(data[at : at + 4]) != MAGIC or len(data) < at + 6:
        return None
    described = data[at + 4]
    single, checksum, dictionary = described >> 5 & 1, described >> 2 & 1, described & 3
    size_bytes = (1 if single else 0, 2, 4, 8)[described >> 6]
    if dictionary or described & 0b00011000:  # a dictionary, a reserved bit or an unused one
        return None
    place = at + 5 + (0 if single else 1) + size_bytes
    last = False
    while not last:
        head = bytes(data[place : place + _BLOCK_HEAD])
        if len(head) < _BLOCK_HEAD:
            return None
        block = int.from_bytes(head, "little")
        last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
        place += _BLOCK_HEAD + (1 if kind == _REPEATED else size)
        if place > len(data):
            return None
    place += 4 * checksum
    return place if place <= len(data) else None


def frames_of(data: bytes | memoryview) -> int | None:
    """Return the number of ordinary frames; None if there is anything else between them."""
    at = n = 0
    while at < len(data):
        end = frame_end(data, at)
        if end is None:
            return None
        at, n = end, n + 1
    return n
