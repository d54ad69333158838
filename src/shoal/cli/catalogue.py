"""Listings of methods and models, made from what they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from shoal.cli import screen
from shoal.methods.presets import presets_of
from shoal.parameters import Declared


def catalogue(name: str, table: Mapping[str, type[Declared]], help: str, more: str = "") -> click.Command:
    """A command that lists the parts of a table, or describes one of them; `more` says where to go on from {name}."""

    @click.command(name, help=help, context_settings={"help_option_names": ["-h", "--help"]})
    @click.argument("which", required=False, metavar="[NAME]")
    @click.option("--json", "as_json", is_flag=True, help="For programs.")
    def command(which: str | None, as_json: bool) -> None:
        chosen = {which: table[which]} if which else dict(table.items())
        if as_json:
            screen.as_json({n: _facts(kind) for n, kind in chosen.items()})
        elif which:
            _tell(which, table[which])
            screen.note(*([more.format(name=which)] if more else []))
        else:
            screen.listing(["name", "what it is"], [(n, kind.summary()) for n, kind in chosen.items()])
            screen.note(f"`shoal {name} NAME` describes one of them")

    return command


def _facts(kind: type[Declared]) -> dict[str, Any]:
    told = {key: getattr(kind, key) for key in ("paper", "protects", "does_not_protect", "limits") if getattr(kind, key, "")}
    told |= {"guarantee": "none"} if getattr(kind, "guarantees_nothing", False) else {}
    parameters = {p.name: {"help": p.help, "default": _in_json(p.default), "values": p.range} for p in kind.parameters()}
    presets = {one.name: {"for": one.use, "not": one.does_not_protect, "values": one.values} for one in presets_of(kind.name).values()}
    return {"summary": kind.summary(), **told, "parameters": parameters, **({"presets": presets} if presets else {})}


def _in_json(default: Any) -> Any:
    """A default as JSON has it: what is no number, truth value or nothing is written as a user types it."""
    return default if default is None or isinstance(default, (bool, int, float, str)) else str(default)


def _tell(name: str, kind: type[Declared]) -> None:
    facts = _facts(kind)
    labels = {"summary": "what it is", "paper": "from", "guarantee": "guarantee", "protects": "protects", "does_not_protect": "does not"}
    screen.pairs(name, [(labels[key], facts[key]) for key in labels if key in facts])
    rows = [(p.name, p.range, "" if p.default is None else screen.plain(p.default), p.help) for p in kind.parameters()]
    screen.out.print()
    screen.listing(["parameter", "values", "default", "what it does"], rows)
    if "presets" in facts:
        screen.out.print()
        told = [(preset, one["for"], one["not"]) for preset, one in facts["presets"].items()]
        screen.listing(["--preset", "what it is for", "what it does not protect"], told)
