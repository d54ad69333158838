"""The roles of columns as a form shows them, and the options that follow from the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.io.read.columns import RECORD_NAMES, plain
from shoal.studio.spelling import FIELDS

FORMATS = {
    "table": "One item per row, with the person who bought, watched or clicked it",
    "querylog": "A search log: one query per row, with the person who typed it",
    "transactions": "One line per person, with that person's items",
    "accesslog": "An access log of a web server",
    "microdata": "A table with one row per person and columns such as age or income",
    "prompts": "Conversations with a chat bot, in JSON or Parquet",
}
WITH_ROLES = ("table", "querylog", "microdata", "")
OF_EVENTS = ("user", "time", "text", "item", "record", "count")
OF_TABLES = {"user": "user", "quasi": "quasi", "nominal": "nominal", "keep": "keep-column", "drop": "drop-column"}
SEPARATORS = {"": "detect", ",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
OWNERS = {"folded": "the same person", "exact": "different people"}  # user IDs that differ only in spelling
ENCODINGS = {"utf-8": "UTF-8", "windows-1252": "windows-1252", "latin-1": "latin-1", "utf-16": "UTF-16"}
MICRODATA = "microdata"
PINNED = ("sep", "header", "encoding", "owners", "user", "nominal", "drop_column")  # that stay as they were chosen


def role_choices(format: str) -> dict[str, str]:
    """Return the roles that a column can have in a file of this format, with their labels."""
    if format == MICRODATA:
        return {"": "choose…", **{role: FIELDS[name] for role, name in OF_TABLES.items()}}
    return {"": "not used", **{role: FIELDS[role] for role in OF_EVENTS}}


def roles_shown(columns: Sequence[str], options: Mapping[str, Any], found: Mapping[str, Any] | None) -> list[str]:
    """Return the role of each column as read, or as chosen if the file could not be read; empty if it has none."""
    if found is not None and found["format"] != MICRODATA:
        named = {name: role for role, name in found["columns"].items()}
        return [named.get(name, "") for name in columns]
    if found is None and options.get("format") != MICRODATA:
        named = {options[role]: role for role in OF_EVENTS if role in options}
        return [named.get(name, "") for name in columns]
    listed = {name: role for role in ("quasi", "keep", "drop") for name in _listed(options, OF_TABLES[role])}
    if found is not None:
        listed |= {name: "quasi" if role == "quasi-identifier" else "keep" for name, role in found["columns"].items()}
    listed |= dict.fromkeys(_listed(options, "nominal"), "nominal")
    listed |= {options["user"]: "user"} if "user" in options else {}
    return [listed.get(name, "") for name in columns]


def by_number(read: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of roles as the menus and the options call them: in a file without column names, by their numbers."""
    if list(columns) != [str(n + 1) for n in range(len(columns))]:
        return dict(read)
    numbers = {f"field {name}": name for name in columns}
    return {role: numbers.get(name, name) for role, name in read.items()}


def options_from_form(fields: Mapping[str, str], columns: Sequence[str]) -> dict[str, Any]:
    """Return the options that a form asks for. What it leaves open is detected."""
    format = fields.get("format", "")
    options: dict[str, Any] = {"format": format} if format in FORMATS else {}
    if fields.get("sep", "") in SEPARATORS and fields.get("sep"):
        options["sep"] = fields["sep"]
    if fields.get("header") in ("yes", "no"):
        options["header"] = fields["header"] == "yes"
    options |= {name: fields[name] for name, known in (("encoding", ENCODINGS), ("owners", OWNERS)) if fields.get(name) in known}
    if format not in WITH_ROLES:
        return options
    chosen = [(columns[n], fields.get(f"role-{n}", "")) for n in range(len(columns))]
    return options | (_of_table(chosen) if format == MICRODATA else _of_events(chosen))


def _of_events(chosen: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Where two columns were given one role the first counts, and the page shows it."""
    return {role: name for name, role in reversed(chosen) if role in OF_EVENTS}


def _of_table(chosen: Sequence[tuple[str, str]]) -> dict[str, str]:
    named = {role: [name for name, one in chosen if one == role] for role in OF_TABLES}
    named["quasi"] = [name for name, one in chosen if one in ("quasi", "nominal")]
    users = named.pop("user")
    found = {OF_TABLES[role].replace("-", "_"): ",".join(names) for role, names in named.items() if names}
    return found | ({"user": users[0]} if users else {})


def pinned(options: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with everything that was detected written out, so that a command reads the file in the same way."""
    kept = {name: value for name, value in options.items() if name in PINNED}
    if found["format"] != MICRODATA:
        return {**kept, "format": found["format"], **found["columns"]}
    quasi = [name for name, role in found["columns"].items() if role == "quasi-identifier"]
    unchanged = [name for name in found["columns"] if name not in quasi]
    named = {"quasi": ",".join(quasi), **({"keep_column": ",".join(unchanged)} if unchanged else {})}
    return {**kept, "format": MICRODATA, **named}


def thing_of(format: str) -> str:
    """Return what a record of this format has."""
    return "word" if format in ("querylog", "prompts") else "page" if format == "accesslog" else "item"


def record_is(format: str, options: Mapping[str, Any]) -> str:
    """Return what makes up one record."""
    if format == MICRODATA:
        return "one per row"
    if format == "accesslog":
        return "one per session of a visitor"
    return f"one per “{options['record']}”" if "record" in options else "one per person"


def previewed(format: str, options: Mapping[str, Any], goal: str) -> str:
    """Return what a preview for a goal is about."""
    if goal == "counts":
        return "counts with noise"
    if goal == "queries":
        return "records, one per query"
    apart = {} if goal == "histories" else options
    return f"records, {record_is(format, apart)}"


def words_of_records(format: str, options: Mapping[str, Any], found: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """Return what the page calls the parts of a record, and a column that could keep baskets or visits apart but is not used."""
    roles = {**options, **found.get("columns", {})}
    unused = [name for name in columns if plain(name) in RECORD_NAMES and name not in roles.values()]
    offered = unused[0] if unused and format == "table" and "record" not in roles else ""
    return {"thing": thing_of(format), "record_is": record_is(format, roles), "unused_record": offered}


def statement_on_people(options: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return who a person is in this file, as a statement to confirm."""
    format = found["format"]
    if format == "transactions":
        return "Each line is the record of one person, and no person has two lines."
    if format == "accesslog":
        return "Each network address is one visitor."
    column = options.get("user") if format == MICRODATA else found["columns"].get("user")
    if column is None:
        return "Each row is about one person, and no person has two rows." if format == MICRODATA else "Each conversation is of one person."
    named = f"column {column}" if column.isdigit() else f"the column “{column}”"
    return f"Each value of {named} is one person, and every person has one value."


def _listed(options: Mapping[str, Any], name: str) -> list[str]:
    return [one for one in str(options.get(name.replace("-", "_"), "")).split(",") if one]
