"""The user's options for reading an input file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from shoal.data.items import A_FILE
from shoal.errors import ParameterError, option
from shoal.util.wording import did_you_mean, there_are

MICRODATA = "microdata"
ACCESSLOG = "accesslog"
DOCUMENTS = "documents"
PROMPTS = "prompts"
FORMATS = ("querylog", "table", "transactions", ACCESSLOG, PROMPTS, MICRODATA, DOCUMENTS)
OWNERS = ("exact", "folded")
MOST_MALFORMED = 0.1  # of a file's rows; beyond that it is more likely that the file is misread than that it is damaged
CLICKS = ("rank", "url")
SITE_LINKS, REFERRERS = "site_links", "referrers"  # the manifest's key for links between pages, and its value for those of the log itself
ITEMS_TABLE = "items_table"  # the manifest's key for the options of a product table
ROLES = ("user", "time", "text", "item", "record", "count", *CLICKS)
# Options for columns of microdata, and their names here.
OF_MICRODATA = {
    "quasi": "quasi",
    "keep-column": "keep",
    "drop-column": "drop",
    "nominal": "nominal",
    "ordinal": "ordinal",
    "hierarchy": "hierarchy",
    "item-sets": "item_sets",
}


@dataclass(frozen=True, eq=False)
class ItemsFrame:
    """A product table in memory: a frame, or what is read as one. It is equal only to itself."""

    table: Any

    def __repr__(self) -> str:
        return "a frame"


@dataclass(frozen=True)
class ItemsTable:
    """A product table that is joined to the items of a log, with the user's options; None means detect.

    `key` is its column with the items as in the log, `name` the one with readable names, `levels` are the group columns from fine to
    coarse, and `level` is the one at which items are published. `source` is a path, a frame, or `a file` if a manifest records only that
    there was one.
    """

    source: str | ItemsFrame
    key: str | None = None
    name: str | None = None
    levels: tuple[str, ...] = ()
    level: str | None = None

    def described(self) -> dict[str, Any]:
        """Return the columns and the level for the manifest, without content."""
        facts = {"key": self.key, "name": self.name, "levels": list(self.levels) or None, "level": self.level}
        return {name: value for name, value in facts.items() if value is not None}

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> ItemsTable:
        """Make a table from its description, without its file."""
        return cls(A_FILE, description.get("key"), description.get("name"), tuple(description.get("levels", ())), description.get("level"))


@dataclass(frozen=True)
class ReadOptions:
    """The user's options; None means detect.

    Columns are named, or numbered from 1. `strict` makes a defective row an error; `malformed` is the largest accepted share of them.
    `owners`: whether user IDs that differ only in spelling are one person (folded) or not (exact). `record` is a column that identifies the
    records of one person, such as a basket number; `count` one with the number of occurrences of a row's item. Neither is ever detected.
    `site_links`: a file of links between pages, or `referrers`, by which visitors of an access log with one address are separated.
    `quasi`, `keep` and `drop` are columns of microdata: quasi-identifiers, kept and dropped ones. `drop_others` drops every column that is
    not named, for manifests, which do not name dropped columns. `nominal`, `ordinal` and `hierarchy` are non-numeric quasi-identifiers;
    `item_sets` are columns with a set of items in each row.
    `needs_times` is false if times are not used: then an unreadable one is not a defect, unless the time column was named. `rank` and `url`
    are click columns; they are read if clicks are used (`needs_clicks`). `items` is a product table that is joined to the items. User IDs
    are kept if a method hashes them with a key (`needs_names`), and discarded otherwise. `encoding` is that of text files, in Python's
    canonical spelling; None reads UTF-8, and what a byte order mark indicates.
    """

    format: str | None = None
    user: str | None = None
    time: str | None = None
    text: str | None = None
    item: str | None = None
    record: str | None = None
    count: str | None = None
    rank: str | None = None
    url: str | None = None
    sep: str | None = None
    encoding: str | None = None
    header: bool | None = None
    strict: bool = False
    malformed: float = MOST_MALFORMED
    owners: str | None = None
    site_links: str | None = None
    quasi: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    drop_others: bool = False
    nominal: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    hierarchy: tuple[str, ...] = ()
    item_sets: tuple[str, ...] = ()
    items: ItemsTable | None = None
    needs_times: bool = True
    needs_clicks: bool = False
    needs_names: bool = False

    def __post_init__(self) -> None:
        if self.encoding is not None:
            from shoal.io.read.encodings import canonical_encoding  # not needed to show help

            object.__setattr__(self, "encoding", canonical_encoding(self.encoding))
        if self.format is not None and self.format not in FORMATS:
            raise ParameterError(
                f"no format is called {self.format!r}", code="unknown-format", hint=there_are(self.format, FORMATS), value=self.format
            )
        if self.owners is not None and self.owners not in OWNERS:
            what = f"owners must be one of {', '.join(OWNERS)}, not {self.owners!r}"
            raise ParameterError(what, code="unknown-choice", hint=did_you_mean(self.owners, OWNERS), value=self.owners)
        if not 0 <= self.malformed <= 1:
            raise ParameterError(f"malformed must be a share from 0 to 1, not {self.malformed}", code="out-of-range", value=self.malformed)
        if self.text is not None and self.item is not None:
            raise ParameterError("a file has a text column (querylog) or an item column (table), not both", code="options-conflict")
        if self.text is not None and self.count is not None:
            raise ParameterError(
                f"{option('count')} says how often an item occurs, but a column of texts has no items",
                code="option-not-applicable",
                hint="leave it out",
            )
        if self.format == "transactions" and (self.record is not None or self.count is not None):
            raise ParameterError(
                "a line of transactions is a whole record, without columns of records and counts", code="option-not-applicable"
            )
        self._refuse_foreign()
        self._refuse_undecodable()
        clash = {"querylog": self.item, "table": self.text}.get(self.format or "")
        if clash is not None:
            raise ParameterError(
                f"{self.format} has no such column", code="option-not-applicable", hint="text is for querylog, item for table"
            )

    def _refuse_undecodable(self) -> None:
        """Raise if a column name is not valid text: no file has such a column, and no manifest could contain it."""
        for name in (*self.named.values(), *self.quasi, *self.keep, *self.drop, *self.of_kinds):
            try:
                (name or "").encode()
            except UnicodeEncodeError:
                raise ParameterError("the name of a column is not UTF-8 text", code="not-utf8", value=name) from None

    def _refuse_foreign(self) -> None:
        """Raise if an option does not apply to this format."""
        if self.format == DOCUMENTS:
            foreign = [name for name in ("time", "item", "record", "count", "sep", "header") if getattr(self, name) is not None]
            if foreign:
                raise ParameterError(
                    f"{option(foreign[0])} is not for documents",
                    code="option-not-applicable",
                    hint=f"their columns are {option('text')} and {option('user')}",
                )
        if self.format == PROMPTS:
            foreign = [name for name in ("item", "count", *CLICKS, "sep", "header") if getattr(self, name) is not None]
            if foreign:
                raise ParameterError(
                    f"{option(foreign[0])} is not for conversations",
                    code="option-not-applicable",
                    hint=f"their columns are {option('user')}, {option('time')}, {option('text')} and {option('record')}",
                )
        if self.format not in (None, ACCESSLOG) and self.site_links is not None:
            raise ParameterError(f"{option('site-links')} is for access logs", code="option-not-applicable", hint="leave it out")
        if self.format == ACCESSLOG:
            foreign = [
                name for name in ("time", "text", "item", "record", "count", *CLICKS, "sep", "header") if getattr(self, name) is not None
            ]
            if foreign:
                raise ParameterError(
                    f"{option(foreign[0])} is not for access logs",
                    code="option-not-applicable",
                    hint=f"their fields are fixed; {option('user')} names the field with the user ID",
                )
        if self.format != MICRODATA:
            foreign = [keyword for keyword, name in OF_MICRODATA.items() if getattr(self, name)]
            if foreign:
                raise ParameterError(
                    f"{option(foreign[0])} is for microdata",
                    code="option-not-applicable",
                    hint=f"use {option('format', MICRODATA)}, or leave it out",
                )
            return
        user = [] if self.user is None else [self.user]
        kinds = [word.partition("=")[0] for word in self.of_kinds]
        columns = Counter([*self.quasi, *self.keep, *self.drop, *user]) + Counter(name for name in kinds if name not in self.quasi)
        twice = [name for name, n in columns.items() if n > 1]
        if twice:
            raise ParameterError(
                f"column {twice[0]!r} is named twice", code="duplicate-column", hint="a column has one role", value=twice[0]
            )
        foreign = [name for name in ("time", "text", "item", "record", "count", *CLICKS) if getattr(self, name) is not None]
        foreign += ["owners"] if self.owners is not None and self.user is None else []
        foreign += ["malformed"] if self.malformed != MOST_MALFORMED else []
        if foreign:
            hint = (
                "no row of it may be malformed"
                if foreign == ["malformed"]
                else f"its columns are {option('quasi')}, {option('keep-column')}, {option('drop-column')}, {option('user')}"
            )
            raise ParameterError(f"{option(foreign[0])} is not for microdata", code="option-not-applicable", hint=hint)

    @property
    def of_kinds(self) -> tuple[str, ...]:
        """The columns of microdata with a declared type."""
        return (*self.nominal, *self.ordinal, *self.hierarchy, *self.item_sets)

    @property
    def named(self) -> dict[str, str]:
        """The columns that the user named, by role."""
        columns = {role: getattr(self, role) for role in ROLES}
        return {role: name for role, name in columns.items() if name is not None}

    def described(self) -> dict[str, Any]:
        """Return the options other than the format for the manifest, so that the same file can be read in the same way again. Has no
        content.
        """
        facts: dict[str, Any] = {"columns": self.named} if self.named else {}
        facts |= {
            name: value
            for name, value in (("separator", self.sep), ("encoding", self.encoding), ("header", self.header))
            if value is not None
        }
        facts |= {"owners": self.owners} if self.owners is not None else {}
        facts |= {"strict": True} if self.strict else {}
        facts |= {SITE_LINKS: REFERRERS if self.site_links == REFERRERS else A_FILE} if self.site_links is not None else {}
        facts |= {ITEMS_TABLE: self.items.described()} if self.items is not None else {}
        return facts | ({"malformed": self.malformed} if self.malformed != MOST_MALFORMED else {})

    @classmethod
    def from_description(cls, format: str | None, description: Mapping[str, Any]) -> Self:
        """Make options from their description."""
        plain = {
            name: description[name] for name in ("encoding", "header", "owners", "strict", "malformed", SITE_LINKS) if name in description
        }
        items = ItemsTable.from_description(description[ITEMS_TABLE]) if ITEMS_TABLE in description else None
        return cls(format=format, sep=description.get("separator"), items=items, **description.get("columns", {}), **plain)

    def without_columns(self) -> Self:
        """Return the options without those that name columns, and so determine the format."""
        none: dict[str, Any] = dict.fromkeys(ROLES) | dict.fromkeys(OF_MICRODATA.values(), ())
        return replace(self, format=None, drop_others=False, **none)

    @property
    def wanted_format(self) -> str | None:
        """The format that was named, or that follows from the named columns."""
        implied = "querylog" if self.text is not None else "table" if self.item is not None or self.count is not None else None
        return self.format or implied
