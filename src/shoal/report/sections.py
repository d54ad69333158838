"""The sections of a report: each converts a part of the facts into rows, bars and charts for the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from shoal.data.original import NOT_IN_TAXONOMY, REPEATED
from shoal.methods import METHODS, fate_of
from shoal.metrics import METRICS
from shoal.report.charts import BarPart, bar, meter, stacked
from shoal.report.facts import Example, PublishedItem, QueryFacts, Spread
from shoal.report.formatting import count, name, number, plain, plural, share_of, spoken
from shoal.report.summary import FORM_TONES, Summary, share_in, words_title
from shoal.report.verdict_text import Tile
from shoal.util.wording import percent, split_default

TONES = {"kept": "same", "changed": "changed"}
SUPPRESSED_SHADES = 3

MEANINGS = {
    "format": "input format",
    "reading": "what was specified about reading the input",
    "per": "what makes up one record",
    "gap": "inactivity that ends a session",
    "word_rules": "rules that form items from words of texts: which words are one item, which are placed by a related noun",
    "protects": "what the guarantee covers, because people have several records",
    "files": "number of input files",
    "rows": "rows in the input",
    "read_as": "input of the method: the rows of a log or table, unchanged",
    "records": "records made from the rows",
    "owners": "distinct people in the records",
    "items": "distinct items",
    "occurrences": "total number of items in all records",
    "taxonomy": "taxonomy for generalizing items",
    "names": "whether items are published as typed or as names of taxonomy nodes",
    "scope": "used: losses are computed on the part of the taxonomy that the input uses; whole: on all of it",
    "floor": "most general level that is published (the root is level 1), or the most general nodes",
    "min_support": "people, or share of all people, who must have an item that is not left out",
    "rare_items": "distinct items that fewer people have",
    "node_loss": "loss function for taxonomy nodes",
    "records_as": "sets: an item that a record repeats counts once; bags: it counts each time",
    "unknown_items": "distinct items that are not in the taxonomy",
    "unknown_occurrences": "number of their occurrences",
    "quasi_identifiers": "columns whose values were replaced by group means or other centroids",
    "left_as_they_are": "columns published unchanged, not covered by any claim",
    "dropped": "number of dropped columns",
    "owner_column": "column with the user ID, which is not published",
    "taxonomy_nodes": "nodes in the part of the taxonomy that is used",
    "taxonomy_leaves": "leaves among them",
    "taxonomy_height": "edges from the root to the deepest leaf",
}

LEFT_OUT = {  # occurrences that are in the account but not in the shares
    NOT_IN_TAXONOMY: "without those of items that are not in the taxonomy",
    REPEATED: "a repeated item of a record counts once",
}
WITH_SENSITIVE = "with sensitive items: "  # how the description of a parameter begins that has no effect without them

RECORDS = {"record": "records given by a column"}  # what one record is, where "one record per ..." would not say it
LABELS = {
    "owners": "people",
    "per": "one record per",
    "unknown": "treatment of items not in the taxonomy",
    "records_as": "repeated items",
    "scope": "part of taxonomy",
}
LABELS |= {"quasi_identifiers": "quasi-identifiers", "left_as_they_are": "published unchanged", "unknown_occurrences": "their occurrences"}
UNKNOWN = {
    "keep": "items that are not in the taxonomy are leaves of an extra branch below its root, and may be suppressed like any others",
    "drop": "items that are not in the taxonomy are dropped and counted",
    "refuse": "items that are not in the taxonomy are an error",
}

LOSSES = {
    "loss": (
        "Loss",
        "Group generalization distortion (GGD) per item: 0% if everything is published unchanged, 100% if nothing is published.",
    ),
    "added_loss": ("Added loss", "Loss minus the loss that the original already has because some of its items are general."),
    "loss_with_dropped": (
        "Loss with dropped items",
        "Loss if items that were dropped because they are not in the taxonomy count as lost.",
    ),
    "information_loss": (
        "Information loss",
        "SSE / SST: share of the variance of standardized values within groups, which is lost when means are published.",
    ),
    "ncp": (
        "NCP",
        "Normalized certainty penalty: mean over the original items of the share of leaves below the published one; 100% if suppressed.",
    ),
}
PLAIN_METRICS = {
    "ggd": (
        "GGD",
        "Group generalization distortion: the losses of published items plus 1 for each suppressed one.",
    ),
    "added": ("Added items", "Share of published items that were not in the original record."),
    "mean_length": ("Mean length", "Mean number of items per published record."),
    "mean_level": ("Mean level", "Mean level of published items; the root is level 1."),
}
SHOWN_ABOVE = frozenset({"kept", "one_level", "categories", "at_root", "replaced", "suppressed", "generalized", "bound"})
WITHHELD = "counts"  # the key of a manifest from which exact numbers about the original are withheld
NO_NUMBERS = "withheld"  # its value where all are withheld
METERED = ("loss", "information_loss")


@dataclass(frozen=True)
class TableLine:
    """A line of a table: name, value and description."""

    name: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class Piece:
    """A part of a ledger, for the legend under its bar."""

    name: str
    count: str
    share: str
    tone: str


@dataclass(frozen=True)
class Account:
    """One ledger: its bar and its legend."""

    title: str
    total: str
    balanced: bool
    chart: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Meter:
    """One share of the loss on its scale."""

    name: str
    value: str
    meaning: str
    chart: str
    bound: str = ""


@dataclass(frozen=True)
class ItemRow:
    """A published item with its bar."""

    name: str
    records: str
    share: str
    level: str
    bar: str


@dataclass(frozen=True)
class ExampleRow:
    """A published record: its items with counts above one, and the number of identical records."""

    items: tuple[tuple[str, str], ...]
    more: str
    shared: str


@dataclass(frozen=True)
class SpreadRow:
    """A column of microdata: its mean and its standard deviation, before and after."""

    name: str
    mean_before: str
    mean: str
    deviation_before: str
    deviation: str


def method_rows(manifest: Mapping[str, Any]) -> tuple[TableLine, list[TableLine]]:
    """Return the method with its summary, and its parameters with descriptions."""
    method = str(manifest.get("method") or "not recorded")
    declared = METHODS[method] if method in METHODS else None  # noqa: SIM401 (get would raise)
    helps = {p.name: (p.help, p.default) for p in declared.parameters()} if declared else {}
    rows = []
    for key, value in manifest.get("parameters", {}).items():
        text, default = helps.get(key, (_meaning(key, value), object()))
        meaning, stated = split_default(text)
        shown = (stated if value is None and stated else number(value)) + (" (default)" if value == default else "")
        if meaning.startswith(WITH_SENSITIVE) and value is None and manifest["parameters"].get("sensitive") is None:
            shown = "not used (no sensitive items)"
        rows.append(TableLine(LABELS.get(key, spoken(key)), shown, meaning))
    return TableLine(plain(method), f"Paper: {declared.paper}" if declared else "", declared.summary() if declared else ""), rows


def input_rows(manifest: Mapping[str, Any]) -> list[TableLine]:
    """Return the facts about the input in the manifest."""
    facts = manifest.get("input", {})
    return [TableLine(LABELS.get(key, spoken(key)), number(value), _meaning(key, value)) for key, value in facts.items()]


def _meaning(key: str, value: Any) -> str:
    return UNKNOWN.get(str(value), "") if key == "unknown" else MEANINGS.get(key, "")


def settings_line(manifest: Mapping[str, Any]) -> str:
    """Return the settings in one line."""
    parameters, facts = manifest.get("parameters", {}), manifest.get("input", {})
    pieces = [str(manifest.get("method") or "")]
    pieces += [f"k = {number(parameters['k'])}"] if "k" in parameters else []
    pieces += [str(facts["format"])] if "format" in facts else []
    pieces += [RECORDS.get(str(facts["per"]), f"one record per {facts['per']}")] if "per" in facts else []
    return plain(" · ".join(p for p in pieces if p))


def accounts(manifest: Mapping[str, Any]) -> list[Account]:
    """Return the ledgers of rows, records and item occurrences, as far as they exist."""
    of_rows = manifest.get("input", {}).get("read_as") == "log"
    read = "Words of the queries" if of_rows else f"{words_title(manifest).capitalize()} of the input: how they were read"
    titles = {"rows": "Rows of the input", "words": read, "records": "Records", "occurrences": "Item occurrences"}
    method = str(manifest.get("method"))
    return [_account(titles.get(key, spoken(key)), ledger, method) for key, ledger in manifest.get("accounting", {}).items()]


def _account(title: str, ledger: Mapping[str, int], method: str) -> Account:
    total = ledger["in"]
    parts, shade = [], 0
    for key, n in ledger.items():
        if key == "in":
            continue
        tone = FORM_TONES.get(key) or TONES.get(fate_of(key, method), f"gone{shade % SUPPRESSED_SHADES}")
        shade += tone.startswith("gone")
        parts.append(BarPart(plain(key), n, tone))
    desc = f"{count(total)} in total: " + ", ".join(f"{count(p.value)} {p.label}" for p in parts)
    pieces = tuple(Piece(p.label, count(p.value), share_of(p.value, total), p.tone) for p in parts)
    return Account(title, count(total), sum(p.value for p in parts) == total, stacked(title, desc, parts), pieces)


def base_of(manifest: Mapping[str, Any], summary: Summary) -> str:
    """Describe what the shares of the summary are percentages of: what the method received."""
    whole = summary.shares[0].whole if summary.shares else 0
    if summary.noun != "items":
        return f"{count(whole)} {summary.noun}"
    ledger = manifest.get("accounting", {}).get("occurrences", {})
    left_out = [text for part, text in LEFT_OUT.items() if ledger.get(part)]
    return f"{count(whole)} items of records" + (f" ({'; '.join(left_out)})" if left_out else "")


def share_chart(summary: Summary) -> str:
    """Draw the shares of the summary as one bar."""
    parts = [BarPart(share.name, share.n, share.tone) for share in summary.shares]
    return stacked(summary.noun.capitalize(), ", ".join(f"{share.text} {share.name}" for share in summary.shares), parts) if parts else ""


@dataclass(frozen=True)
class PublishedShare:
    """The number of records or rows, and of published ones."""

    noun: str
    total: int
    shown: int


def published_part(manifest: Mapping[str, Any]) -> PublishedShare:
    """Return the published part of the data, from the accounting."""
    account, method = manifest.get("accounting", {}), str(manifest.get("method"))
    noun, ledger = next(((name, account[name]) for name in ("records", "rows") if name in account), ("records", {"in": 0}))
    return PublishedShare(noun, ledger["in"], sum(n for part, n in ledger.items() if part != "in" and fate_of(part, method) != "gone"))


def published_tile(manifest: Mapping[str, Any]) -> Tile:
    """Return the same as a share."""
    if manifest.get(WITHHELD) == NO_NUMBERS:
        rows = sum(file["rows"] for file in manifest.get("files", []) if "table" in file)
        return Tile("Published", count(rows), "rows with noise; the size of the input is not published")
    published = published_part(manifest)
    if not published.total:
        return Tile("Published", "0", f"{published.noun}: nothing to publish", "open")
    rest = f"{count(published.total - published.shown)} suppressed" if published.total > published.shown else "none suppressed"
    text = f"{count(published.shown)} of {plural(published.total, published.noun.removesuffix('s'))}; {rest}"
    return Tile("Published", share_of(published.shown, published.total), text)


def loss_meter(metrics: Mapping[str, Any]) -> Meter | None:
    """Return the loss on its scale, with the bound if known; for microdata, the loss of dispersion."""
    for key in METERED:
        value, (label, meaning) = share_in(metrics, key), LOSSES[key]
        if value is not None:
            bound = share_in(metrics, "bound") if key == METERED[0] else None
            floor = percent(bound) if bound is not None else ""
            desc = f"{percent(value)}; at least {floor} is unavoidable (lower bound)" if floor else percent(value)
            return Meter(label, percent(value), meaning, meter(label, desc, value, bound), floor)
    return None


def metric_rows(metrics: Mapping[str, Any]) -> list[TableLine]:
    """Return all other metrics as numbers; the forms of items are at the top of the page."""
    rows = []
    for key, value in metrics.items():
        if key in SHOWN_ABOVE or (key in METERED and share_in(metrics, key) is not None):
            continue
        known = {**LOSSES, **PLAIN_METRICS}
        label, meaning = known.get(key, (spoken(key), METRICS[key].summary if key in METRICS else ""))
        share = share_in(metrics, key) if key in LOSSES else None
        rows.append(TableLine(label, number(value) if share is None else percent(share), meaning))
    return rows


def query_rows(facts: QueryFacts, rows: int) -> list[ItemRow]:
    """Return the most frequent published queries, with a bar for their share of all rows."""
    share = [(text, n, n / rows if rows else 0.0) for text, n in facts.frequent]
    return [ItemRow(name(text), count(n), share_of(n, rows), "", bar(part)) for text, n, part in share]


def item_rows(items: Sequence[PublishedItem], records: int) -> list[ItemRow]:
    """Return published items, with a bar for the share of records with them."""
    return [
        ItemRow(
            name(i.name),
            count(i.records),
            share_of(i.records, records),
            count(i.level),
            bar(i.records / records if records else 0.0),
        )
        for i in items
    ]


def example_rows(examples: Sequence[Example]) -> list[tuple[str, list[ExampleRow]]]:
    """Return published records, grouped by why they are shown."""
    return [(why, [_example(one) for one in rows]) for why, rows in groupby(examples, key=lambda one: one.why)]


def _example(example: Example) -> ExampleRow:
    items = tuple((name(text), count(n) if n > 1 else "") for text, n in example.items)
    return ExampleRow(items, count(example.more) if example.more else "", plural(example.records, "record"))


def spread_rows(spreads: Sequence[Spread]) -> list[SpreadRow]:
    """Return means and standard deviations of columns, before and after."""
    return [
        SpreadRow(
            name(s.name),
            number(s.mean_before),
            number(s.mean),
            "–" if s.deviation_before is None else number(s.deviation_before),
            number(s.deviation),
        )
        for s in spreads
    ]


def file_rows(manifest: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the files of the release with their digests."""
    return [
        {
            "name": plain(str(f.get("name", ""))),
            "rows": count(f["rows"]) if isinstance(f.get("rows"), int) else "–",
            "sha256": plain(str(f.get("sha256", ""))),
        }
        for f in manifest.get("files", [])
        if "name" in f
    ]
