"""What would help where hardly a word is left: smaller records, or methods that offer another guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shoal.app.prepare import Prepared
from shoal.app.protection import protected
from shoal.data.log import Per
from shoal.data.original import Original
from shoal.methods import METHODS, Method

OF_TAXONOMIES = ("node_loss", "unknown", "tree", "floor")  # options that say nothing where names stay as they were typed
SMALLER: dict[Per, tuple[Per, ...]] = {"user": ("session", "event"), "session": ("event",), "record": ("event",), "event": ()}


@dataclass(frozen=True)
class Change:
    """Options to change, and what is protected then: `without` are options to leave out, `label` tells the release from this one."""

    why: str
    label: str
    options: Mapping[str, str]
    settings: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()


def changes(prepared: Prepared, method: Method) -> list[Change]:
    """What may keep more words of this input than this method did, the smallest change first."""
    return [*_smaller_records(prepared), *_other_methods(prepared, method)]


def _smaller_records(prepared: Prepared) -> Iterator[Change]:
    """Shorter records are alike more often: sessions where there are times, events where there is a log."""
    reading = prepared.reading
    possible: dict[Per, bool] = {
        "session": reading is not None and reading.timed,
        "event": reading is not None and reading.format != "transactions",
    }
    for per in SMALLER[prepared.how.per]:
        if possible[per]:
            yield Change(protected(per), per, {"per": per}, without=() if per == "session" else ("gap", "record"))


def _other_methods(prepared: Prepared, method: Method) -> Iterator[Change]:
    """Methods that take such records and say of themselves that they may keep more of them."""
    if not isinstance(prepared.original, Original):
        return
    for name in METHODS:
        other = METHODS[name]
        for offer in other.offers if name != method.name else ():
            made = other(**offer.settings)
            if made.needs_taxonomy and not prepared.original.on_taxonomy:
                continue
            without = ("bound", *(() if "bags" in made.takes else ("bag",)), *(() if made.needs_taxonomy else OF_TAXONOMIES))
            label = "-".join([name, *(f"{key}{value}" for key, value in offer.settings.items())])
            told = {key: str(value) for key, value in offer.settings.items()}
            yield Change(offer.why, label, {"method": name}, told, without)
