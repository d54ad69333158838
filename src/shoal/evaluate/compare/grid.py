"""The grid: every method with every requested setting, or a default selection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from shoal.data.input_shapes import one
from shoal.errors import ParameterError, ShoalError, option
from shoal.evaluate.compare.compared_data import FORMAT, RECORDS, SESSION, TAXONOMY, ComparedData, data_of
from shoal.evaluate.option_defaults import DEFAULT_K, DEFAULT_KNOWN, USER
from shoal.io.read.parameter_files import with_files_read
from shoal.methods import METHODS, Method, insist_on_packages
from shoal.parameters import Param
from shoal.pipeline.options import FORMAT_OF, NO_TAXONOMY, Preparation, is_topics
from shoal.pipeline.request import parse_preparation
from shoal.pipeline.topic_claims import settled

RECORD = "record"  # what a column of records makes of one, where no other way is requested
Setting = tuple[str, int | str]


@dataclass(frozen=True)
class NamedMethod:
    """A method by name, with parameters for all its cells."""

    method: str
    settings: tuple[Setting, ...] = ()

    @classmethod
    def read(cls, text: str) -> NamedMethod:
        """Parse `name` or `name(parameter=value, ...)`."""
        name, values = METHODS.read(text)
        return cls(name, tuple(values.items()))

    def __str__(self) -> str:
        """Return the text that `read` parses."""
        return f"{self.method}({', '.join(f'{name}={value}' for name, value in self.settings)})" if self.settings else self.method


@dataclass(frozen=True)
class ComparisonRequest:
    """What to compare; by default a selection."""

    methods: tuple[NamedMethod, ...] = ()
    k: tuple[int, ...] = DEFAULT_K
    known: tuple[int, ...] = DEFAULT_KNOWN
    per: tuple[str, ...] = ()  # empty for what is usual for the data
    data: ComparedData = RECORDS

    def about(self, options: Mapping[str, Any]) -> ComparisonRequest:
        """Return the request for data that is read with these options: a column may determine records."""
        data = data_of(options)
        by_column = options.get(RECORD) is not None and self.per in ((), (USER,))
        return replace(self, data=data, per=(RECORD,) if by_column else self.per or (data.per,))


@dataclass(frozen=True)
class Cell:
    """One method with one setting, on records of one kind. Rows of a log belong to users, so their `per` is the user."""

    method: str
    settings: tuple[Setting, ...]
    per: str

    def made(self) -> Method:
        """Return the method with this setting, with the files that its parameters name loaded."""
        kind = METHODS[self.method]
        insist_on_packages(kind)
        declared = {parameter.name: parameter for parameter in kind.parameters()}
        for name, _ in self.settings:
            if name not in declared:
                raise ParameterError(
                    f"the method {self.method} has no parameter {name}",
                    code="unknown-option",
                    hint=f"its parameters are {', '.join(declared)}",
                    value=name,
                )
        values = {name: declared[name].parse(value) if isinstance(value, str) else value for name, value in self.settings}
        return with_files_read(kind(**values))

    @property
    def label(self) -> str:
        """The method and its setting in a few words."""
        return " ".join([self.method, *(f"{name}={value}" for name, value in self.settings)])

    def key(self, data: str) -> str:
        """Return a name for the result of this cell on some data."""
        description = json.dumps([self.method, self.settings, self.per, data], sort_keys=True)
        return hashlib.sha256(description.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Left:
    """A method that is not compared, and the reason."""

    method: str
    reason: str


@dataclass(frozen=True)
class Grid:
    """All cells, and the excluded methods, once per reason."""

    cells: tuple[Cell, ...]
    left: tuple[Left, ...]

    def __post_init__(self) -> None:
        if not self.cells:
            text = f"nothing is left to compare: {self.left[0].method} {self.left[0].reason}" if self.left else "no method was named"
            takes = METHODS[self.left[0].method].takes if self.left else frozenset()
            format = next((FORMAT_OF[shape] for shape in FORMAT_OF if takes & {shape, f"{shape} with items"}), None)
            hint = "" if format is None else f"{option(FORMAT, format)} reads such input"
            raise ParameterError(text, code="nothing-to-compare", hint=hint)

    def where(self, check: Callable[[Cell], object]) -> Grid:
        """Return the grid without the cells that a check rejects."""
        refused = {cell: reason for cell in self.cells if (reason := _refusal(check, cell)) is not None}
        left = dict.fromkeys([*self.left, *(Left(cell.method, reason) for cell, reason in refused.items())])
        return Grid(tuple(cell for cell in self.cells if cell not in refused), tuple(left))


def grid(request: ComparisonRequest) -> Grid:
    """Return all cells, and the named methods that cannot be compared here."""
    cells: list[Cell] = []
    left: list[Left] = []
    for named in request.methods or worth_comparing(request.data):
        method = METHODS[named.method]
        reason = _unfit(method, request.data)
        if reason:
            left.append(Left(named.method, reason))
        else:
            cells += [
                Cell(named.method, settings, per)
                for per in _grains(method, request)
                for settings in _settings(method, request, named.settings)
            ]
    return Grid(tuple(dict.fromkeys(cells)), tuple(left)).where(Cell.made)


def _refusal(check: Callable[[Cell], object], cell: Cell) -> str | None:
    """Return why a check rejects a cell; None if it does not."""
    try:
        check(cell)
    except ShoalError as error:
        missing = f" ({error.hint})" if error.code == "missing-package" else ""
        return f"cannot be used with these parameters: {error.message}{missing}"
    return None


def worth_comparing(data: ComparedData = RECORDS) -> list[NamedMethod]:
    """Return the default selection, with the settings that methods declare in addition to k and the number of known items."""
    worth = [(name, method) for name, method in METHODS.items() if method.worth_comparing and method.takes & data.takes]
    return [NamedMethod(name, tuple(settings.items())) for name, method in worth for settings in method.compared_at]


def _unfit(method: type[Method], data: ComparedData) -> str:
    """Return why a method cannot be compared on this data; empty if it can."""
    if not method.takes & data.takes:
        return f"takes {one(min(method.takes))}, but the input is read as {data.words}"
    if method.guarantees_nothing:
        return "promises nothing"
    return ""


def _grains(method: type[Method], request: ComparisonRequest) -> tuple[str, ...]:
    return (request.per or (USER,)) if method.takes & {"sets", "bags"} else (USER,)


def _settings(method: type[Method], request: ComparisonRequest, fixed: tuple[Setting, ...]) -> Iterator[tuple[Setting, ...]]:
    """Return every combination of k and the number of known items within the method's limits, and the given parameters."""
    declared = {parameter.name: parameter for parameter in method.parameters() if parameter.name not in dict(fixed)}
    axes = [_within(declared, "k", request.k), _within(declared, method.known_items, request.known)]
    yield from ((*choice, *fixed) for choice in product(*(axis for axis in axes if axis)))


def _within(declared: Mapping[str, Param], name: str | None, values: Sequence[int]) -> list[Setting]:
    if name is None or name not in declared:
        return []
    highest: Any = declared[name].maximum
    return [(name, value) for value in values if highest is None or value <= highest]


# Options of a comparison that apply to one of its cells.


ON_TAXONOMY = ("unknown", "tree", "floor", "node_loss")
OF_RECORDS = ("gap", "bag", "terms", "min_support", *ON_TAXONOMY)


def concerning(cell: Cell, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that apply to the method of this cell: rows need no records, and names as typed no taxonomy."""
    base = Preparation.default_for(cell.made())
    topics = is_topics(options.get("taxonomy") or "")
    learns = topics and base.shape == "records" and not base.typed_names
    without = {"gap"} if cell.per != SESSION and not learns else set()
    without |= {"taxonomy"} if topics and not learns else set()
    if base.shape != "records":
        without |= {*OF_RECORDS, *(["taxonomy"] if base.taxonomy == NO_TAXONOMY else [])}
    elif base.typed_names:
        without |= set(ON_TAXONOMY)
    kept = {name: value for name, value in options.items() if name not in without and value is not None}
    data = data_of(options)
    if data.taxonomy and base.shape == "records" and not base.typed_names and TAXONOMY not in kept:
        kept[TAXONOMY] = data.taxonomy
    usual = USER if data.per == USER or base.shape != "records" else ""  # where the data has another usual unit, it is always given
    return kept | ({"per": cell.per} if cell.per not in {usual, RECORD} else {})


def prepared_for(cell: Cell, options: Mapping[str, Any]) -> Preparation:
    """Return the preparation for a cell: that of its method, unless options differ."""
    typed = {**dict.fromkeys(options), "per": None, **concerning(cell, options)}
    base = replace(Preparation.default_for(cell.made()), follows=frozenset())  # cells say themselves what a record is
    preparation = parse_preparation(typed, base=base)
    return settled(preparation, cell.made()) if is_topics(preparation.taxonomy) else preparation
