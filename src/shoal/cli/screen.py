"""Terminal output: progress during the work, tables at the end. A pipe gets plain text only.

All output of commands passes through this file and through `visible`. Options in messages are spelled as they are typed in a shell.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from threading import Lock
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from shoal import kernels
from shoal.data.claims import Verdict
from shoal.data.items import without_names
from shoal.errors import OPPOSITES, ReleaseWarning, ShoalError, Value, option, spell
from shoal.pipeline.events import Events
from shoal.util.wording import duration, percent, visible

WIDTH_IN_A_PIPE = 110
SECONDS_BETWEEN_LINES = 10.0  # of progress where there is no terminal
WIDEST_CLAIM = 44  # next to its verdict
WIDEST_LINE = 90  # in a line with its verdict
PAIRED = {"bag": "--bag/--set"}  # where either may have been typed

out = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class _TimeLeft(ProgressColumn):
    """The elapsed time of a task, and the remaining time if it can be estimated."""

    def render(self, task: Task) -> Text:
        """Return text such as `0:12, 0:40 left`."""
        taken = _clock(task.finished_time if task.finished else task.elapsed)
        left = "" if task.finished or task.time_remaining is None else f", {_clock(task.time_remaining)} left"
        return Text(f"{taken}{left}")


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(int(seconds or 0), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


@contextmanager
def bars() -> Iterator[kernels.Watch | None]:
    """Return a callback that shows progress bars on the error stream; None if it is not a terminal."""
    with _bars() as shown:
        yield None if shown is None else shown.watch


class _Bars:
    """Progress bars: one line for the stage of a job, and one for each task."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._tasks: dict[str, Any] = {}
        self._moving = Lock()  # as work may be done by several threads

    def watch(self, label: str, done: int, total: int, remark: str = "") -> None:
        """Update the bar of a task."""
        with self._moving:
            if label not in self._tasks:
                self._tasks[label] = self._shown.add_task(label, total=total or None, remark="")
            self._shown.update(self._tasks[label], completed=done, total=total or None, remark=remark)

    def stage(self, name: str, index: int, count: int) -> None:
        """Show the current stage of the job."""
        with self._moving:
            if "" not in self._tasks:
                self._tasks[""] = self._shown.add_task("", total=count, remark="")
            self._shown.update(self._tasks[""], description=f"step {index} of {count}: {name}", completed=index - 1)


class _Lines:
    """Progress in a pipe or a file: one line every ten seconds with the current task, so that a log shows progress.

    Nothing is written if `SHOAL_PROGRESS=off` is set in the environment.
    """

    def __init__(self) -> None:
        self._stage = ""
        self._begun = self._last_line = time.monotonic()
        self._telling = Lock()

    def watch(self, label: str, done: int, total: int, remark: str = "") -> None:
        """Write the progress of a task, unless a line was written recently."""
        with self._telling:
            now = time.monotonic()
            if now - self._last_line < SECONDS_BETWEEN_LINES:
                return
            self._last_line = now
        share = f" {percent(done / total, 0)}" if total else ""
        note(f"after {_clock(now - self._begun)}: {': '.join(filter(None, [self._stage, label]))}{share}")

    def stage(self, name: str, index: int, count: int) -> None:
        """Set the current stage of the job."""
        self._stage = f"step {index} of {count}, {name}"


@contextmanager
def _bars() -> Iterator[_Bars | _Lines | None]:
    kernels.share_heaps()  # what shows its progress computes
    if not sys.stderr.isatty():
        yield None if os.environ.get("SHOAL_PROGRESS") == "off" else _Lines()
        return
    texts = TextColumn("{task.description}"), TextColumn("{task.fields[remark]}")
    columns = (SpinnerColumn(), texts[0], BarColumn(), TaskProgressColumn(), _TimeLeft(), texts[1])
    with Progress(*columns, console=err, transient=True) as shown:
        yield _Bars(shown)


def estimate_callback(what: str, shorter: str = "") -> Callable[[float], None] | None:
    """Return a callback that announces the expected duration in seconds; None with `SHOAL_PROGRESS=off`, so nothing is estimated."""
    if os.environ.get("SHOAL_PROGRESS") == "off":
        return None
    return lambda seconds: note(f"{what} about {duration(seconds)} (estimated on a few people)" + (f"; {shorter}" if shorter else ""))


@contextmanager
def progress(threads: int | None = None) -> Iterator[None]:
    """Context in which kernels use this many threads and show their progress on a terminal."""
    with bars() as watch, kernels.using(threads=threads, watch=watch):
        yield


class ScreenEvents(Events):
    """Shows the events of a job: progress on a terminal, notes and warnings on the error stream."""

    def __init__(self, shown: _Bars | _Lines | None = None) -> None:
        self._bars = shown

    def stage(self, name: str, index: int, count: int) -> None:
        """Show the stage."""
        if self._bars is not None:
            self._bars.stage(name, index, count)

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        """Update a bar."""
        if self._bars is not None:
            self._bars.watch(label, done, total, remark)

    def note(self, line: str) -> None:
        """Print a note."""
        note(line)

    def warn(self, line: str) -> None:
        """Print a warning. Those about the finished release are shown with it instead."""
        if not isinstance(line, ReleaseWarning):
            warn(line)


@contextmanager
def job_events() -> Iterator[ScreenEvents]:
    """Context that shows the events of a job on the screen."""
    with _bars() as shown:
        yield ScreenEvents(shown)


@contextmanager
def naming(show_rare: bool) -> Iterator[None]:
    """Context in which errors name items of few people only if requested."""
    try:
        yield
    except ShoalError as error:
        error.naming(show_rare, option("show-rare"))
        raise


def note(*lines: str) -> None:
    """Print notes to the error stream, so that a pipe gets results only."""
    for line in lines:
        err.print(_text(line, style="dim"))


def warn(*lines: str) -> None:
    """Print warnings before the work starts to the error stream, also in a pipe."""
    for line in lines:
        err.print(_text(f"warning: {line}", style="bold"))


def alarm(*texts: str, error_stream: bool = False) -> None:
    """Print warnings about a release in red, on the output stream, or on the error stream if the output is JSON."""
    for text in texts:
        (err if error_stream else out).print(_text(f"WARNING: {text}", style="bold red"), soft_wrap=True)


def verdict_lines(promised: str, in_fact: str, *, severe: bool) -> None:
    """Print the verdict of attacks: the guarantee and the measured success, in red if most people are found."""
    lines(f"guarantee: {promised}")
    out.print(_text(f"measured risk: {in_fact}", style="bold red" if severe else ""), soft_wrap=True)


def lines(*texts: str) -> None:
    """Print plain lines to the output stream."""
    for text in texts:
        click.echo(visible(in_shell(text)))


def content(text: str) -> None:
    """Print file content to the output stream: unchanged in a pipe, with control characters escaped on a terminal."""
    if sys.stdout.isatty():
        lines(*text.splitlines())
    else:
        click.echo(text, nl=False)


def pairs(title: str, rows: Sequence[tuple[str, str]], warnings: Sequence[str] = ()) -> None:
    """Print a small table of names and values, below its warnings."""
    out.print(_text(title, style="bold"), soft_wrap=True)
    alarm(*warnings)
    _print(_pairs(rows))


def side_by_side(title: str, shares: Sequence[tuple[str, str]], rows: Sequence[tuple[str, str]], warnings: Sequence[str] = ()) -> None:
    """Print warnings, then numbers side by side below their names, then a small table of names and values."""
    out.print(_text(title, style="bold"), soft_wrap=True)
    alarm(*warnings)
    if shares:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name, _ in shares:
            table.add_column(_text(name, style="dim"))
        table.add_row(*(_text(value, style="bold") for _, value in shares))
        _print(table)
    _print(_pairs(rows))


def heading(text: str) -> None:
    """Print a bold line above a list."""
    out.print(_text(text, style="bold"), soft_wrap=not out.is_terminal)


def listing(columns: Sequence[str], rows: Sequence[Sequence[str]], first: int | None = None) -> None:
    """Print a table, with a header if there are columns; `first` sets the width of the first column."""
    table = Table(*columns, box=None, padding=(0, 2, 0, 0), header_style="dim", show_header=bool(columns))
    for width in () if columns else (first, *(None for _ in rows[0][1:])):
        table.add_column(min_width=width)
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    _print(table)


def as_json(value: Any) -> None:
    """Print JSON to the output stream, in ASCII."""
    # JSON escapes every control character except this one.
    click.echo(json.dumps(in_shell_throughout(value), indent=2).replace("\x7f", "\\u007f"))


def plain(value: Any) -> str:
    """Format a parameter's value as a user writes it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def number(value: object) -> str:
    """Format a metric's value. Other types, from an edited manifest, are shown unchanged."""
    return f"{value:,.4g}" if isinstance(value, (int, float)) else str(value)


def _text(text: str, style: str = "") -> Text:
    """Prepare text for output: options are spelled out, control characters are escaped, brackets are not markup."""
    return Text(visible(in_shell(text)), style=style)


def _pairs(rows: Sequence[tuple[str, str]]) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(_folded(name), _text(value))
    return table


def _folded(name: str) -> Text:
    """Return a name in lines of at most the width of a claim, cut at blanks."""
    text = _text(name)
    lines = wrap(text.plain, WIDEST_CLAIM, subsequent_indent="  ", break_on_hyphens=False)
    return Text("\n".join(lines)) if len(text) > WIDEST_CLAIM else text


def _print(table: Table) -> None:
    """Print a table; in a pipe without trailing blanks."""
    if out.is_terminal:
        out.print(table)
        return
    with out.capture() as lines:
        out.print(table)
    click.echo("\n".join(line.rstrip() for line in lines.get().splitlines()))


def verdict_rows(verdicts: Sequence[Verdict], *, show_rare: bool = False) -> list[tuple[str, str]]:
    """Return a row per claim, followed by its violations and notes. Items of few people are named only if `show_rare`."""
    from shoal.report.verdict_text import reached

    rows = []
    for verdict in verdicts:
        level = reached(verdict.claim, verdict.achieved, holds=verdict.holds)
        state = {"fails": "FAILS", "not checkable": "NOT CHECKABLE", "not judged": "NOT JUDGED"}.get(verdict.standing, verdict.standing)
        rows.append((without_names(verdict.claim), f"{state}: {level}" if level else state))
        why = "took too long" if verdict.standing == "not judged" else "not checkable with the available data"
        rows += [("", f"{why}: {verdict.unchecked}")] if verdict.unchecked else []
        rows += [("", f"violated: {witness}") for witness in verdict.witnesses + verdict.rare * show_rare]
        rows += [("", "--show-rare lists some of them")] if verdict.rare and not show_rare else []
        rows += [("", text) for text in verdict.notes]
    return rows


def verdict_line(verdict: Verdict) -> str:
    """Return a claim, its verdict and the achieved level in one line."""
    _, state = verdict_rows([verdict])[0]
    return f"{_cropped(verdict.claim)} {state}"


def prints(text: str) -> bool:
    """Whether the encoding of the output stream contains these characters."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _cropped(claim: str) -> str:
    """Shorten a claim to fit in a line with its verdict, without names of items; the manifest has it in full."""
    claim = without_names(claim)
    return claim if len(claim) <= WIDEST_LINE else claim[: WIDEST_LINE - 4] + "...)"


def share(part: int, whole: int) -> str:
    """Format a count and its share of a total."""
    return f"{part:,} ({percent(part / whole)})" if whole else f"{part:,}"


def ledger_line(ledger: Mapping[str, int]) -> str:
    """Format a ledger of the manifest in one line."""
    total = ledger["in"]
    return f"{total:,} = " + " + ".join(f"{n:,} {name}" for name, n in ledger.items() if name != "in")


# Spelling of options.


def in_shell(text: str) -> str:
    """Spell the marked options of a text as they are typed, such as `--per session` and `--no-header`."""
    return spell(text, _typed, " ")


def in_shell_throughout(value: Any) -> Any:
    """Do the same for all texts inside lists and dictionaries."""
    if isinstance(value, str):
        return in_shell(value)
    if isinstance(value, dict):
        return {in_shell(name) if isinstance(name, str) else name: in_shell_throughout(one) for name, one in value.items()}
    return [in_shell_throughout(one) for one in value] if isinstance(value, (list, tuple)) else value


def _typed(name: str, value: Value | None, placeholder: bool) -> str:
    if value is None:
        return PAIRED.get(name, f"--{name}")
    if value is True:
        return f"--{name}"
    if value is False:
        return f"--{OPPOSITES.get(name, f'no-{name}')}"
    return f"--{name} {value if placeholder else shlex.quote(str(value))}"
