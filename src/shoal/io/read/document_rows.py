"""Documents in the rows of JSON lines, Parquet or a frame: a column of texts, and perhaps one of authors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.errors import InputError
from shoal.io.read.columns import owners_among, plain
from shoal.io.read.events import as_text
from shoal.io.read.formats import json_names
from shoal.io.read.json_lines import FORM, json_frames, text_values
from shoal.io.read.options import DOCUMENTS, ReadOptions
from shoal.io.read.owner_spelling import OwnerForms, owner_numbers
from shoal.io.read.parquet import schema_of, slices
from shoal.io.read.paths import part_read
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source
from shoal.names import did_you_mean

TEXT = "text"  # the column of texts, where nobody says otherwise
ITSELF = "each document is its own owner"
AUTHORS = frozenset({"author", "authors", "authorid", "authorname", "writer", "autor", "auteur"})


class _Batch(NamedTuple):
    """Rows of a file: texts, perhaps authors and the forms in which JSON writes them, and the place of each row in the file."""

    texts: pl.Series
    authors: pl.Series | None
    forms: Ints | None
    places: Ints


def rows_of(sources: Sequence[Source], options: ReadOptions) -> Reading:
    """The documents of files, or of a frame, that are read as one."""
    tally = Tally.of(sources, strict=options.strict, most=options.malformed, place="row" if sources[0].is_parquet else "line")
    columns = [_columns(source, options) for source in sources]
    if any(found != columns[0] for found in columns):
        raise InputError(f"the columns of {sources[0].path} and of other files are not the same", hint="name them with --text and --user")
    found: list[_Batch] = []
    for source in tally.each(sources):
        found += [_sound(batch, tally) for batch in _batches(source, columns[0], tally)]
        tally.check()
    texts = pl.concat([pl.Series(dtype=pl.String), *(batch.texts.rename("") for batch in found)])
    whose = "a document is its user's" if "user" in columns[0] else ITSELF
    listed = ", ".join(f"{role} = {name!r}" for role, name in columns[0].items())
    owners, notes = _owners(found, options, tally) if "user" in columns[0] else (np.arange(len(texts)), ())
    reading = reading_of(texts, owners, tally, (f"format {DOCUMENTS}; columns: {listed}; {whose}", *notes), columns[0])
    return replace(reading, part=part_read(sources), files=len(sources))


def reading_of(texts: pl.Series, owners: Ints, tally: Tally, notes: tuple[str, ...], roles: Mapping[str, str] | None = None) -> Reading:
    """The documents as a log, with the account of rows or files."""
    tally.used = len(texts)
    empty = int((texts.str.strip_chars() == "").sum())
    told = (f"{empty:,} documents are empty",) if empty else ()
    log = Log(pl.DataFrame({"owner": pl.Series(owners, dtype=pl.Int64), "payload": texts}), "text")
    return Reading(log, DOCUMENTS, tally.ledger(), tally.defects.frozen(), (*notes, *told), empty, roles=roles or {})


def _columns(source: Source, options: ReadOptions) -> dict[str, str]:
    """The column of texts, and that of authors where it is named. Columns that seem to be of authors are never passed over."""
    if source.is_parquet:
        names = list(schema_of(source))
    elif source.is_json_lines:
        names = json_names(source)[0]
    else:
        raise InputError(
            f"{source.path} holds neither JSON lines nor Parquet", hint="give these, or a folder with a file for each document"
        )
    roles = {"text": options.text or TEXT} | ({} if options.user is None else {"user": options.user})
    for role, name in roles.items():
        if name not in names:
            there = ", ".join(repr(other) for other in names)
            hint = did_you_mean(name, names, f"name it with --{role}")
            raise InputError(f"{source.path} has no column {name!r} for the {role}; it has {there}", hint=hint, columns=names)
    seeming = [name for name in names if plain(name) in AUTHORS or name in owners_among([name])]
    if options.user is None and seeming:
        raise InputError(
            f"{source.path} has a column {seeming[0]!r}, which may tell whose a document is",
            hint=f"say --user {seeming[0]}, or name a column in which every document differs, such as --user id",
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
    """The rows that say whose they are, where that is asked."""
    if batch.authors is None:
        return batch
    named = (batch.authors != "").to_numpy()
    tally.defects.add("no user", batch.places[~named])
    forms = None if batch.forms is None else batch.forms[named]
    return _Batch(batch.texts.filter(pl.Series(named)), batch.authors.filter(pl.Series(named)), forms, batch.places[named])


def _owners(batches: Sequence[_Batch], options: ReadOptions, tally: Tally) -> tuple[Ints, tuple[str, ...]]:
    """The number of each document's author; spellings of one name are asked about."""
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
