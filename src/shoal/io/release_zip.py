"""A release directory as one zip file, and such a file back to a directory.

A zip file from outside may try to write anywhere, to be a link, or to unpack to terabytes. Only plain files are unpacked, under names
without folders (one folder around all of them is left out), up to a number of files and bytes; anything else is refused as a whole.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from shoal.errors import InputError
from shoal.io.read.zip_member import ENCRYPTED, OF_MACOS

MOST_FILES = 200
PIECE = 1 << 20
FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # so that the zip file tells nothing but its content


def pack_release(release: Path, target: Path) -> None:
    """Write all files of a release directory to a zip file, in the order of their names, below a folder of its name."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(release.iterdir()):
            if not path.is_file() or path.is_symlink():
                continue
            entry = zipfile.ZipInfo(f"{release.name}/{path.name}", FIXED_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as out:
                while piece := file.read(PIECE):
                    out.write(piece)


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive of several files, such as a release, and no workbook."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    return "[Content_Types].xml" not in names and len(names) > 1


def unpack_release(path: Path, target: Path, limit: int) -> None:
    """Unpack a zip file of a release to a new directory.

    Args:
        path: The zip file.
        target: The directory to make.
        limit: The largest number of bytes that all files have together.

    Raises:
        InputError: An entry is a link, has a name that leads elsewhere, is encrypted, or all are too large.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(OF_MACOS)]
            names = _names(entries)
            if sum(one.file_size for one in entries) > limit:
                raise _refusal("its files are too large")
            target.mkdir(mode=0o700)
            left = limit
            for entry, name in zip(entries, names, strict=True):
                left -= _unpack(archive, entry, target / name, left)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, OSError):
        raise _refusal("it is damaged") from None


def _refusal(why: str) -> InputError:
    return InputError(f"this zip file cannot be unpacked: {why}", code="damaged-file", hint="zip a release directory again")


def _names(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Return the file names, without the one folder that may be around them."""
    if not entries or len(entries) > MOST_FILES:
        raise _refusal("it has no file, or too many")
    for entry in entries:
        mode = entry.external_attr >> 16
        if entry.flag_bits & ENCRYPTED or (mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
            raise _refusal("an entry is encrypted or is not a plain file")
    parts = [PurePosixPath(entry.filename.replace("\\", "/")).parts for entry in entries]
    around = {part[0] for part in parts if len(part) > 1}
    if len(around) == 1 and all(len(part) > 1 for part in parts):
        parts = [part[1:] for part in parts]
    if any(len(part) != 1 or part[0] in ("..", "/") or part[0].startswith(".") for part in parts) or len(set(parts)) < len(parts):
        raise _refusal("a name leads to another folder, is hidden, or occurs twice")
    return [part[0] for part in parts]


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, limit: int) -> int:
    """Unpack one file; the number of its bytes, whatever the archive says it is."""
    size = 0
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as out, archive.open(entry) as file:
        while piece := file.read(PIECE):
            size += len(piece)
            if size > limit:
                raise _refusal("its files are too large")
            out.write(piece)
    return size
