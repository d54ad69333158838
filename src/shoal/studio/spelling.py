"""Messages for people who see a page: options are spelled as the fields of its forms."""

from __future__ import annotations

from shoal.errors import Value, spell

FIELDS = {
    "format": "What the file contains",
    "user": "User ID",
    "time": "Time",
    "text": "Query text",
    "item": "Item",
    "record": "Basket or session ID",
    "count": "Quantity",
    "quasi": "Protect (quasi-identifier)",
    "nominal": "Protect (category)",
    "keep-column": "Publish unchanged",
    "drop-column": "Leave out",
    "sep": "Separator",
    "header": "First line",
    "encoding": "Encoding",
    "owners": "If two user IDs are alike (ann, Ann)",
    "items-table": "Product table",
    "items-key": "Items as your file has them",
    "items-name": "Names of the items",
    "items-levels": "Levels from fine to coarse",
    "item-level": "Publish items as",
    "k": "k",
    "to": "File format",
}
YES_AND_NO = {"header": {True: "has column names", False: "is data"}}  # the answers in a menu to what is on or off in a command


def on_page(text: str) -> str:
    """Spell the marked options of a text as fields of a page; those without a field as on the command line."""
    return spell(text, _field, " ")


def _field(name: str, value: Value | None, placeholder: bool) -> str:
    label = f"“{FIELDS[name]}”" if name in FIELDS else f"--{name}"
    if isinstance(value, bool) and name in YES_AND_NO:
        return f"{label} = “{YES_AND_NO[name][value]}”"
    if value is None or placeholder or isinstance(value, bool):
        return label
    return f"{label} = {value}"
