"""Settings of a run: how data is read and placed on a taxonomy, the method, and the target."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, get_args

from shoal.data.bags import Bags, Vocabulary
from shoal.data.column_storage import IN_MEMORY, Shelf
from shoal.data.durations import parse_gap
from shoal.data.input_shapes import one
from shoal.data.items import A_FILE
from shoal.data.log import Per
from shoal.data.min_support import MinSupport
from shoal.data.node_loss import DEFAULT_LOSS, LOSSES
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.errors import InputError, ParameterError, option
from shoal.io.disk_columns import Spill
from shoal.io.read.delimited import one_byte
from shoal.io.read.options import ACCESSLOG, DOCUMENTS, MICRODATA, ReadOptions
from shoal.io.write.output_format import LISTS, OUTPUT_FORMATS, OutputForm, named_as_file
from shoal.methods import Method
from shoal.taxonomy.place_terms import Scope, Unknown
from shoal.text.word_rules import COLLOCATIONS, RELATED, WordRules
from shoal.util.wording import did_you_mean

# -- the memory limit, and where data is spilled


UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST = 512 << 20  # program, taxonomy, and a part of a log while records are made of it
FIXED = 384 << 20  # memory that processing needs in addition to the records
SHARE = 4  # of the limit, the part that packed rows may take


@dataclass(frozen=True)
class Needs:
    """Memory needs of a method in bytes, per item of a record and per record: measured, with a margin; and `beyond` these."""

    entry: int
    record: int
    why: str = ""
    beyond: int = 0

    def of(self, records: Bags) -> int:
        """Return the bytes that these records need, including the fixed overhead."""
        return FIXED + self.record * len(records) + self.entry * len(records.items) + self.beyond


BY_RANGES = Needs(entry=1, record=300)  # one range of them at a time
WHOLE = Needs(entry=32, record=512, why=", all of which this method keeps in memory")


@dataclass(frozen=True)
class Memory:
    """The memory limit in bytes, and the directory for spilled data."""

    limit: int
    place: Path

    @classmethod
    def parse(cls, size: str | int | None, place: Path | None = None) -> Memory | None:
        """Parse a memory limit: a number of bytes, optionally with K, M, G or T. None means no limit."""
        if size is None:
            return None
        limit = _bytes(size)
        if limit < LEAST:
            raise ParameterError(
                f"{option('memory', size)} is too little: {size_text(LEAST)} are needed, more for large logs",
                code="memory-too-small",
                value=size,
            )
        return cls(limit, Path(tempfile.gettempdir()) if place is None else place)

    def spill(self) -> Spill:
        """Return the directory for spilled rows and records."""
        return Spill(self.place, (self.limit - LEAST) // SHARE)

    def insist(self, records: Bags, needs: Needs) -> None:
        """Raise if this many records need more memory than the limit."""
        needed = needs.of(records)
        if needed > self.limit:
            records_text = f"{len(records):,} records of {len(records.items):,} items"
            limit, least = option("memory", size_text(self.limit)), size_text(needed)
            raise ParameterError(
                f"{limit} is too little for {records_text}{needs.why}: about {least} are needed",
                code="memory-too-small",
                hint=f"give more, or see {option('engine', 'spark')}",
                needed=needed,
            )


def shelf_within(memory: Memory | None) -> Shelf:
    """Return the storage for data derived from all records: on disk if memory is limited."""
    return IN_MEMORY if memory is None else Spill(memory.place, 0)


def _bytes(size: str | int) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    if isinstance(size, bool) or match is None:
        raise ParameterError(f"{option('memory')} is a size such as 2G or 800M, not {size!r}", code="unreadable-value", value=size)
    return int(float(match[1]) * UNITS[match[2].upper()])


def size_text(size: int) -> str:
    """Format a size as the option memory takes it."""
    return f"{size / (1 << 30):.1f}G" if size >= 1 << 30 else f"{-(-size // (1 << 20))}M"


# -- preparation


NO_TAXONOMY = "none"
TAXONOMIES = ("wordnet", "topics", "topics+wordnet", "generated", "paths", NO_TAXONOMY)
PATHS = "paths"
TOPICS = "topics"
TOPICS_AND_WORDNET = "topics+wordnet"  # words that occur with no other where WordNet has them
FROM_ITEMS = "items table"  # the taxonomy of a product table that is joined to the items
Shape = Literal["records", "log", "access log", "table", "documents"]
WANTED = {
    "records": "records of items",
    "log": "a log of events",
    "access log": "an access log",
    "table": "a table of microdata",
    "documents": "documents",
}
ROWS: tuple[Shape, ...] = ("log", "access log", "table")
OTHERS: tuple[Shape, ...] = (*ROWS, "documents")  # shapes that are no records
FORMAT_OF: Mapping[Shape, str] = {"table": MICRODATA, "access log": ACCESSLOG, "documents": DOCUMENTS}  # shapes that only one format gives
AS_TYPED = "as typed"
MOST_TERMS, LARGEST_VECTOR = 50, 1_000  # terms of a document: default and maximum
FLOOR, WORD_RULES = "floor", "word_rules"
MIN_SUPPORT, RARE_ITEMS = "min_support", "rare_items"  # the least support of items, and how many items have less
NO_RULES = WordRules()


@dataclass(frozen=True)
class Preparation:
    """How a file becomes records on a taxonomy or, with `typed_names`, records of names as typed.

    Then the taxonomy only says what lies under a node, and may be `none`. A method that publishes rows is given those of the log or table
    that was read, just as they are (`shape`), with what was clicked (`clicks`), when (`times`) and by whom (`names`) where it needs that,
    and items of baskets as rows where it takes them (`baskets`); documents become vectors of their most frequent `terms`. `follows` are the
    settings that nobody chose, so that they follow from what the data is (`fitted`): `taxonomy` and `per`.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    per: Per = "user"
    gap: str = "30m"
    taxonomy: str = "wordnet"
    typed_names: bool = False
    loss: str = DEFAULT_LOSS
    unknown: Unknown | None = None  # None keeps them, but refuses a taxonomy that knows hardly any item
    scope: Scope = "used"
    word_rules: WordRules | str = NO_RULES
    floor: Floor | None = None  # None publishes neither the root nor the node of unlisted terms
    min_support: MinSupport | None = None  # None leaves no item out
    as_sets: bool = True
    shape: Shape = "records"
    clicks: bool = False
    times: bool = False
    names: bool = False
    baskets: bool = False
    terms: int = MOST_TERMS
    memory: Memory | None = None  # what a run may take; None is as much as it needs
    follows: frozenset[str] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        _one_of("per", self.per, get_args(Per))
        _one_of("unknown", self.unknown or "keep", get_args(Unknown))
        _one_of("tree", self.scope, get_args(Scope))
        _one_of("node_loss", self.loss, list(LOSSES))
        parse_gap(self.gap)
        if self.floor is not None:
            object.__setattr__(self, "floor", Floor.of(self.floor))
        if self.min_support is not None:
            object.__setattr__(self, "min_support", MinSupport.parse(self.min_support))
        self._settle_words()
        if is_generated(self.taxonomy):
            _fanout(self.taxonomy)
        if is_topics(self.taxonomy):
            self._settle_topics()
        if not 1 <= self.terms <= LARGEST_VECTOR:
            raise ParameterError(
                f"terms must be a whole number from 1 to {LARGEST_VECTOR:,}, not {self.terms}", code="out-of-range", value=self.terms
            )
        unknown = self.unknown if self.shape != "documents" else None
        if self.shape == "documents" and not self._may_have_taxonomy:
            raise ParameterError(
                f"documents are compared in WordNet or in a taxonomy from a file, not with {option('taxonomy', self.taxonomy)}",
                code="option-not-applicable",
            )
        of_records = self.per != "user" or unknown or not self.as_sets or self.min_support is not None
        if self.shape != "records" and (of_records or not self._may_have_taxonomy):
            raise ParameterError(
                f"a method that takes the rows of {one(self.shape)} makes no records of them, so it needs no taxonomy",
                code="option-not-applicable",
            )
        self._settle_format()
        self._settle_records()
        if self.memory is not None and self.shape != "records":
            raise ParameterError(
                f"{option('memory')} is for methods that take records, but this one takes {one(self.shape)}",
                code="option-not-applicable",
                hint="leave it out",
            )
        if not self.clicks and (self.read.rank is not None or self.read.url is not None):
            raise ParameterError(
                f"{option('rank')} and {option('url')} name clicks, which are not used here",
                code="option-not-applicable",
                hint="leave them out",
            )
        if self.taxonomy == NO_TAXONOMY:
            object.__setattr__(self, "typed_names", True)

    @property
    def _may_have_taxonomy(self) -> bool:
        """Whether the data may have a taxonomy: records always; rows only if they are those of a log, to describe what their words are
        about; documents WordNet or one from a file.
        """
        if self.shape == "documents":
            return self.taxonomy in (NO_TAXONOMY, "wordnet") or is_file(self.taxonomy)
        return self.shape in ("records", "log") or self.taxonomy == NO_TAXONOMY

    def _settle_words(self) -> None:
        """Words of texts become terms of records; only WordNet knows related nouns; collocations are found in all of a log."""
        if isinstance(self.word_rules, str):
            object.__setattr__(self, "word_rules", WordRules.parse(self.word_rules))
        if self.rules and self.shape != "records":
            raise ParameterError(
                f"{option('terms')} forms items of records from words, but this method takes {one(self.shape)}",
                code="option-not-applicable",
                hint="leave it out",
            )
        if self.rules.related and (self.typed_names or (self.taxonomy != "wordnet" and not with_wordnet(self.taxonomy))):
            raise ParameterError(
                f"{option('terms', RELATED)} looks words up in WordNet, which is not used here",
                code="option-not-applicable",
                hint=f"leave it out, or add {option('taxonomy', 'wordnet')}",
            )
        if self.rules.collocations is not None and self.memory is not None:
            raise ParameterError(
                f"{option('terms', COLLOCATIONS)} needs the whole log in memory, but {option('memory')} limits it",
                code="options-conflict",
                hint="leave one of them out",
            )

    @property
    def rules(self) -> WordRules:
        """The rules for words of texts."""
        assert isinstance(self.word_rules, WordRules)
        return self.word_rules

    def _settle_topics(self) -> None:
        """Names of topics are published with records on a taxonomy, where they are judged, and nowhere else."""
        fewest_in_names(self.taxonomy)
        people_learned_from(self.taxonomy)
        if self.shape != "records" or self.typed_names:
            raise ParameterError(
                f"{option('taxonomy', TOPICS)} is for records that are put on a taxonomy, which this method does not do",
                code="option-not-applicable",
                hint=f"choose a method that generalizes, or leave {option('taxonomy')} out",
            )

    def _settle_format(self) -> None:
        """Set the format: tables are read as microdata, access logs as such, and records and logs from anything but microdata."""
        format = FORMAT_OF.get(self.shape)
        if format is not None and self.read.format is None:
            object.__setattr__(self, "read", replace(self.read, format=format))
        if self.read.format != format if format is not None else self.read.format == MICRODATA:
            hint = f"use {option('format', format)}" if format is not None else "choose a method that takes a table: see `shoal methods`"
            raise ParameterError(
                f"this needs {WANTED[self.shape]}, but the format {self.read.format} gives another kind of input",
                code="wrong-kind-of-input",
                hint=hint,
            )

    def _settle_records(self) -> None:
        """Rows with a record ID make up these records, and counts are kept."""
        if self.shape != "records" and (self.read.record is not None or self.read.count is not None):
            raise ParameterError(
                f"{option('record')} and {option('count')} define records, but here the rows of a {self.shape} are used unchanged",
                code="option-not-applicable",
            )
        if self.read.record is not None and self.per == "user":
            object.__setattr__(self, "per", "record")
        if (self.read.record is not None) != (self.per == "record"):
            raise ParameterError(
                f"{option('record')} defines a record, and so does {option('per', self.per)}",
                code="options-conflict",
                hint="leave one of them out",
            )
        if self.read.count is not None and self.as_sets:
            raise ParameterError(
                f"{option('count')} gives item counts, but records are sets, which do not count items",
                code="options-conflict",
                hint=f"use {option('bag', True)}",
            )

    @classmethod
    def default_for(cls, method: Method) -> Preparation:
        """Return the default preparation for a method: a taxonomy only if the method needs one."""
        shape: Shape = next((other for other in OTHERS if {other, f"{other} with items"} & method.takes), "records")
        if method.needs_taxonomy:
            start = cls(shape=shape, typed_names=shape != "records")
        else:
            start = cls(taxonomy=NO_TAXONOMY, typed_names=True, shape=shape)
        start = replace(start, clicks=method.reads_clicks, times=method.reads_times, names=method.reads_names)
        return replace(start, baskets=method.takes_baskets).following_data()

    def following_data(self) -> Preparation:
        """Return this preparation with the unit of a record and the taxonomy derived from the data, unless the user sets them."""
        if self.shape != "records":
            return self
        return replace(self, follows=frozenset({"per"} if self.taxonomy == NO_TAXONOMY else {"per", "taxonomy"}))

    def choosing(self, **chosen: Any) -> Preparation:
        """Return this preparation with values set by the user, which are no longer derived from the data."""
        return replace(self, **chosen, follows=self.follows - chosen.keys())

    def fitted(self, format: str) -> tuple[Preparation, tuple[str, ...]]:
        """Return the preparation for data of this format and the settings derived from it, such as sessions of pages for access logs."""
        usual: dict[str, Any] = {"per": "session", "taxonomy": PATHS} if format == ACCESSLOG else {}
        chosen = {name: value for name, value in usual.items() if name in self.follows}
        text = " and ".join(str(option(name, value)) for name, value in chosen.items())
        return replace(self, **chosen), ((f"access log: {text} by default",) if chosen else ())

    @classmethod
    def of_format(cls, format: str | None) -> Preparation:
        """Return the default preparation for a format when no method is known."""
        return cls(taxonomy=NO_TAXONOMY, shape="table") if format == MICRODATA else cls()

    @property
    def reading(self) -> ReadOptions:
        """Return the reading options: times are read only for sessions, topics and some methods, clicks or names only for some methods."""
        needs_times = self.per == "session" or self.times or is_topics(self.taxonomy)
        return replace(self.read, needs_times=needs_times, needs_clicks=self.clicks, needs_names=self.names)

    @property
    def floor_in_force(self) -> Floor:
        """The requested floor, or the default one."""
        return Floor() if self.floor is None else self.floor

    @property
    def pause(self) -> timedelta:
        """The inactivity that ends a session."""
        return parse_gap(self.gap)

    def described(self) -> dict[str, object]:
        """Return the manifest entries for this preparation."""
        if self.shape == "documents":
            vectors = {"read_as": self.shape, "terms": self.terms, "unknown": self.unknown or "drop"}
            return vectors | ({"taxonomy": taxonomy_label(self.taxonomy)} if self.taxonomy not in (NO_TAXONOMY, "wordnet") else {})
        if self.shape != "records":
            taxonomy = {"taxonomy": taxonomy_label(self.taxonomy)} if self.taxonomy != NO_TAXONOMY else {}
            columns = {name: "read" for name, read in (("clicks", self.clicks), ("times", self.times)) if read}
            return {"read_as": self.shape, **columns, **taxonomy}
        facts: dict[str, object] = {"per": self.per}
        if self.per == "session":
            facts["gap"] = self.gap
        facts |= {WORD_RULES: str(self.rules)} if self.rules else {}
        facts |= {"records_as": "sets" if self.as_sets else "bags", "taxonomy": taxonomy_label(self.taxonomy)}
        if self.min_support is not None:
            facts[MIN_SUPPORT] = self.min_support.text
        if self.typed_names:
            return facts | {"names": AS_TYPED}
        return facts | {"node_loss": self.loss, "unknown": self.unknown or "keep", "scope": self.scope, FLOOR: self.floor_in_force.recorded}


@dataclass(frozen=True)
class Target:
    """The directory and file format of a release."""

    directory: Path
    format: str = "parquet"
    sep: str = "\t"
    force: bool = False
    layout: str = LISTS

    def __post_init__(self) -> None:
        _one_of("to", self.format, list(OUTPUT_FORMATS))
        one_byte(self.sep)
        OutputForm(self.format, self.sep, self.layout)
        if format := named_as_file(self.directory):
            hint = f"name a directory, such as {self.directory.with_suffix('').name}, and the format {format}"
            raise ParameterError(
                f"a release is a directory, but {self.directory.name} is the name of a file", code="output-not-a-directory", hint=hint
            )

    @classmethod
    def from_options(cls, directory: Path, to: str, to_sep: str | None, force: bool, layout: str = LISTS) -> Target:
        """Make a target from options; an item separator is allowed only for transaction files."""
        if to_sep is not None and to != "transactions":
            raise ParameterError(
                f"{option('to-sep')} is for transaction lines, but the records go to {to}",
                code="option-not-applicable",
                hint=f"add {option('to', 'transactions')}",
            )
        return cls(directory, to, to_sep or "\t", force, layout)


def taxonomy_label(spec: str) -> str:
    """Return the kind of a taxonomy for the manifest. The name of a file may disclose something about the people in the data."""
    return spec if spec == "given" or not is_file(spec) else A_FILE


def is_generated(spec: str) -> bool:
    """Whether this requests a generated taxonomy."""
    return spec.split(":", 1)[0] == "generated"


def made_from_data(spec: str) -> bool:
    """Whether this requests a taxonomy made from the terms of the data."""
    return is_generated(spec) or spec == PATHS


def is_topics(spec: str) -> bool:
    """Whether this asks for topics that are learned from the data itself, alone or with WordNet."""
    return spec.split(":", 1)[0] in (TOPICS, TOPICS_AND_WORDNET)


def with_wordnet(spec: str) -> bool:
    """Whether this asks for topics that are learned from the data itself, and for WordNet's categories."""
    return spec.split(":", 1)[0] == TOPICS_AND_WORDNET


def fewest_in_names(spec: str) -> int | None:
    """Return how many people have each word in the name of a topic, as in `topics:10`; None if that follows from the method."""
    return _number_after(spec, 1, "topics are named by words of a whole number of people, at least 2")


def people_learned_from(spec: str) -> int | None:
    """Return how many people topics are learned from at least, as in `topics:10:100000`; None for all people."""
    return _number_after(spec, 2, "topics are learned from a whole number of people, at least 2")


def _number_after(spec: str, place: int, wanted: str) -> int | None:
    """Return the number in this place between the colons of a taxonomy; None if there is none."""
    parts = spec.split(":", 2)
    if len(parts) <= place:
        return None
    number = parts[place]
    if not number.isascii() or not number.isdigit() or not 2 <= int(number) < 2**31:
        raise ParameterError(f"{wanted}, not {number!r}", code="out-of-range", value=number)
    return int(number)


def is_file(spec: str) -> bool:
    """Whether this names a taxonomy file."""
    return spec not in {"wordnet", PATHS, FROM_ITEMS, NO_TAXONOMY} and not is_generated(spec) and not is_topics(spec)


def load_taxonomy(spec: str, loss: str, terms: Vocabulary | None = None) -> tuple[Taxonomy, tuple[str, ...]]:
    """Load the taxonomy for `wordnet`, `generated[:fan-out]`, `paths` or a file. Also return notes on how it was read."""
    if spec == "wordnet":
        from shoal.taxonomy.wordnet import wordnet

        return wordnet(loss), ()
    if is_generated(spec):
        from shoal.taxonomy.generated import generated

        if terms is None:
            raise ParameterError("a generated taxonomy is made from data, but there is none here", code="taxonomy-needs-data")
        return generated(terms, _fanout(spec), loss), (made_note(spec),)
    if spec == PATHS:
        from shoal.taxonomy.urls import url_taxonomy

        if terms is None:
            raise ParameterError("a taxonomy of paths is made from data, but there is none here", code="taxonomy-needs-data")
        return url_taxonomy(terms, loss), (made_note(spec),)
    if is_topics(spec):
        raise ParameterError(
            "topics are learned from data, but there is none here", code="taxonomy-needs-data", hint="see `shoal taxonomy learn`"
        )
    if spec == FROM_ITEMS:
        raise ParameterError(
            "the taxonomy is that of an items table, but none is given",
            code="items-table-not-located",
            hint=f"name its file with {option('items-table', placeholder='FILE')}",
        )
    from shoal.io.read.taxonomies import read_taxonomy

    if not Path(spec).exists():
        known = "wordnet, topics, topics:PEOPLE, topics+wordnet, generated, generated:FANOUT, paths, none or a file"
        hint = did_you_mean(spec, TAXONOMIES, f"give {known}")
        raise InputError(f"no taxonomy file at {spec}", code="file-not-found", hint=hint)
    reading = read_taxonomy(spec, loss=loss)
    return reading.taxonomy, (f"taxonomy read as {reading.form}", *reading.notes)


def made_note(spec: str) -> str:
    """Return the note on a taxonomy that is made from the terms of the data."""
    if is_generated(spec):
        return f"taxonomy generated with a fan-out of {_fanout(spec)}"
    return "taxonomy built from the paths of the items: folders, pages and query strings"


def _fanout(spec: str) -> int:
    _, colon, number = spec.partition(":")
    if not colon:
        return 5
    if not number.isascii() or not number.isdigit() or not 2 <= int(number) < 2**31:
        raise ParameterError(f"a fan-out is a whole number of at least 2, not {number!r}", code="out-of-range", value=number)
    return int(number)


def _one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        what = f"{name} must be one of {', '.join(allowed)}, not {value!r}"
        raise ParameterError(what, code="unknown-choice", hint=did_you_mean(str(value), allowed), value=value)
