"""Options that several commands share, and options made from what methods declare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shoal.app.job import Preparation
from shoal.app.manifest import preparation_of
from shoal.errors import ParameterError
from shoal.io.read.items import with_files_read
from shoal.io.read.options import FORMATS, MICRODATA, OWNERS
from shoal.methods import METHODS, Method
from shoal.parameters import Declared, Param
from shoal.taxonomy.losses import LOSSES

Command = Callable[..., Any]

COLUMNS = ("format", "user", "time", "text", "item", "quasi", "keep_column", "drop_column")
OF_MICRODATA = {"quasi": "quasi", "keep_column": "keep", "drop_column": "drop"}
READING = (*COLUMNS, "sep", "header", "strict", "malformed", "owners")

_DATA_OPTIONS = {
    "format": click.option("--format", type=click.Choice(FORMATS), metavar="NAME", help=f"{', '.join(FORMATS)}; guessed, and announced."),
    "user": click.option("--user", metavar="COLUMN", help="Column that tells people apart."),
    "time": click.option("--time", metavar="COLUMN", help="Column of times."),
    "text": click.option("--text", metavar="COLUMN", help="Column of query texts."),
    "item": click.option("--item", metavar="COLUMN", help="Column of items, for a table of one row per user and item."),
    "quasi": click.option("--quasi", metavar="COLUMNS", help="Quasi-identifiers of microdata, as a,b,c. [default: all numbers]"),
    "keep-column": click.option("--keep-column", metavar="COLUMNS", help="Columns of microdata left as they are, without any protection."),
    "drop-column": click.option("--drop-column", metavar="COLUMNS", help="Columns of microdata that are left out."),
    "sep": click.option("--sep", metavar="CHARACTER", help="What separates fields, or the items of a transaction."),
    "header": click.option("--header/--no-header", default=None, help="Whether the first row names the columns; found out if left out."),
    "strict": click.option("--strict", is_flag=True, default=None, help="Refuse a file with malformed rows instead of counting them."),
    "malformed": click.option("--malformed", type=float, metavar="SHARE", help="Largest share of malformed rows accepted. [default: 0.1]"),
    "owners": click.option("--owners", type=click.Choice(OWNERS), help="Are owners written alike, as ann and Ann, one person (folded)?"),
    "per": click.option("--per", type=click.Choice(["user", "session", "event"]), help="What becomes one record. [default: user]"),
    "gap": click.option("--gap", metavar="DURATION", help="A pause longer than this ends a session. [default: 30m]"),
    "bag": click.option("--bag/--set", "bag", default=None, help="Keep multiplicities, or an item once a record. [default: --set]"),
    "taxonomy": click.option("--taxonomy", metavar="NAME|FILE", help="wordnet, generated[:FANOUT], none or a file. [default: as needed]"),
    "node-loss": click.option("--node-loss", type=click.Choice(list(LOSSES)), help="What generalizing to a node costs. [default: lm]"),
    "unknown": click.option(
        "--unknown", type=click.Choice(["keep", "drop", "refuse"]), help="Terms outside the taxonomy. [default: keep, if it knows any]"
    ),
    "tree": click.option("--tree", type=click.Choice(["used", "whole"]), help="The taxonomy the data uses, or all of it. [default: used]"),
}

DATA_PARAMETERS = tuple(name.replace("-", "_") for name in _DATA_OPTIONS)

rare_option = click.option("--show-rare", is_flag=True, help="Name items that few people hold, not only count them. Not to be published.")


def data_options(without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Everything that says how a file becomes records on a taxonomy, except what a command asks for in its own way."""

    def decorate(command: Command) -> Command:
        for name, option in reversed(_DATA_OPTIONS.items()):
            if name not in without:
                command = option(command)
        return command

    return decorate


def preparation(said: dict[str, Any], base: Preparation | None = None) -> Preparation:
    """What the options say, on top of a base; takes the options it understands out of `said`."""
    start = base or Preparation.of_format(said["format"])
    reading = {name: said.pop(name) for name in READING}
    known = start.read.without_columns() if any(reading[name] for name in COLUMNS) else start.read
    known = replace(known, format=MICRODATA) if start.shape == "table" else known
    for option, name in OF_MICRODATA.items():
        columns = reading.pop(option)
        reading[name] = None if columns is None else tuple(columns.split(","))
    read = replace(known, **{n: v for n, v in reading.items() if v is not None})
    bag = said.pop("bag")
    named = {"per": said.pop("per"), "gap": said.pop("gap"), "taxonomy": said.pop("taxonomy"), "loss": said.pop("node_loss")}
    named |= {"unknown": said.pop("unknown"), "scope": said.pop("tree"), "as_sets": None if bag is None else not bag}
    if start.shape != "records":
        _refuse_of_records(start.shape, named)
    asked = replace(start, read=read, **{n: v for n, v in named.items() if v is not None})
    beside = [name for name in ("unknown", "scope", "loss") if named[name] is not None]
    if asked.typed_names and beside:
        raise ParameterError(
            f"--{_typed_as(beside[0])} is about records on a taxonomy, and here names stay as they were typed", hint="leave it out"
        )
    if named["gap"] is not None and asked.per != "session":
        raise ParameterError(f"--gap is for sessions, and one record is made per {asked.per}", hint="add --per session")
    return asked


def _refuse_of_records(shape: str, named: dict[str, Any]) -> None:
    """Options that say how records are made, where rows are taken as they were read."""
    for name, value in named.items():
        if value is not None:
            what = f"--{_typed_as(name)} says how records are made, and this method takes the rows of a {shape} as they are"
            raise ParameterError(what, hint="leave it out")


def _typed_as(name: str) -> str:
    return {"scope": "tree", "loss": "node-loss", "as_sets": "bag/--set"}.get(name, name)


def original_options(said: dict[str, Any], original: Path | None, manifest: dict[str, Any] | None) -> Preparation | None:
    """How to read an original, on top of what a manifest tells; options about an original that is not given are refused."""
    given = [name for name, value in said.items() if value is not None]
    if original is not None:
        return preparation(said, base=preparation_of(manifest) if manifest else None)
    if given:
        name = {"bag": "bag/--set"}.get(given[0], given[0]).replace("_", "-")
        raise ParameterError(f"--{name} says how to read the original, and no --original is given")
    return None


def method_options(name: str) -> list[click.Option]:
    """One option for each parameter that this method declares."""
    made = []
    for declared in METHODS[name].parameters():
        plain = declared.name.replace("_", "-")
        flag = f"--{plain}/--no-{plain}" if declared.type is bool else f"--{plain}"
        made.append(click.Option([flag, f"method_{declared.name}"], **_option(declared)))
    return made


def takers(option: str) -> list[str]:
    """The methods that take an option which is typed so."""
    return [name for name in METHODS if any(option in (*one.opts, *one.secondary_opts) for one in method_options(name))]


def declared_options(kind: type[Declared]) -> Callable[[Command], Command]:
    """One option for each parameter of one declared thing; values arrive as text, to be parsed by it."""

    def decorate(command: Command) -> Command:
        for declared in reversed(kind.parameters()):
            command = click.option(f"--{declared.name.replace('_', '-')}", declared.name, **_option(declared))(command)
        return command

    return decorate


def chosen_method(name: str, said: dict[str, Any]) -> Method:
    """The method of that name with the parameters that were given, files read."""
    given = {k.removeprefix("method_"): v for k, v in said.items() if k.startswith("method_") and v is not None}
    kind = METHODS[name]
    known = {p.name: p for p in kind.parameters()}
    return with_files_read(kind(**{n: known[n].parse(v) if isinstance(v, str) else v for n, v in given.items()}))


def _option(declared: Param) -> dict[str, Any]:
    default = "" if declared.default is None else f" [default: {_shown(declared.default)}]"
    shape = {} if declared.type is bool else {"metavar": declared.range.replace(" | ", "|")}
    return {**shape, "default": None, "help": f"{_sentence(declared.help)}{default}"}


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
