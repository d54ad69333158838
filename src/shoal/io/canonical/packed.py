"""Files compressed with gzip or zstd: what their headers and frames contain beyond the content."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from shoal.io.canonical.findings import Finding, carries, styled
from shoal.io.canonical.zstd_frames import frame_end

_CHECKED, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
_SKIPPED = range(0x184D2A50, 0x184D2A60)
_FIXED = 10


def gzip_findings(data: bytes, name: str) -> Iterator[Finding]:
    """Return what a gzip file contains beyond its content. `name` is the file name without its suffix."""
    at = members = 0
    while at < len(data):
        if data[at : at + 3] != b"\x1f\x8b\x08":
            yield (
                carries("bytes:gzip", "bytes after the packed content")
                if data[at:].strip(b"\0")
                else styled("zeros after the packed content")
            )
            return
        flags, time = data[at + 3], data[at + 4 : at + 8]
        if any(time):
            yield styled("the time of packing")
        at += _FIXED
        if flags & _EXTRA:
            yield carries("extra:gzip", "an extra field in the header of gzip")
            at += 2 + int.from_bytes(data[at : at + 2], "little")
        for flag, what in ((_NAME, "name"), (_COMMENT, "comment")):
            if flags & flag:
                end = data.index(b"\0", at)
                same = what == "name" and data[at:end].decode("latin-1") == name
                yield (
                    styled("the name of the file in the header of gzip")
                    if same
                    else carries(f"{what}:gzip", f"a {what} in the header of gzip")
                )
                at = end + 1
        at += 2 if flags & _CHECKED else 0
        unpacker = zlib.decompressobj(-15)
        size = len(unpacker.decompress(data[at:]))
        at, members = len(data) - len(unpacker.unused_data) + 8, members + 1
        if not size:
            yield carries("bytes:gzip", "a packed part without content")
    if members > 1:
        yield styled("several packed parts")


def zstd_findings(data: bytes) -> Iterator[Finding]:
    """Return what a zstd file contains beyond its content."""
    at = frames = 0
    while at < len(data):
        if int.from_bytes(data[at : at + 4], "little") in _SKIPPED:
            yield carries("bytes:zstd", "a frame that is skipped")
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        end = frame_end(data, at)
        if end is None:
            yield carries("bytes:zstd", "bytes after the packed content")
            return
        at, frames = end, frames + 1
    if frames > 1:
        yield styled("several packed parts")
