"""Options that several commands share, and options made from what methods declare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from shoal.data.node_loss import LOSSES
from shoal.io.read.options import FORMATS, OWNERS
from shoal.io.read.paths import STDIN
from shoal.methods import METHODS
from shoal.methods.presets import PRESET, presets_of
from shoal.parameters import Declared, Param

Command = Callable[..., Any]

SHORT = {"k": ("-k",)}  # parameters of methods that are typed often


def _none_if_empty(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """What was said of a repeatable option, None where nothing was."""
    return value or None


_DATA_OPTIONS = {
    "format": click.option("--format", type=click.Choice(FORMATS), metavar="NAME", help=f"{', '.join(FORMATS)}; guessed."),
    "user": click.option("--user", metavar="COLUMN", help="Column that says whose a row is."),
    "time": click.option("--time", metavar="COLUMN", help="Column of times."),
    "text": click.option("--text", metavar="COLUMN", help="Column of query texts."),
    "item": click.option("--item", metavar="COLUMN", help="Column of items, one in each row."),
    "record": click.option("--record", metavar="COLUMN", help="Column of the baskets or visits of a person."),
    "count": click.option("--count", metavar="COLUMN", help="Column of quantities; implies --bag."),
    "rank": click.option("--rank", metavar="COLUMN", help="Column of the ranks of clicked results, for methods that publish clicks."),
    "url": click.option("--url", metavar="COLUMN", help="Column of what was clicked, for methods that publish clicks."),
    "quasi": click.option("--quasi", metavar="COLUMNS", help="Quasi-identifiers of microdata, as a,b,c. [default: all numbers]"),
    "keep-column": click.option("--keep-column", metavar="COLUMNS", help="Columns of microdata left as they are, without any protection."),
    "drop-column": click.option("--drop-column", metavar="COLUMNS", help="Columns of microdata that are left out."),
    "nominal": click.option("--nominal", metavar="COLUMNS", help="Quasi-identifiers that are names without an order."),
    "ordinal": click.option("--ordinal", metavar="COLUMNS", help='Those of which the order counts: numbers, or "c=low|middle|high".'),
    "hierarchy": click.option("--hierarchy", metavar="COLUMN=FILE", help="Those that are nodes of the taxonomy in a file."),
    "sep": click.option("--sep", metavar="CHARACTER", help="What separates fields or items."),
    "header": click.option("--header/--no-header", default=None, help="Whether the first row names the columns."),
    "strict": click.option("--strict", is_flag=True, default=None, help="Refuse a file with malformed rows instead of counting them."),
    "malformed": click.option("--malformed", type=float, metavar="SHARE", help="Largest share of malformed rows accepted. [default: 0.1]"),
    "owners": click.option("--owners", type=click.Choice(OWNERS), help="Are owners written alike, as ann and Ann, one person (folded)?"),
    "per": click.option("--per", type=click.Choice(["user", "session", "event"]), help="What becomes one record. [default: user]"),
    "gap": click.option("--gap", metavar="DURATION", help="Pause that ends a session. [default: 30m]"),
    "bag": click.option("--bag/--set", "bag", default=None, help="Count repeated items, or not. [default: --set]"),
    "taxonomy": click.option("--taxonomy", metavar="NAME|FILE", help="wordnet, generated[:FANOUT], paths, none or a file."),
    "node-loss": click.option("--node-loss", type=click.Choice(list(LOSSES)), help="What a node costs. [default: information]"),
    "unknown": click.option(
        "--unknown", type=click.Choice(["keep", "drop", "refuse"]), help="Terms that the taxonomy does not have. [default: keep]"
    ),
    "floor": click.option(
        "--floor",
        multiple=True,
        callback=_none_if_empty,
        metavar="LEVEL|NODE",
        help="Most general level or node published; the root is level 1. [default: 2]",
    ),
    "terms": click.option("--terms", type=int, metavar="N", help="Terms in the vector of a document, the most frequent. [default: 50]"),
    "tree": click.option("--tree", type=click.Choice(["used", "whole"]), help="The taxonomy the data uses, or all of it. [default: used]"),
}

DATA_PARAMETERS = tuple(name.replace("-", "_") for name in _DATA_OPTIONS)

input_argument = click.argument("input", nargs=-1, required=True, type=click.Path(path_type=Path))
original_option = click.option(
    "--original",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The file the release was made from, for a stricter judgement; once each where there were several.",
)
rare_option = click.option("--show-rare", is_flag=True, help="Name items that few people hold, not only count them. Not to be published.")

no_guarantee_option = click.option("--no-guarantee", is_flag=True, help="Run a method, or accept a release, that guarantees nothing.")

patience_option = click.option(
    "--patience",
    type=float,
    metavar="TIMES",
    help="Work that verifying a claim may take, as a multiple of the default; a claim that takes more is not verified. [default: 1]",
)


def called(input: Sequence[Path]) -> str:
    """What an input is called in a title."""
    if len(input) > 1:
        return f"{len(input)} inputs"
    return "standard input" if str(input[0]) == STDIN else input[0].name


def data_options(without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Everything that says how a file becomes records on a taxonomy, except what a command asks for in its own way."""

    def decorate(command: Command) -> Command:
        for name, option in reversed(_DATA_OPTIONS.items()):
            if name not in without:
                command = option(command)
        return command

    return decorate


def method_options(name: str) -> list[click.Option]:
    """One option for each parameter that this method declares."""
    made = []
    for declared in METHODS[name].parameters():
        plain = declared.name.replace("_", "-")
        flag = f"--{plain}/--no-{plain}" if declared.type is bool else f"--{plain}"
        made.append(click.Option([flag, *SHORT.get(declared.name, ()), f"method_{declared.name}"], **_option(declared)))
    return [*made, *([_preset_option(name)] if presets_of(name) else [])]


def _preset_option(name: str) -> click.Option:
    """The option that names parameters which are kept together under a name."""
    return click.Option([f"--{PRESET}", f"method_{PRESET}"], metavar="NAME", help=f"Parameters by name: {', '.join(presets_of(name))}.")


def method_parameters(said: dict[str, Any]) -> dict[str, Any]:
    """What was typed of the chosen method's options, by the names of its parameters."""
    return {name.removeprefix("method_"): value for name, value in said.items() if name.startswith("method_")}


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


def _option(declared: Param) -> dict[str, Any]:
    default = "" if declared.default is None else f" [default: {_shown(declared.default)}]"
    shape = {} if declared.type is bool else {"metavar": declared.range.replace(" | ", "|")}
    return {**shape, "default": None, "help": f"{_sentence(declared.help)}{default}"}


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
