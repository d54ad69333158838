"""Documents: a folder of text files, web pages and PDF files, single such files, or one text per row in JSON lines, Parquet or a frame.

Each document becomes an event of a Log with its whole text. Its user is the author if an author column is named; otherwise each document
counts as a person, which is reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal import kernels
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.columns import OwnerForms, listed_roles, owner_numbers, owners_among, plain
from shoal.io.read.encodings import encoding_of
from shoal.io.read.event_rows import as_text
from shoal.io.read.formats import json_names
from shoal.io.read.json_lines import FORM, json_frames, text_values
from shoal.io.read.options import DOCUMENTS, ReadOptions
from shoal.io.read.page_text import NOT_READABLE, PDF_START, insist_on_pdf, is_page, text_of_page, text_of_pdf
from shoal.io.read.parquet import schema_of, slices
from shoal.io.read.paths import STDIN, Paths, are_paths, closed_after, matching, notes_on, part_read, refuse_twice, sources_of
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Portion, Source, compression_of, open_regular, stem_of, translated, unpacked
from shoal.io.read.sql import SQL, Query
from shoal.util.wording import counted, did_you_mean

# Documents in the rows of JSON lines, Parquet or a frame: a text column, and optionally an author column.


TEXT = "text"  # the column of texts, where nobody says otherwise
ITSELF = "each document counts as a separate user"
AUTHORS = frozenset({"author", "authors", "authorid", "authorname", "writer", "autor", "auteur"})


class _Batch(NamedTuple):
    """Rows of a file: texts, optional authors with their JSON types, and the position of each row in the file."""

    texts: pl.Series
    authors: pl.Series | None
    forms: Ints | None
    places: Ints


def rows_of(sources: Sequence[Source], options: ReadOptions) -> Reading:
    """Read the documents of files, or of a frame, as one collection."""
    tally = Tally.of(sources, strict=options.strict, most=options.malformed, place=sources[0].place)
    columns = [_columns(source, options) for source in sources]
    if any(found != columns[0] for found in columns):
        raise InputError(
            f"the columns of {sources[0].path} and of other files are not the same",
            code="files-not-alike",
            hint=f"name them with {option('text')} and {option('user')}",
        )
    found: list[_Batch] = []
    for source in tally.each(sources):
        found += [_sound(batch, tally) for batch in _batches(source, columns[0], tally)]
        tally.check()
    texts = pl.concat([pl.Series(dtype=pl.String), *(batch.texts.rename("") for batch in found)])
    user_note = "documents have user IDs" if "user" in columns[0] else ITSELF
    listed = ", ".join(f"{role} = {name!r}" for role, name in columns[0].items())
    owners, notes = _owners(found, options, tally) if "user" in columns[0] else (np.arange(len(texts)), ())
    reading = reading_of(
        texts, owners, tally, (*notes_on(sources), f"format {DOCUMENTS}; columns: {listed}; {user_note}", *notes), columns[0]
    )
    return replace(reading, part=part_read(sources), files=len(sources))


def reading_of(texts: pl.Series, owners: Ints, tally: Tally, notes: tuple[str, ...], roles: Mapping[str, str] | None = None) -> Reading:
    """Return the documents as a log, with the accounting of rows or files."""
    tally.used = len(texts)
    empty = int((texts.str.strip_chars() == "").sum())
    on_empty = (f"{empty:,} documents are empty",) if empty else ()
    log = Log(pl.DataFrame({"owner": pl.Series(owners, dtype=pl.Int64), "payload": texts}), "text")
    return Reading(log, DOCUMENTS, tally.ledger(), tally.defects.frozen(), (*notes, *on_empty), empty, roles=roles or {})


def _columns(source: Source, options: ReadOptions) -> dict[str, str]:
    """Return the text column, and the author column if it is named. Columns that look like authors are never ignored."""
    if source.is_parquet:
        names = list(schema_of(source))
    elif source.is_json_lines:
        names = json_names(source)[0]
    else:
        raise InputError(
            f"{source.path} is neither JSON lines nor Parquet",
            code="wrong-kind-of-input",
            hint="give these, or a folder with a file for each document",
        )
    roles = {"text": options.text or TEXT} | ({} if options.user is None else {"user": options.user})
    for role, name in roles.items():
        if name not in names:
            there = ", ".join(repr(other) for other in names)
            hint = did_you_mean(name, names, f"name it with {option(role)}")
            raise InputError(
                f"{source.path} has no column {name!r} for the {role}; it has {there}", code="missing-column", hint=hint, columns=names
            )
    if len(set(roles.values())) < len(roles):
        places = {role: names.index(name) for role, name in roles.items()}
        raise ParameterError(f"a column cannot have two roles: {listed_roles(places, names)}", code="column-role-conflict")
    seeming = [name for name in names if plain(name) in AUTHORS or name in owners_among([name])]
    if options.user is None and seeming:
        raise InputError(
            f"{source.path} has a column {seeming[0]!r}, which may contain user IDs",
            code="user-column-unclear",
            hint=f"use {option('user', seeming[0])}, or name a column in which every document differs, such as {option('user', 'id')}",
        )
    return roles


def _batches(source: Source, columns: Mapping[str, str], tally: Tally) -> Iterator[_Batch]:
    user, text = columns.get("user"), columns["text"]
    names = [text] if user is None else [user, text]
    if source.is_parquet:
        for start, part in slices(source, names):
            held = {name: as_text(part[name]).fill_null("") for name in names}
            yield _Batch(held[text], None if user is None else held[user], None, np.arange(start, start + len(part)))
        return
    for frame, lines in json_frames(source, text_values(names), tally):
        held = {name: frame[name].fill_null("").str.strip_chars() for name in names}
        forms = None if user is None else frame[FORM].to_numpy()
        yield _Batch(held[text], None if user is None else held[user], forms, lines)


def _sound(batch: _Batch, tally: Tally) -> _Batch:
    """Return the rows with an author, if authors are required."""
    if batch.authors is None:
        return batch
    named = (batch.authors != "").to_numpy()
    tally.defects.add("no user", batch.places[~named])
    forms = None if batch.forms is None else batch.forms[named]
    return _Batch(batch.texts.filter(pl.Series(named)), batch.authors.filter(pl.Series(named)), forms, batch.places[named])


def _owners(batches: Sequence[_Batch], options: ReadOptions, tally: Tally) -> tuple[Ints, tuple[str, ...]]:
    """Return the number of each document's author; different spellings of a name are checked."""
    authors = pl.concat([pl.Series(dtype=pl.String), *(batch.authors.rename("") for batch in batches if batch.authors is not None)])
    names = authors.unique(maintain_order=True)
    person, notes = owner_numbers(names, options.owners, tally.called)
    numbers = pl.Series(np.arange(len(names)) if person is None else person, dtype=pl.Int64)
    owners = authors.replace_strict(names, numbers, return_dtype=pl.Int64).to_numpy() if len(names) else np.zeros(0, np.int64)
    forms = OwnerForms()
    written = [batch.forms for batch in batches if batch.forms is not None]
    if written:
        forms.add(owners, np.concatenate(written), int(numbers.max() or 0) + 1)  # type: ignore[arg-type]
    return owners, (*forms.notes(), *notes)


TABLES = (".jsonl", ".ndjson", ".parquet")


def read_documents(data: Paths | Any, options: ReadOptions, most: Portion | None = None) -> Reading:
    """Read the documents at these paths, or in a frame. `most` of them is wanted."""
    if are_paths(data):
        named = [Path(place) for path in ([data] if isinstance(data, str | Path) else data) for place in matching(str(path))]
        refuse_twice([str(path) for path in named])
        if not any(_is_table(path, options.encoding) for path in named):
            return _of_files(named, options, most)
        folders = [path for path in named if not _is_table(path, options.encoding)]
        if folders:
            raise InputError(
                f"{folders[0]} is not a table of documents like the other files", code="wrong-kind-of-input", hint="read them one by one"
            )
    sources = sources_of(data, most, options.encoding)
    with closed_after(sources):
        return replace(rows_of(sources, options), origin=SQL if isinstance(data, Query) else "")


def _is_table(path: Path, encoding: str | None) -> bool:
    """Whether a file has documents as rows, by its name or first line; standard input always has."""
    if str(path) == STDIN or path.is_dir():
        return str(path) == STDIN
    if _named_as_table(path) or not path.exists() or not path.stat().st_size:
        return _named_as_table(path)
    source = Source.of_data(path, encoding=encoding)
    return source.is_parquet or source.is_json_lines


def _named_as_table(path: Path) -> bool:
    return stem_of(path).endswith(TABLES)


# -- one document per file


def _of_files(named: Sequence[Path], options: ReadOptions, most: Portion | None) -> Reading:
    """Read every file, also in subdirectories, as a document."""
    for role, name in options.named.items():
        raise InputError(
            f"files of text have no column {name!r} for the {role}", code="missing-column", hint="leave it out, or give JSON lines"
        )
    files = [file for path in named for file in _files_at(path)]
    insist_on_pdf(files)
    sizes = [file.stat().st_size for file in files]
    called = Source(named[0], "", b"", True)
    tally = Tally(called, strict=options.strict, most=options.malformed, place="file")
    texts: list[str] = []
    done = 0
    for number, (file, size) in enumerate(zip(files, sizes, strict=True)):
        if most is not None and most.is_reached(done, number):
            files = files[:number]
            break
        text, defect = _text_of(file, options.encoding)
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
    """Return the files in a folder and its subfolders, by name, without hidden ones; a file represents itself."""
    if not path.is_dir():
        return [path]
    found = []
    with translated(path):
        for folder, folders, names in os.walk(path, onerror=_raised):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
    if not found:
        raise InputError(f"{path} contains no files", code="empty-directory")
    tables = [file for file in found if _named_as_table(file)]
    if tables:
        raise InputError(
            f"{path} contains {tables[0].name}, which is not a document but a table of documents",
            code="table-among-documents",
            hint="name such files themselves",
        )
    return found


def _raised(error: OSError) -> None:
    raise error


def _text_of(file: Path, column: str | None) -> tuple[str, str]:
    """Return the text of a file, or its defect."""
    with translated(file), open_regular(file) as raw:
        start = raw.read(4)
        raw.seek(0)
        content = unpacked(raw, compression_of(start)).read()
    if content.startswith(PDF_START):
        read = text_of_pdf(content)
        return ("", NOT_READABLE) if read is None else (read, "")
    encoding = encoding_of(content, column, file)
    if not encoding and b"\0" in content:
        return "", "not text"
    try:
        text = content.decode(encoding or "utf-8").lstrip("\ufeff")
    except UnicodeDecodeError:
        return "", "not UTF-8" if not encoding else f"not {encoding}"
    if "\0" in text:
        return "", "not text"
    return (text_of_page(text) if is_page(stem_of(file)) else text), ""
