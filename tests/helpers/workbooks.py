"""Workbooks with members, headers and gaps that no writer would make."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from shoal.io.canonical.zipped import archive_of

SHEET, BOOK, CORE, APP = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "docProps/core.xml", "docProps/app.xml"
STYLES, THEME, TYPES = "xl/styles.xml", "xl/theme/theme1.xml", "[Content_Types].xml"


@dataclass
class Parts:
    """The members of an archive, and what else is in its file."""

    members: list[tuple[zipfile.ZipInfo, bytes]]
    comment: bytes = b""
    before: bytes = b""
    after: bytes = b""
    edits: dict[str, bytes] = field(default_factory=dict)


def parts_of(data: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return Parts([(info, archive.read(info)) for info in archive.infolist()], archive.comment)


def joined(parts: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for info, content in parts.members:
            fresh = zipfile.ZipInfo(info.filename, info.date_time)
            fresh.compress_type, fresh.external_attr, fresh.extra, fresh.comment = (
                info.compress_type,
                info.external_attr,
                info.extra,
                info.comment,
            )
            archive.writestr(fresh, content)
        archive.comment = parts.comment
    return parts.before + out.getvalue() + parts.after


def repacked(data: bytes) -> bytes:
    """The same members, packed at another level."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w", compresslevel=1) as again:
        for info in archive.infolist():
            again.writestr(info, archive.read(info), compresslevel=1)
    return out.getvalue()


def in_parts(edit: Callable[[Parts], Parts]) -> Callable[[bytes], bytes]:
    return lambda data: joined(edit(parts_of(data)))


def member(name: str, before: str, after: str) -> Callable[[bytes], bytes]:
    """One piece of a member's text replaced."""

    def edit(parts: Parts) -> Parts:
        members = []
        for info, content in parts.members:
            assert info.filename != name or before.encode() in content, (name, content[:400])
            fresh = content.replace(before.encode(), after.encode(), 1) if info.filename == name else content
            members.append((info, fresh))
        return replace(parts, members=members)

    return in_parts(edit)


def whole(name: str, change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Another content of a member."""

    def edit(parts: Parts) -> Parts:
        return replace(parts, members=[(info, change(content) if info.filename == name else content) for info, content in parts.members])

    return in_parts(edit)


def added(name: str, content: str) -> Callable[[bytes], bytes]:
    info = zipfile.ZipInfo(name, (1980, 1, 31, 0, 0, 0))
    return in_parts(lambda parts: replace(parts, members=[*parts.members, (info, content.encode())]))


def described(name: str, **facts: object) -> Callable[[bytes], bytes]:
    """Other facts in the header of a member."""

    def edit(parts: Parts) -> Parts:
        for info, _ in parts.members:
            if info.filename == name:
                for key, value in facts.items():
                    setattr(info, key, value)
        return parts

    return in_parts(edit)


def swapped(parts: Parts) -> Parts:
    return replace(parts, members=[parts.members[1], parts.members[0], *parts.members[2:]])


def twice(parts: Parts) -> Parts:
    return replace(parts, members=[*parts.members, parts.members[-1]])


def gap(data: bytes) -> bytes:
    """Bytes between the last member and the list at the end."""
    end = data.rfind(b"PK\x05\x06")
    (start,) = struct.unpack_from("<I", data, end + 16)
    tail = bytearray(data[end:])
    struct.pack_into("<I", tail, 16, start + 8)
    return data[:start] + b"ann, bob" + data[start:end] + bytes(tail)


def other_local_name(data: bytes) -> bytes:
    """The first member called otherwise in its own header than in the list at the end."""
    size = struct.unpack_from("<H", data, 26)[0]
    return data[:30] + b"a" * size + data[30 + size :]


def padded(name: str) -> Callable[[bytes], bytes]:
    """Empty blocks before the packed bytes of a member, with text in the bits that fill them up."""

    def edit(data: bytes) -> bytes:
        archive, out, listed = archive_of(data), bytearray(), bytearray()
        for member in sorted(archive.members, key=lambda each: each.begin):
            made, needed, flags, method, time, day, inner, outer = member.head
            bits = "".join(f"{byte:08b}" for byte in b"ann, bob!!")
            blocks = b"".join(bytes([int(bits[at : at + 5], 2) << 3]) + b"\0\0\xff\xff" for at in range(0, len(bits), 5))
            packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
            packed = (blocks if member.name == name else b"") + packer.compress(member.content) + packer.flush()
            called, sizes = member.name.encode(), (zlib.crc32(member.content), len(packed), len(member.content))
            common = struct.pack("<HHHHHIIIHH", needed, flags, method, time, day, *sizes, len(called), 0)
            listed += b"PK\1\2" + struct.pack("<H", made) + common + struct.pack("<HHHII", 0, 0, inner, outer, len(out)) + called
            out += b"PK\3\4" + common + called + packed
        count = len(archive.members)
        return bytes(out + listed) + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), len(out), 0)

    return edit
