"""Documents: a folder of text files, text files by themselves, or a text a row in JSON lines, Parquet or a frame.

Each document becomes an event of a Log, whose text is all of it. Its owner is the author where a column of authors is named (`--user`), and
the document itself otherwise, which is announced.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import kernels
from shoal.counting import counted
from shoal.errors import InputError
from shoal.io.read.compression import compression_of, open_regular, translated, unpacked
from shoal.io.read.document_rows import ITSELF, reading_of, rows_of
from shoal.io.read.options import DOCUMENTS, ReadOptions
from shoal.io.read.paths import STDIN, Paths, are_paths, matching, refuse_twice, sources_of
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source

TABLES = (".jsonl", ".ndjson", ".parquet")


def read_documents(data: Paths | Any, options: ReadOptions, most: int | None = None) -> Reading:
    """The documents at these paths, or in a frame. About `most` bytes of them are wanted."""
    if are_paths(data):
        named = [Path(place) for path in ([data] if isinstance(data, str | Path) else data) for place in matching(str(path))]
        refuse_twice([str(path) for path in named])
        if not any(_is_table(path) for path in named):
            return _of_files(named, options, most)
        folders = [path for path in named if not _is_table(path)]
        if folders:
            raise InputError(f"{folders[0]} is no table of documents, as the other files are", hint="read them one by one")
    return rows_of(sources_of(data, most), options)


def _is_table(path: Path) -> bool:
    """Whether a file holds documents as rows, by its name or its first line; so does standard input."""
    if str(path) == STDIN or path.is_dir():
        return str(path) == STDIN
    if _named_as_table(path) or not path.exists() or not path.stat().st_size:
        return _named_as_table(path)
    source = Source.of(path)
    return source.is_parquet or source.is_json_lines


def _named_as_table(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(TABLES)


# -- files that are documents


def _of_files(named: Sequence[Path], options: ReadOptions, most: int | None) -> Reading:
    """Every file is a document, those in folders too."""
    for role, name in options.named.items():
        raise InputError(f"files of text have no column {name!r} for the {role}", hint="leave it out, or give JSON lines")
    files = [file for path in named for file in _files_at(path)]
    sizes = [file.stat().st_size for file in files]
    called = Source(named[0], "", b"", True)
    tally = Tally(called, strict=options.strict, most=options.malformed, place="file")
    texts: list[str] = []
    done = 0
    for number, (file, size) in enumerate(zip(files, sizes, strict=True)):
        if most is not None and done >= most:
            files = files[:number]
            break
        text, defect = _text_of(file)
        if defect:
            tally.defects.add(defect, [number])
        else:
            texts.append(text)
        done += size
        kernels.report("reading", done, sum(sizes))
    tally.check()
    notes = (f"format {DOCUMENTS}: {counted(len(files), 'file')}, each a document; {ITSELF}",)
    part = done / sum(sizes) if sum(sizes) and len(files) < len(sizes) else 1.0
    return replace(reading_of(pl.Series(texts, dtype=pl.String), np.arange(len(texts)), tally, notes), part=part, files=len(named))


def _files_at(path: Path) -> list[Path]:
    """The files in a folder and the folders below it, by name, without hidden ones; a file stands for itself."""
    if not path.is_dir():
        return [path]
    found = []
    with translated(path):
        for folder, folders, names in os.walk(path, onerror=_raised):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
    if not found:
        raise InputError(f"{path} holds no files")
    tables = [file for file in found if _named_as_table(file)]
    if tables:
        raise InputError(f"{path} holds {tables[0].name}, which is no document but a table of them", hint="name such files themselves")
    return found


def _raised(error: OSError) -> None:
    raise error


def _text_of(file: Path) -> tuple[str, str]:
    """The text of a file, or what is wrong with it."""
    with translated(file), open_regular(file) as raw:
        start = raw.read(4)
        raw.seek(0)
        content = unpacked(raw, compression_of(start)).read()
    if b"\0" in content:
        return "", "not text"
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return "", "not UTF-8"
