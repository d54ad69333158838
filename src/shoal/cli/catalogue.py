"""Lists of methods, models and metrics, made from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

from shoal.api.catalogue import described, facts_of, list_metrics
from shoal.cli import screen
from shoal.methods import METHODS
from shoal.methods.catalogue import listed_method, methods_by_family
from shoal.metrics import METRICS
from shoal.parameters import Declared, Param
from shoal.privacy import MODELS
from shoal.util.wording import split_default

WIDEST_METHOD = 2 + max(map(len, METHODS))


def catalogue(name: str, table: Mapping[str, type[Declared]], help: str, show: Callable[[], None], more: str = "") -> click.Command:
    """Return a command that lists the entries of a table with `show`, or describes one; `more` is the hint after a description."""

    @click.command(name, help=help, context_settings={"help_option_names": ["-h", "--help"]})
    @click.argument("which", required=False, metavar="[NAME]")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def command(which: str | None, as_json: bool) -> None:
        chosen = {which: table[which]} if which else dict(table.items())
        if as_json:
            screen.as_json(described(chosen))
        elif which:
            _print_description(which, table[which])
            screen.note(*([more.format(name=which)] if more else []))
        else:
            show()
            screen.note(f"`shoal {name} NAME` describes one of them")

    return command


def _print_description(name: str, kind: type[Declared]) -> None:
    facts = facts_of(kind)
    labels = {
        "summary": "description",
        "paper": "source",
        "guarantee": "guarantee",
        "protects": "protects",
        "does_not_protect": "not protected",
    }
    screen.pairs(name, [(labels[key], facts[key]) for key in labels if key in facts])
    rows = [_parameter_row(p) for p in kind.parameters()]
    screen.out.print()
    screen.listing(["parameter", "values", "default", "description"], rows)
    if "presets" in facts:
        screen.out.print()
        presets = [(preset, one["for"], one["not"]) for preset, one in facts["presets"].items()]
        screen.listing(["--preset", "use", "not protected"], presets)


def _parameter_row(parameter: Param) -> tuple[str, str, str, str]:
    meaning, stated = split_default(parameter.help)
    default = stated if parameter.default is None else screen.plain(parameter.default)
    return parameter.name, parameter.range, default, meaning


# shoal methods


def _show_methods() -> None:
    """List the methods by family."""
    for family, names in methods_by_family().items():
        screen.heading(f"{family.title}: {family.text}")
        screen.listing([], [(f"  {name}", listed_method(name).summary) for name in names], first=WIDEST_METHOD)


methods_command = catalogue(
    "methods",
    METHODS,
    "List the methods by what an attacker may know, or describe one.",
    _show_methods,
    more="`shoal anonymize --method {name} --help` shows the command-line options",
)


# shoal models


def _show_models() -> None:
    screen.listing(["name", "description"], [(name, model.summary()) for name, model in MODELS.items()])


models_command = catalogue("models", MODELS, "List the privacy models, or describe one.", _show_models)


# shoal metrics


@click.command("metrics", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics_command(as_json: bool) -> None:
    """List the metrics and what they measure."""
    if as_json:
        screen.as_json(list_metrics())
        return
    rows = [(m.name, m.summary, m.better, m.range, "every release" if m.routine else "on request") for m in METRICS.values()]
    screen.listing(["name", "description", "better", "range", "measured"], rows)
