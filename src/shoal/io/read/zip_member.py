"""The only file in a zip archive, as a stream.

An archive of several files is rejected: the user must decide which is meant, or whether all belong together. Folders, and the entries that
macOS adds under `__MACOSX`, do not count. Neither names nor content of an archive are shown.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from shoal.errors import InputError

OF_MACOS = "__MACOSX/"
ENCRYPTED = 1  # the bit of a member's flags


def member_of(raw: IO[bytes], path: Path) -> IO[bytes]:
    """Return the content of the only member of the open archive."""
    try:
        archive = zipfile.ZipFile(raw)
        (member,) = _one_of(archive.infolist(), path)
        return archive.open(member)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        raise damaged_archive(path) from None


def damaged_archive(path: Path) -> InputError:
    """Return the error for an archive that cannot be unpacked."""
    return InputError(
        f"{path} is a zip archive that is damaged or uses an unknown compression", code="damaged-file", hint="unpack it first"
    )


def _one_of(members: Sequence[zipfile.ZipInfo], path: Path) -> list[zipfile.ZipInfo]:
    files = [member for member in members if not member.is_dir() and not member.filename.startswith(OF_MACOS)]
    if len(files) != 1:
        what = f"{len(files):,} files" if files else "no file"
        raise InputError(
            f"{path} is a zip archive with {what}, but only one can be read",
            code="several-zip-members",
            hint="unpack it, and name the files or their directory" if files else "",
            files=len(files),
        )
    if files[0].flag_bits & ENCRYPTED:
        raise InputError(f"{path} is an encrypted zip archive", code="encrypted-archive", hint="unpack it first")
    return files
