"""The structure of a zip archive: its members in file order, and all bytes between, before and after them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from shoal.io.canonical.findings import Finding, carries, short, styled

_END, _CENTRAL, _LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_END_SIZE, _CENTRAL_SIZE, _LOCAL_SIZE = 22, 46, 30
_STORED, _DEFLATED = 0, 8
_DESCRIBED = 8  # the bit of a member whose sizes follow its bytes
_OLDEST_DAY = (33, 63)  # 1980-01-01 and 1980-01-31, which writers give that record no time
_GROWTH_HINT = 0xA220  # room that Excel leaves for later changes
LARGEST = 1 << 31  # bytes of all members together when unpacked


class ZipError(ValueError):
    """The bytes are not a plain zip archive."""


@dataclass(frozen=True)
class Member:
    """A member of an archive: its name, its header without name, sizes and position, and its content."""

    name: str
    head: tuple[int, ...]
    extra: bytes
    comment: bytes
    content: bytes
    begin: int
    end: int
    exact: bool


@dataclass(frozen=True)
class Archive:
    """The members in the order of the central directory, the comment, and whether there are stray bytes."""

    members: tuple[Member, ...]
    comment: bytes
    stray: bool

    @property
    def contents(self) -> dict[str, bytes]:
        """The content of each member, by name."""
        return {member.name: member.content for member in self.members}


def archive_of(data: bytes, only: Collection[str] | None = None) -> Archive:
    """Parse a zip archive.

    Args:
        data: All bytes of the file.
        only: The names of the members that are unpacked; without it all are.

    Raises:
        ZipError: They are none, or one that is too large or needs features which workbooks do not use.
    """
    end = data.rfind(_END)
    if end < 0 or len(data) < end + _END_SIZE:
        raise ZipError
    disk, first_disk, here, total, size, start, length = struct.unpack_from("<HHHHIIH", data, end + 4)
    comment, at = data[end + _END_SIZE : end + _END_SIZE + length], start
    members: list[Member] = []
    for _ in range(total):
        member, at = _member(data, at, only, LARGEST - sum(len(one.content) for one in members))
        members.append(member)
    after = end + _END_SIZE + length
    stray = bool(disk or first_disk or here != total) or after != len(data) or at != end or size != end - start
    place = 0
    for member in sorted(members, key=lambda each: each.begin):
        stray = stray or member.begin != place
        place = member.end
    return Archive(tuple(members), comment, stray or place != start)


def _member(data: bytes, at: int, only: Collection[str] | None, room: int) -> tuple[Member, int]:
    """Parse a member by its central directory entry, and return the position of the next entry."""
    if data[at : at + 4] != _CENTRAL:
        raise ZipError
    try:
        made, needed, flags, method, time, day, crc, packed, size, names, extras, comments, disk, inner, outer, begin = struct.unpack_from(
            "<HHHHHHIIIHHHHHII", data, at + 4
        )
        local = struct.unpack_from("<HHHHHIIIHH", data, begin + 4)
    except struct.error:
        raise ZipError from None
    name = data[at + _CENTRAL_SIZE : at + _CENTRAL_SIZE + names]
    after = at + _CENTRAL_SIZE + names
    extra, comment = data[after : after + extras], data[after + extras : after + extras + comments]
    here = begin + _LOCAL_SIZE
    content_at = here + local[8] + local[9]
    exact = data[begin : begin + 4] == _LOCAL and data[here : here + local[8]] == name and not disk
    sizes = (0, 0, 0) if flags & _DESCRIBED and local[5:8] == (0, 0, 0) else (crc, packed, size)
    exact = exact and local[:8] == (needed, flags, method, time, day, *sizes)
    content = b""
    if only is None or name.decode("utf-8", "replace") in only:
        content, whole = _unpacked(data[content_at : content_at + packed], method, size, room)
        exact = exact and whole and zlib.crc32(content) == crc
    end = content_at + packed + _described(data, content_at + packed, flags, (crc, packed, size))
    head = (made, needed, flags, method, time, day, inner, outer)
    local_extra = data[here + local[8] : content_at]
    return Member(
        name.decode("utf-8", "replace"), head, extra + local_extra, comment, content, begin, end, exact
    ), after + extras + comments


def _unpacked(packed: bytes, method: int, size: int, room: int) -> tuple[bytes, bool]:
    """Return the decompressed content, and whether the compressed bytes contain nothing else."""
    if method not in (_STORED, _DEFLATED) or size > room or (method == _STORED and len(packed) > room):
        raise ZipError
    if method == _STORED:
        return packed, len(packed) == size
    unpacker = zlib.decompressobj(-15)
    try:
        content = unpacker.decompress(packed, size + 1)
    except zlib.error:
        raise ZipError from None
    return content, len(content) == size and unpacker.eof and not unpacker.unused_data and not unpacker.unconsumed_tail


def _described(data: bytes, at: int, flags: int, sizes: tuple[int, int, int]) -> int:
    """Return the length of the data descriptor after a member's bytes."""
    if not flags & _DESCRIBED:
        return 0
    plain = struct.pack("<III", *sizes)
    if data[at : at + 16] == b"PK\x07\x08" + plain:
        return 16
    return 12 if data[at : at + 12] == plain else 0


def zip_findings(archive: Archive) -> Iterator[Finding]:
    """Return what an archive of any writer contains beyond its members."""
    if archive.comment:
        yield carries("comment:zip", "a comment of the zip archive")
    if archive.stray:
        yield carries("bytes:zip", "bytes that belong to no member of the zip archive")
    if len(archive.contents) < len(archive.members):
        yield carries("member:twice", "a member that is there twice")
    for member in archive.members:
        if member.comment:
            yield carries(f"comment:{short(member.name)}", f"a comment of the member {short(member.name)}")
        if _has_other_fields(member.extra):
            yield carries(f"extra:{short(member.name)}", f"extra fields of the member {short(member.name)}")
        if not member.exact:
            yield carries(f"bytes:{short(member.name)}", f"a member {short(member.name)} whose headers or bytes do not fit")
    if any(member.head[5] not in _OLDEST_DAY for member in archive.members):
        yield styled("the times at which members were written")


def _has_other_fields(extra: bytes) -> bool:
    """Whether extra fields are more than reserved space."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind != _GROWTH_HINT or any(extra[at + 8 : at + 4 + size]):
            return True
        at += 4 + size
    return at != len(extra)
