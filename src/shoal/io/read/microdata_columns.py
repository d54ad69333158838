"""What each column of microdata is: a quasi-identifier, left as it is, left out, or the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, ParameterError
from shoal.io.read.columns import KNOWN_NAMES, plain
from shoal.io.read.microdata_kinds import KEYS, ColumnKind, said_kinds
from shoal.io.read.options import ReadOptions
from shoal.names import did_you_mean

DROPPED, OWNER = "dropped", "owner_column"  # what a manifest calls them
SAY = "say --quasi, --nominal, --keep-column or --drop-column for it"


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of each role, in the order of the file."""

    quasi: tuple[str, ...]
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    user: str | None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)

    def kind(self, name: str) -> ColumnKind:
        """What a quasi-identifier holds: numbers, unless something else was said."""
        return self.kinds.get(name, ColumnKind())

    def notes(self) -> tuple[str, ...]:
        """What was decided, a line each."""
        lines = {"quasi-identifiers": self.quasi, "left as they are, without any protection": self.keep, "dropped": self.drop}
        told = [f"{what}: {', '.join(self._with_kind(name) for name in names)}" for what, names in lines.items() if names]
        owners = "one owner a row" if self.user is None else f"owners: column {self.user!r}"
        return (*told, owners)

    def beside(self) -> dict[str, str | int | list[str]]:
        """How many columns were dropped, without their names; the column of users; and the columns that are of a kind of their own."""
        told: dict[str, str | int | list[str]] = {DROPPED: len(self.drop)} if self.drop else {}
        for kind, key in KEYS.items():
            of_kind = [self.kinds[name].told(name) for name in self.quasi if self.kind(name).kind == kind]
            told |= {key: of_kind} if of_kind else {}
        return told if self.user is None else {**told, OWNER: self.user}

    def _with_kind(self, name: str) -> str:
        return f"{name!r} ({self.kinds[name].kind})" if name in self.kinds else repr(name)


def assigned_roles(path: Path, holds_numbers: Mapping[str, bool], options: ReadOptions) -> ColumnRoles:
    """The role of every column, given whether any of its cells is a number. Raises where that is not clear."""
    names = list(holds_numbers)
    said = {what: [_found(path, names, name) for name in getattr(options, what)] for what in ("quasi", "keep", "drop")}
    said["drop"] += _others(names, options) if options.drop_others else []
    user = None if options.user is None else _found(path, names, options.user)
    kinds = {_found(path, names, name): kind for name, kind in said_kinds(options)}
    typed = [name for name in kinds if name not in said["quasi"]]
    taken = [*said["quasi"], *said["keep"], *said["drop"], *typed, *([] if user is None else [user])]
    if len(set(taken)) < len(taken):
        raise ParameterError("one column is named for two roles, once by its name and once by its number")
    others = [name for name in names if name not in taken]
    if not kinds and not any(holds_numbers[name] for name in (said["quasi"] or others)):
        raise InputError(f"{path} has no column of numbers to protect", hint="see --sep, --header, --quasi and --nominal")
    if user is None:
        _refuse_owners(path, names, others)
    _refuse_unclear(path, names, others, holds_numbers, chosen=bool(said["quasi"]))
    roles = {what: tuple(name for name in names if name in chosen) for what, chosen in said.items()}
    quasi = tuple(name for name in names if name in {*(roles["quasi"] or others), *typed})
    return ColumnRoles(quasi, roles["keep"], roles["drop"], user, kinds)


def _others(names: Sequence[str], options: ReadOptions) -> list[str]:
    """The columns that the options do not name."""
    named = {*options.quasi, *options.keep, *options.drop, *(word.partition("=")[0] for word in options.of_kinds), options.user}
    return [name for number, name in enumerate(names, 1) if name not in named and str(number) not in named]


def _found(path: Path, names: Sequence[str], said: str) -> str:
    if said in names:
        return said
    if said.isdigit() and 1 <= int(said) <= len(names):
        return names[int(said) - 1]
    raise InputError(f"{path} has no column {said!r}", hint=did_you_mean(said, names, f"it has {len(names)} columns"), value=said)


def _refuse_owners(path: Path, names: Sequence[str], others: Sequence[str]) -> None:
    """A column that seems to name people is not averaged while each row is taken for another person."""
    for name in others:
        if plain(name) in KNOWN_NAMES["user"]:
            hint = f"say --user {name} if rows of one value belong to one person, else {SAY}"
            raise InputError(f"column {names.index(name) + 1} of {path}, {name!r}, seems to name the owner", hint=hint)


def _refuse_unclear(path: Path, names: Sequence[str], others: Sequence[str], holds_numbers: Mapping[str, bool], *, chosen: bool) -> None:
    """Columns without a role: all others where quasi-identifiers were chosen, columns of text where they were not."""
    unclear = [str(names.index(name) + 1) for name in others if chosen or not holds_numbers[name]]
    if unclear:
        why = "not named" if chosen else "without numbers"
        columns = f"column {unclear[0]} of {path} is" if len(unclear) == 1 else f"columns {', '.join(unclear)} of {path} are"
        raise InputError(f"{columns} {why}, and nothing is published or left out unasked", hint=SAY)
