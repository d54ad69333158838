"""Options that several commands share, and options made from the declarations of methods.

Nothing large is imported here, so that help is shown at once: the parameters of methods come from their catalogue
(`shoal.methods.catalogue`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import click

from shoal.attacks import ATTACKS, BASIC
from shoal.attacks.draw import Draw
from shoal.data.node_loss import LOSSES
from shoal.io.read.options import FORMATS, OWNERS
from shoal.kernels import MOST_THREADS
from shoal.methods import METHODS, PRESET, Method, presets_of
from shoal.methods.catalogue import ListedParameter, listed_method
from shoal.parameters import Declared
from shoal.util.wording import split_default

if TYPE_CHECKING:
    from shoal.evaluate.attack.before_release import PlannedAttacks

# Types of numbers within limits. Help shows them as N, and the limits in words: `2 or more`, `1 to 1,024`.


def _in_words(least: float | None, most: float | None) -> str:
    """The limits as help shows them."""
    if most is None:
        return "" if least is None else f"{least:,.10g} or more"
    return f"at most {most:,.10g}" if least is None else f"{least:,.10g} to {most:,.10g}"


class _Limited(Protocol):
    """A type of numbers with limits."""

    @property
    def min(self) -> float | None: ...
    @property
    def max(self) -> float | None: ...


class _InWords:
    """How help shows a number within limits."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what help shows instead of a value."""
        return "N"

    def _describe_range(self: _Limited) -> str:
        return _in_words(self.min, self.max)


class WholeNumber(_InWords, click.IntRange):
    """A whole number within limits, both included."""

    name = "integer"


class Number(_InWords, click.FloatRange):
    """A number within limits, both included."""

    name = "number"


# Options of `shoal anonymize` for attacks on the release before it is written.


_DRAWN = ("targets", "control")
_HELP = (
    "Attack the release before writing it; a comma-separated list of attacks (see `shoal attack --help`). "
    f"[without NAMES: {', '.join(ATTACKS)}]"
)


def attack_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for attacks: which ones, on how many people, and the size of the control group."""
    declared = {one.name: ListedParameter.of(one) for one in Draw.parameters()}
    for name in reversed(_DRAWN):
        text = f"With --attack: {declared[name].help}. [default: {declared[name].default}]"
        command = click.option(f"--{name}", metavar=_metavar(declared[name]), help=text)(command)
    return click.option("--attack", is_flag=False, flag_value=BASIC, metavar="[NAMES]", help=_HELP)(command)


def planned_attacks(options: dict[str, Any], method: Method) -> PlannedAttacks | None:
    """Return the requested attacks, whose options are removed from `options`. Raise if releases of this method cannot be attacked."""
    wanted = [options.pop(name) for name in ("attack", *_DRAWN)]
    if all(value is None for value in wanted):
        return None
    from shoal.evaluate.attack.before_release import PlannedAttacks

    attempt = PlannedAttacks.from_options(*wanted)
    if attempt is not None:
        attempt.refuse(method)
    return attempt


Command = Callable[..., Any]

SHORT = {"k": ("-k",)}  # parameters of methods that are typed often


def _none_if_empty(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the values of a repeatable option, or None if there are none."""
    return value or None


_ROWS = {"table": "table (one event per row)", "microdata": "microdata (one person per row)"}
_FORMAT_HELP = f"{', '.join(_ROWS.get(name, name) for name in FORMATS)}. [default: detected]"

_DATA_OPTIONS = {
    "format": click.option("--format", type=click.Choice(FORMATS), metavar="NAME", help=_FORMAT_HELP),
    "user": click.option("--user", metavar="COLUMN", help="Column with the user ID."),
    "time": click.option("--time", metavar="COLUMN", help="Column with the time."),
    "text": click.option("--text", metavar="COLUMN", help="Column with the query text."),
    "item": click.option("--item", metavar="COLUMN", help="Column with the item (one item per row)."),
    "record": click.option("--record", metavar="COLUMN", help="Column with the basket or session ID."),
    "count": click.option("--count", metavar="COLUMN", help="Column with the quantity; implies --bag."),
    "rank": click.option("--rank", metavar="COLUMN", help="Column with the rank of the clicked result, for methods that publish clicks."),
    "url": click.option("--url", metavar="COLUMN", help="Column with the clicked URL, for methods that publish clicks."),
    "quasi": click.option(
        "--quasi", metavar="COLUMNS", help="Numeric quasi-identifiers of microdata, e.g. a,b,c. [default: all numeric columns]"
    ),
    "keep-column": click.option(
        "--keep-column", metavar="COLUMNS", help="Columns of microdata that are published unchanged, without any protection."
    ),
    "drop-column": click.option("--drop-column", metavar="COLUMNS", help="Columns of microdata to drop."),
    "nominal": click.option("--nominal", metavar="COLUMNS", help="Quasi-identifiers that are nominal (categories without an order)."),
    "ordinal": click.option("--ordinal", metavar="COLUMNS", help='Quasi-identifiers that are ordinal: numbers, or "c=low|middle|high".'),
    "hierarchy": click.option(
        "--hierarchy", metavar="COLUMN=FILE", help="Quasi-identifiers whose values are nodes of the taxonomy in FILE."
    ),
    "item-sets": click.option(
        "--item-sets", metavar="COLUMN=FILE", help="Column with a set of items per row, separated by |; FILE is their taxonomy."
    ),
    "sep": click.option("--sep", metavar="CHARACTER", help="Field or item separator."),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Encoding of text files, e.g. latin-1. [default: utf-8, or the byte order mark]"
    ),
    "header": click.option("--header/--no-header", default=None, help="Whether the first row has column names. [default: detected]"),
    "strict": click.option(
        "--strict", is_flag=True, default=None, help="Reject a file with malformed rows instead of skipping and counting them."
    ),
    "malformed": click.option("--malformed", type=float, metavar="SHARE", help="Largest accepted share of malformed rows. [default: 0.1]"),
    "owners": click.option(
        "--owners",
        type=click.Choice(OWNERS),
        help="Whether user IDs that differ only in spelling (ann, Ann) are one person (folded) or not (exact). [default: an error]",
    ),
    "site-links": click.option(
        "--site-links",
        metavar="FILE|referrers",
        help="Separate the visitors behind one address of an access log by links between pages: a file of links, or those in referrers.",
    ),
    "per": click.option("--per", type=click.Choice(["user", "session", "event"]), help="Record unit. [default: user; accesslog: session]"),
    "gap": click.option("--gap", metavar="DURATION", help="Inactivity that ends a session. [default: 30m]"),
    "bag": click.option(
        "--bag/--set",
        "bag",
        default=None,
        help="Whether an item that a record repeats counts each time (--bag) or once (--set). [default: --set]",
    ),
    "taxonomy": click.option("--taxonomy", metavar="NAME|FILE", help="wordnet, topics, topics+wordnet, paths, generated, none, or a file."),
    "items-table": click.option("--items-table", metavar="FILE", help="Product table with item names and category levels."),
    "item-level": click.option("--item-level", metavar="COLUMN", help="Level of the items table to publish."),
    "items-key": click.option("--items-key", metavar="COLUMN", help="Column of the items table that matches the items of the input."),
    "items-name": click.option("--items-name", metavar="COLUMN", help="Column of the items table with readable names of the items."),
    "items-levels": click.option(
        "--items-levels", metavar="COLUMNS", help="Levels of the items table from fine to coarse, e.g. type,category,department."
    ),
    "node-loss": click.option(
        "--node-loss", type=click.Choice(list(LOSSES)), help="Loss function for taxonomy nodes. [default: information]"
    ),
    "unknown": click.option(
        "--unknown", type=click.Choice(["keep", "drop", "refuse"]), help="Treatment of items that are not in the taxonomy. [default: keep]"
    ),
    "floor": click.option(
        "--floor",
        multiple=True,
        callback=_none_if_empty,
        metavar="LEVEL|NODE",
        help="Most general level (root: 1) or node to publish. [default: 2]",
    ),
    "min-support": click.option(
        "--min-support", metavar="PEOPLE|SHARE%", help="Leave out items that fewer people have, e.g. 5 or 0.1%. [default: 1]"
    ),
    "terms": click.option(
        "--terms",
        metavar="N|LIST",
        help="Documents: number of terms in a vector. [default: 50] Other texts: which words form one item, a comma-separated list of "
        "domains (names of web sites), phrases (nouns of several words in WordNet), collocations[:PEOPLE] (words that often occur next to "
        "each other), related (adjectives, verbs and adverbs count as their noun).",
    ),
    "tree": click.option(
        "--tree",
        type=click.Choice(["used", "whole"]),
        help="Compute losses on the part of the taxonomy that the data uses, or on all of it. [default: used]",
    ),
}

DATA_PARAMETERS = tuple(name.replace("-", "_") for name in _DATA_OPTIONS)

rare_option = click.option(
    "--show-rare", is_flag=True, help="List items of few people instead of only counting them. Do not publish this output."
)

verbose_option = click.option("--verbose", "-v", is_flag=True, help="Show all numbers and notes, not only the outcome.")

no_guarantee_option = click.option("--no-guarantee", is_flag=True, help="Allow a method or release without a privacy guarantee.")

threads_option = click.option("--threads", type=WholeNumber(1, MOST_THREADS), help="Number of threads. [default: all cores]")

patience_option = click.option(
    "--patience",
    type=float,
    metavar="TIMES",
    help="Effort limit for verifying a claim, as a multiple of the default; a claim that needs more is not verified. [default: 1]",
)


def data_options(without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Add all options for making records on a taxonomy from a file, except those that a command defines itself."""

    def decorate(command: Command) -> Command:
        for name, option in reversed(_DATA_OPTIONS.items()):
            if name not in without:
                command = option(command)
        return command

    return decorate


def method_options(name: str) -> list[click.Option]:
    """Return one option for each parameter that this method declares."""
    options = []
    for listed in listed_method(name).parameters:
        plain = listed.name.replace("_", "-")
        flag = f"--{plain}/--no-{plain}" if listed.is_flag else f"--{plain}"
        options.append(click.Option([flag, *SHORT.get(listed.name, ()), f"method_{listed.name}"], **_option(listed)))
    return [*options, *([_preset_option(name)] if presets_of(name) else [])]


def _preset_option(name: str) -> click.Option:
    """Return the option that selects a preset of parameters."""
    return click.Option([f"--{PRESET}", f"method_{PRESET}"], metavar="NAME", help=f"Predefined parameters: {', '.join(presets_of(name))}.")


def method_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """Return the typed options of the chosen method by parameter name."""
    return {name.removeprefix("method_"): value for name, value in options.items() if name.startswith("method_")}


def takers(option: str) -> list[str]:
    """Return the methods that have this option."""
    return [name for name in METHODS if any(option in (*one.opts, *one.secondary_opts) for one in method_options(name))]


def declared_options(kind: type[Declared]) -> Callable[[Command], Command]:
    """Return one option for each parameter of a declared class. Values arrive as text and are parsed by the class."""

    def decorate(command: Command) -> Command:
        for declared in reversed(kind.parameters()):
            command = click.option(f"--{declared.name.replace('_', '-')}", declared.name, **_option(ListedParameter.of(declared)))(command)
        return command

    return decorate


def _option(listed: ListedParameter) -> dict[str, Any]:
    text, stated = split_default(listed.help)
    default = stated if listed.default is None else listed.default
    facts = [f"default: {default}"] if default else []
    facts += [listed.range] if listed.is_number else []
    more = f" [{'; '.join(facts)}]" if facts else ""
    shape = {} if listed.is_flag else {"metavar": _metavar(listed)}
    return {**shape, "default": None, "help": f"{_sentence(text)}{more}"}


def _metavar(listed: ListedParameter) -> str:
    """Return how the help shows a value: N for a number, otherwise the allowed values."""
    return "N" if listed.is_number else listed.range.replace(" | ", "|")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
