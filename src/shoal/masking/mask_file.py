"""Masks a whole access log: reads, masks and writes it in pieces of a few megabytes, then verifies the written file.

The masked log gets its name only when it is complete and verified. A file next to it states that nothing is guaranteed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import __version__, kernels
from shoal.data.accounting import Ledger
from shoal.errors import GuaranteeNotMet, InputError, ParameterError
from shoal.io import partial_outputs as unfinished
from shoal.io.atomic_file import whole_file
from shoal.io.read.access_logs.access_log_lines import BROKEN, NOT_A_LINE, cut, looks_like_access_log
from shoal.io.read.delimited import text_lines
from shoal.io.read.options import ReadOptions
from shoal.io.read.parameter_files import with_files_read
from shoal.io.read.paths import Paths, are_paths, sources_of
from shoal.io.read.result import Tally
from shoal.io.read.source import Source
from shoal.io.release_directory import disk_errors, insist_apart
from shoal.masking.check_lines import faults
from shoal.masking.mask_lines import LineMasker
from shoal.masking.options import Masking
from shoal.util.wording import counted

LABEL = ".NO-GUARANTEE.txt"  # what is added to the name of the masked log
FIRST_LINES = 20


@dataclass(frozen=True)
class Masked:
    """The result of masking.

    Attributes:
        file: The masked log.
        label: The file that says what is masked and what is not protected.
        options: What was masked.
        rows: The account of the lines of the input.
        notes: Malformed lines and removed requests.
    """

    file: Path
    label: Path
    options: Masking
    rows: Ledger
    notes: tuple[str, ...]

    @property
    def lack(self) -> str:
        """The statement that nothing is guaranteed, and what is not protected."""
        return f"Nothing is guaranteed. Not protected: {self.options.not_protected}."

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        return {
            "no_guarantee": self.lack,
            "file": str(self.file),
            "masked": {name: str(value) for name, value in self.options.values().items() if value is not None},
            "rows": self.rows.as_dict(),
            "notes": list(self.notes),
        }


def mask_log(
    data: Paths, out: Path, options: Masking, *, force: bool = False, strict: bool = False, malformed: float | None = None
) -> Masked:
    """Mask access logs into one file.

    Args:
        data: The input: one path, or several that are read as one log.
        out: The file to write, compressed if its name ends in `.gz`.
        options: What is masked.
        force: Whether an existing file is overwritten.
        strict: Whether a malformed line is an error.
        malformed: The largest accepted share of malformed lines; by default 0.1.

    Returns:
        What was done. Malformed lines are left out and counted.

    Raises:
        GuaranteeNotMet: The written file still holds something that was to be removed. Nothing is left of it.
        ShoalError: The input is not an access log, or the output cannot be written.
    """
    options = with_files_read(options)
    reading = ReadOptions(strict=strict) if malformed is None else ReadOptions(strict=strict, malformed=malformed)
    if not are_paths(data):
        raise ParameterError("only files are masked: give a path", code="wrong-type", argument="data")
    insist_apart(out, [Path(data)] if isinstance(data, str | Path) else data)
    sources = sources_of(data)
    tally = Tally.of(sources, strict=reading.strict, most=reading.malformed)
    label = out.with_name(out.name + LABEL)
    broken = 0

    def check(written: Path) -> None:
        _insist(written, tally.used, options)

    with disk_errors(str(out)), whole_file(label, force) as label_file, whole_file(out, force, check) as file:
        masker = LineMasker(options)
        for source in tally.each(sources):
            _insist_on_format(source)
            for lines, at in text_lines(source, tally):
                fields = _sound(cut(lines), at, tally)
                broken += int((fields["page"] == BROKEN).sum())
                file.write("".join(f"{line}\n" for line in masker.masked(fields)).encode())
        # Written before the log takes its place, so that there is no log without its label. A file name may be no text.
        done = Masked(out, label, options, tally.ledger(), tuple(_notes(tally, broken)))
        label_file.write(_label(done).encode(errors="backslashreplace"))
    return done


def clear_leftovers(out: Path) -> list[str]:
    """Remove what killed runs left next to an output, and return a line for each."""
    return unfinished.clear(out.parent) if out.parent.is_dir() else []


def _insist_on_format(source: Source) -> None:
    """Raise if a file does not begin like an access log: lines of another format would all be removed."""
    first = source.head.decode("utf-8", "replace").splitlines()[:FIRST_LINES]
    if source.is_parquet or not any(looks_like_access_log([line]) for line in first):
        raise InputError(
            f"{source.path} is not an access log in the common or the combined format",
            code="not-an-access-log",
            hint="only access logs are masked; see `shoal advise FILE` for other data",
        )


def _sound(fields: pl.DataFrame, at: np.ndarray[Any, Any], tally: Tally) -> pl.DataFrame:
    """Return the lines without a defect; the others are counted."""
    no_line, no_time = fields["address"].is_null().to_numpy(), fields["time"].is_null().to_numpy()
    tally.defects.add(NOT_A_LINE, at[no_line])
    tally.defects.add("unreadable time", at[~no_line & no_time])
    tally.check()
    good = fields.filter(~pl.Series(no_time))
    tally.used += len(good)
    return good


def _insist(written: Path, lines: int, options: Masking) -> None:
    """Read the masked log again. Raise if a line is missing, or contains what was to be removed."""
    source = Source.of(written)
    tally = Tally(source, strict=True)
    seen, wrong = 0, dict[str, int]()
    for texts, _ in text_lines(source, tally):
        seen += len(texts)
        for what, n in faults(cut(texts), options).items():
            wrong[what] = wrong.get(what, 0) + n
        kernels.report("verifying", seen, lines)
    found = [f"{n:,} {what}" for what, n in wrong.items() if n]
    if seen != lines:
        found.append(f"{seen:,} of {lines:,} lines were written")
    if found:
        what = f"the masked log is not masked as it should be: {'; '.join(found)}"
        raise GuaranteeNotMet(what, code="claim-fails", hint="nothing was written")


def _notes(tally: Tally, broken: int) -> Sequence[str]:
    notes = [f"left out: {line}" for line in tally.defects.frozen().described()]
    if broken:
        notes.append(f"{counted(broken, 'request is', 'requests are')} broken and written as -")
    return notes


def _label(done: Masked) -> str:
    """Return the content of the file next to the masked log."""
    masked = "\n".join(f"  {name}: {value}" for name, value in done.as_dict()["masked"].items())
    account = " + ".join(f"{n:,} {name}" for name, n in done.rows.as_dict().items() if name != "in")
    return f"{done.lack}\n\nshoal {__version__} masked {done.file.name}:\n{masked}\nLines: {done.rows.total:,} = {account}\n"
