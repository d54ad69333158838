"""Tamperings with a release of `shoal`: what is done, how an audit of the release alone ends, and one with the original beside it.

Whoever edits a manifest can compute its digest anew, so all edits here do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from helpers.tampering import Manifest, drop, edit, manifest_of, put, records, report, text, together
from shoal.metrics import METRICS

Tamper = Callable[[Path], None]


@dataclass(frozen=True)
class Caught:
    """How an audit ends: exit code 1 and one line, or exit code 3, with these words."""

    words: str
    code: int = 3


@dataclass(frozen=True)
class OnlyStated:
    """The audit passes, and this line of the manifest is named as only stated."""

    line: str


Outcome = Caught | OnlyStated


def damaged(words: str) -> Caught:
    return Caught(words, code=1)


def first_record_becomes(items: str) -> Tamper:
    return records(lambda lines: [lines[0], f"{lines[1].split(',')[0]},{items}", *lines[2:]])


def more_records(told: Manifest) -> None:
    """One record more, of one person more, withheld."""
    told["input"]["records"] += 1
    told["input"]["owners"] += 1
    told["accounting"]["records"]["in"] += 1
    told["accounting"]["records"]["withheld: empty"] = 1


def more_rows(told: Manifest) -> None:
    """The same, read from one row more."""
    more_records(told)
    told["input"]["rows"] += 1
    told["accounting"]["rows"]["in"] += 1
    told["accounting"]["rows"]["used"] += 1


def more_occurrences(told: Manifest) -> None:
    told["input"]["occurrences"] += 5
    told["accounting"]["occurrences"]["in"] += 5
    told["accounting"]["occurrences"]["suppressed"] += 5


def more_words(told: Manifest) -> None:
    """The same with the account of words, the shares and the losses that belong to it."""
    metrics, before = told["metrics"], told["input"]["occurrences"]
    more_occurrences(told)
    account = told["accounting"]
    for part in ("in", "unchanged"):
        account["words"][part] += 5
    for share in ("kept", "one_level", "categories", "at_root", "generalized", "suppressed"):
        metrics[share] = sum(account["occurrences"].get(part, 0) for part in METRICS[share].shares) / (before + 5)
    losses((metrics["ggd"] + 5) / (before + 5))(told)


def losses(value: float) -> Callable[[Manifest], None]:
    """One loss in all metrics that are losses; nothing was dropped."""

    def change(told: Manifest) -> None:
        told["metrics"] |= dict.fromkeys(("loss", "added_loss", "loss_with_dropped"), value)
        told["metrics"]["ggd"] = value * told["input"]["occurrences"]

    return change


def dropped_words(told: Manifest) -> None:
    """Occurrences said to be unknown and dropped, where unknown ones are kept."""
    told["input"] |= {"unknown_items": 1, "unknown_occurrences": 2}
    account = told["accounting"]
    account["words"]["unchanged"] -= 2
    account["occurrences"]["suppressed"] -= 2
    for ledger in ("words", "occurrences"):
        account[ledger]["dropped: not in the taxonomy"] = 2


def shift(part: str, to: str) -> Tamper:
    """Occurrences that went one way said to have gone another."""

    def change(told: Manifest) -> None:
        account = told["accounting"]["occurrences"]
        account[part] -= 5
        account[to] = account.get(to, 0) + 5

    return edit(change)


def shift_with_metrics(told: Manifest) -> None:
    """All that was published as the parent said to be kept, in the account and in the shares."""
    account, metrics = told["accounting"]["occurrences"], told["metrics"]
    account["kept"] += account.pop("as the parent")
    metrics["kept"] += metrics["one_level"]
    metrics["generalized"] -= metrics["one_level"]
    metrics["one_level"] = 0.0


def withhold(told: Manifest) -> None:
    """No numbers about the original, as beside a claim that rests on noise."""
    words = {name: fact for name, fact in told["input"].items() if isinstance(fact, str)}
    told |= {"counts": "withheld", "accounting": {}, "metrics": {}, "input": words}


def delete(name: str) -> Tamper:
    return lambda release: (release / name).unlink()


def add(name: str, content: str = "Ann is in group 1\n") -> Tamper:
    return lambda release: (release / name).write_text(content) and None


def add_directory(release: Path) -> None:
    (release / "groups").mkdir()


def struck_report(release: Path) -> None:
    """An edited report that the manifest no longer lists."""
    (release / "report.html").write_text("<h1>all is well</h1>")
    drop("files[1]")(release)


def rows_of(n: int, items: str) -> Tamper:
    return records(lambda lines: [lines[0], *(f"{i},{items}" for i in range(1, n + 1))])


CLAIM = "claims[0].model"
REPRINTED = Caught("report.html does not match this manifest")
K3 = "guarantees k-anonymity(k=3), which is not claimed"

# What is done; how an audit of the release alone ends; how one with the original beside it ends, where that is different.
TAMPERING: dict[str, tuple[Tamper, Outcome] | tuple[Tamper, Outcome, Outcome]] = {
    # claims
    "a weaker claim": (put(CLAIM, "k-anonymity(k=2)"), Caught(K3)),
    "a weaker model": (put(CLAIM, "vocabulary-k-anonymity(k=3)"), Caught(K3)),
    "a weaker claim and parameter": (
        together(put(CLAIM, "k-anonymity(k=2)"), put("parameters.k", 2)),
        OnlyStated("parameters.k"),
        REPRINTED,
    ),
    "a stronger claim": (put(CLAIM, "k-anonymity(k=20)"), Caught("classes of fewer than 20")),
    "a stronger claim beside": (
        put("claims[1]", {"model": "k-anonymity(k=9)", "verdict": "verified", "holds": True, "achieved": {}, "achieved_from_file": {}}),
        Caught("classes of fewer than 9"),
    ),
    "no claims": (put("claims", []), Caught(K3)),
    "a claim that does not hold": (put("claims[0].holds", False), Caught("says that k-anonymity(k=3) does not hold")),
    "a level of the file that is none": (put("claims[0].achieved_from_file.records", 12), Caught("says 12, recomputed 3")),
    "a level of the file left out": (put("claims[0].achieved_from_file", {}), Caught("leaves out claims[0].achieved_from_file.records")),
    "a level that is none": (put("claims[0].achieved.records", 12), Caught("achieved.records: the manifest says 12, recomputed 3")),
    "more people than records": (put("claims[0].achieved.people", 40), Caught("claims[0].achieved counts more people than records")),
    "more people than owners": (
        together(put("claims[0].achieved.people", 3), put("input.owners", 2)),
        Caught("claims[0].achieved counts more people than input.owners"),
    ),
    "fewer people": (
        together(put("claims[0].achieved.people", 2), put("claims[0].reached", "every published record belongs to at least 2 people")),
        OnlyStated("claims[0].achieved.people"),
        REPRINTED,
    ),
    "fewer people in numbers alone": (
        put("claims[0].achieved.people", 2),
        Caught("claims[0].reached does not describe"),
    ),
    "another sentence": (put("claims[0].reached", "nobody can be found"), Caught("claims[0].reached does not describe")),
    "words of a claim": (put("claims[0].notes", ["judged by experts"]), OnlyStated("claims[0].notes[0]"), REPRINTED),
    "an unknown model": (put(CLAIM, "l-secrecy(l=3)"), damaged("no model is called 'l-secrecy'")),
    "a claim that cannot be read": (put(CLAIM, "k-anonymity(3"), damaged("cannot read")),
    "a claim that names a file": (put(CLAIM, "sensitive-share(h=0.5, items=/etc/passwd)"), damaged("names a file")),
    "a claim that names a file here": (put(CLAIM, "coherence(h=0.5, k=3, p=1, private=baskets.txt)"), damaged("names a file")),
    "a claim that names a file by @": (put(CLAIM, "coherence(h=0.5, k=3, p=1, private=@baskets.txt)"), damaged("names a file")),
    "a claim without a verdict": (drop("claims[0].holds"), damaged("claims[0].holds is missing")),
    "a verdict in words": (put("claims[0].holds", "yes"), damaged("claims[0].holds must be true or false")),
    "a claim with a key of its own": (put("claims[0].proof", "x"), damaged("claims[0].'proof' is not a key of a manifest")),
    # method and parameters
    "another method": (put("method", "clump"), Caught("the method and its parameters are invalid")),
    "an unknown method": (put("method", "magic"), Caught("no method is called 'magic'")),
    "a larger k": (put("parameters.k", 5), Caught("guarantees k-anonymity(k=5)")),
    "a smaller k": (put("parameters.k", 2), Caught("guarantees k-anonymity(k=2)")),
    "a k that cannot be": (put("parameters.k", -3), Caught("k must be at least 2")),
    "k in words": (put("parameters.k", "three"), Caught("k must be a whole number")),
    "no k": (drop("parameters.k"), Caught("is listed without parameter 'k'")),
    "a parameter that there is not": (put("parameters.noise", 1), Caught("takes no parameter 'noise'")),
    "sensitive items that were never named": (put("parameters.sensitive", "a file"), Caught("guarantees sensitive-share(h=0.5)")),
    "the name of a file of sensitive items": (put("parameters.sensitive", "illnesses.txt"), Caught("is described as 'a file'")),
    "a parameter without a promise": (put("parameters.effort", "thorough"), OnlyStated("parameters.effort"), REPRINTED),
    # the input
    "a million owners": (put("input.owners", 1_000_000), Caught("input.owners is more than input.records")),
    "fewer owners": (put("input.owners", 39), Caught("input.owners and input.records differ"), Caught("says 39, recomputed 40")),
    "another number of records": (put("input.records", 41), Caught("accounting.records.in and input.records differ")),
    "a record more": (edit(more_records), Caught("input.records is impossible for accounting.rows.used")),
    "a record more everywhere": (edit(more_rows), OnlyStated("input.records"), Caught("says 41, recomputed 40")),
    "another number of rows": (put("input.rows", 41), Caught("accounting.rows.in and input.rows differ")),
    "another number of items": (put("input.items", 9), OnlyStated("input.items"), Caught("says 9, recomputed 8")),
    "another number of occurrences": (put("input.occurrences", 95), Caught("accounting.occurrences.in and input.occurrences differ")),
    "occurrences more": (edit(more_occurrences), Caught("accounting.words and accounting.occurrences.in differ")),
    "occurrences more everywhere": (edit(more_words), OnlyStated("input.occurrences"), Caught("says 95, recomputed 90")),
    "more unknown items than items": (put("input.unknown_items", 9), Caught("input.unknown_items is more than input.items")),
    "unknown items": (put("input.unknown_items", 2), Caught("input.unknown_items do not occur input.unknown_occurrences times")),
    "unknown items that occur": (
        together(put("input.unknown_items", 2), put("input.unknown_occurrences", 4)),
        Caught("accounting.words and input.unknown_occurrences differ"),
    ),
    "unknown items that were dropped": (edit(dropped_words), Caught("accounting.words contradicts input.unknown")),
    "nodes": (put("input.taxonomy_nodes", 99), OnlyStated("input.taxonomy_nodes"), Caught("says 99, recomputed 12")),
    "more leaves than nodes": (
        together(put("input.taxonomy_nodes", 12), put("input.taxonomy_leaves", 99)),
        Caught("input.taxonomy_leaves is more than input.taxonomy_nodes"),
    ),
    "records per event": (put("input.per", "event"), Caught("input.per is not user"), damaged("transactions have no events")),
    "records per month": (put("input.per", "month"), damaged("input.per must be one of")),
    "a gap without sessions": (put("input.gap", "30m"), Caught("input.gap must be given for sessions")),
    "another node loss": (put("input.node_loss", "height"), OnlyStated("input.node_loss"), Caught("metrics.loss: the manifest says")),
    "a taxonomy elsewhere": (put("input.taxonomy", "../food.csv"), damaged("input.taxonomy must be a name without a path")),
    "another name of the taxonomy": (put("input.taxonomy", "drinks.csv"), OnlyStated("input.taxonomy"), REPRINTED),
    "a negative number of owners": (put("input.owners", -40), damaged("input.owners must be a whole number of 0 or more")),
    "a fraction of an owner": (put("input.owners", 39.5), damaged("input.owners must be a whole number of 0 or more")),
    "a number beyond all": (put("input.owners", 10**30), damaged("input.owners must be a whole number of 0 or more")),
    "owners by name": (put("input.people", ["Ann"]), damaged("input.'people' is not a key of a manifest")),
    "no owners": (drop("input.owners"), damaged("input.owners is missing")),
    # accounts
    "fewer published": (
        edit(lambda told: told["accounting"]["records"].update({"published": 39, "withheld: empty": 1})),
        Caught("accounting.records.published: the manifest says 39, recomputed 40"),
    ),
    "a negative part": (
        edit(lambda told: told["accounting"]["records"].update({"published": 41, "lost": -1})),
        damaged("accounting.records.lost must be a whole number of 0 or more"),
    ),
    "an account that does not add up": (put("accounting.occurrences.kept", 77), damaged("accounting.occurrences does not add up")),
    "an invented ledger": (
        put("accounting.experts", {"in": 3, "agreed": 3}),
        OnlyStated("accounting.experts.agreed"),
        Caught("accounting contains more than"),
    ),
    "an invented part": (
        shift("suppressed", "lost in the post"),
        Caught("metrics.suppressed is not the share that accounting.occurrences gives"),
    ),
    "more kept": (
        shift("as the parent", "kept"),
        Caught("metrics.kept is not the share that accounting.occurrences gives"),
    ),
    "suppressed said to be kept": (shift("suppressed", "kept"), Caught("published in some form, but the records contain")),
    "more kept, also in the metrics": (edit(shift_with_metrics), OnlyStated("metrics.kept"), REPRINTED),
    "no account of rows": (drop("accounting.rows"), Caught("accounting.rows.in and input.rows differ")),
    "another account of rows": (
        edit(lambda told: told["accounting"].update(rows={"in": 40, "used": 30, "blank lines": 10})),
        Caught("input.records is impossible for accounting.rows.used"),
        Caught("accounting.rows.used: the manifest says 30, recomputed 40"),
    ),
    "no account of records": (drop("accounting.records"), damaged("accounting.records is missing")),
    "an account in words": (put("accounting.records", "all there"), damaged("accounting.records must be an object")),
    # metrics
    "no loss at all": (put("metrics.loss", 0.0), Caught("metrics.loss is not metrics.ggd per occurrence")),
    "no loss, and no distortion": (edit(losses(0.0)), Caught("metrics.ggd is impossible for these records")),
    "more loss than there can be": (edit(losses(1.5)), Caught("metrics.ggd is impossible for these records")),
    "less loss in all metrics": (edit(losses(0.2)), OnlyStated("metrics.loss"), Caught("metrics.loss: the manifest says 0.2,")),
    "more loss added than lost": (put("metrics.added_loss", 0.9), Caught("metrics.added_loss is impossible for metrics.loss")),
    "less loss with what was dropped": (put("metrics.loss_with_dropped", 0.1), Caught("metrics.loss_with_dropped is not that of")),
    "a loss that is no number": (text('"loss": 0', '"loss": NaN, "x": 0'), damaged("is not readable as JSON")),
    "an infinite loss": (text('"loss": 0', '"loss": -Infinity, "x": 0'), damaged("is not readable as JSON")),
    "a loss beyond all numbers": (text('"loss": 0.', '"loss": 1e999, "x": 0.'), damaged("metrics.loss must be a finite number")),
    "a negative loss": (put("metrics.loss", -1), damaged("metrics.loss must be")),
    "more kept than there was": (put("metrics.kept", 1.5), damaged("metrics.kept must be 0 to 1")),
    "another length": (put("metrics.mean_length", 9.0), Caught("metrics.mean_length: the manifest says 9,")),
    "another level": (
        put("metrics.mean_level", 1.5),
        OnlyStated("metrics.mean_level"),
        Caught("metrics.mean_level: the manifest says 1.5"),
    ),
    "another penalty": (put("metrics.ncp", 0.0), OnlyStated("metrics.ncp"), REPRINTED),
    "a metric left out": (drop("metrics.loss"), damaged("metrics.loss is missing")),
    "a metric that there is not": (put("metrics.trust", 1), damaged("metrics.'trust' is not a metric")),
    "a bound": (put("metrics.bound", 0.1), OnlyStated("metrics.bound"), Caught("metrics.bound: the manifest says 0.1")),
    "a bound above the loss": (put("metrics.bound", 0.9), Caught("metrics.bound is more than metrics.loss")),
    "a level below the leaves": (  # how deep the taxonomy is is not published
        put("metrics.mean_level", 3.5),
        OnlyStated("metrics.mean_level"),
        Caught("metrics.mean_level: the manifest says 3.5"),
    ),
    "a level below the leaves of a taxonomy of a given height": (
        together(put("input.taxonomy_nodes", 12), put("input.taxonomy_height", 2), put("metrics.mean_level", 3.5)),
        Caught("metrics.mean_level is impossible for a taxonomy of this height"),
    ),
    # the list of files
    "another number of published rows": (put("files[0].rows", 400), Caught("files[0].rows: the manifest says 400, recomputed 40")),
    "another number of published items": (put("files[0].items", 3), Caught("files[0].items: the manifest says 3")),
    "another number of published occurrences": (put("files[0].occurrences", 9), Caught("files[0].occurrences: the manifest says 9")),
    "the digest of the records": (put("files[0].sha256", "0" * 64), Caught("records.csv was changed after it was written")),
    "the digest of the report": (put("files[1].sha256", "0" * 64), Caught("report.html was changed after it was written")),
    "a digest in words": (put("files[0].sha256", "as before"), damaged("files[0].sha256 must be a SHA-256")),
    "another separator": (put("files[0].separator", "|"), Caught("files[0].items: the manifest says")),
    "another format": (put("files[0].format", "transactions"), damaged("files[0].format is not that of records.csv")),
    "records elsewhere": (put("files[0].name", "../baskets.txt"), damaged("files[0].name must be a name without a path")),
    "records at an absolute place": (put("files[0].name", "/etc/passwd"), damaged("files[0].name must be a name without a path")),
    "one file more in the list": (
        put("files[2]", {"name": "groups.txt", "sha256": "0" * 64}),
        damaged("files[1].table is missing"),
    ),
    "an edited report struck from the list": (struck_report, damaged("files must list the tables and report.html")),
    "no files": (put("files", []), damaged("files must list the tables and report.html")),
    # files
    "the records are gone": (delete("records.csv"), damaged("there is no file release/records.csv")),
    "the report is gone": (delete("report.html"), Caught("report.html is listed in the manifest but missing")),
    "the manifest is gone": (delete("manifest.json"), damaged("it has no manifest.json")),
    "a file more": (add("groups.txt"), Caught("contains files that the manifest does not list: 'groups.txt'")),
    "a hidden file more": (add(".groups"), Caught("contains files that the manifest does not list: '.groups'")),
    "a directory more": (add_directory, Caught("contains files that the manifest does not list: 'groups'")),
    "an edited report": (
        lambda release: (release / "report.html").write_text("<h1>all is well</h1>") and None,
        Caught("report.html was changed after it was written"),
    ),
    "an edited report in the list": (report("3", "9"), OnlyStated("the text of report.html"), REPRINTED),
    # records
    "a record changed": (first_record_becomes("Apple;Beef;Milk;Orange"), Caught("classes of fewer than 3")),
    "a record removed": (records(lambda lines: lines[:-1]), Caught("files[0].rows: the manifest says 40, recomputed 39")),
    "a record added": (records(lambda lines: [*lines, "41,Butter;Milk"]), Caught("files[0].rows: the manifest says 40, recomputed 41")),
    "all records the same": (rows_of(40, "Food"), Caught("metrics.mean_length: the manifest says")),
    "no records": (records(lambda lines: lines[:1]), Caught("files[0].rows: the manifest says 40, recomputed 0")),
    "names in a column": (
        records(lambda lines: [lines[0] + ",name", *(f"{line},Ann {i}" for i, line in enumerate(lines[1:]))]),
        Caught("'name' is not covered by any claim"),
    ),
    "names for numbers": (
        records(lambda lines: [lines[0], *(f"Ann {i},{line.split(',')[1]}" for i, line in enumerate(lines[1:]))]),
        Caught("'record' is not covered by any claim"),
    ),
    "another order of the numbers": (
        records(lambda lines: [lines[0], *reversed(lines[1:])]),
        Caught("'record' is not covered by any claim"),
    ),
    # the manifest as a whole
    "counts withheld": (edit(withhold), Caught("counts are withheld, but no claim requires that")),
    "another digest": (text('"sha256": "', '"sha256": "00'), damaged("must be a SHA-256")),
    "no digest": (
        lambda release: (
            (release / "manifest.json").write_text(
                json.dumps({key: value for key, value in manifest_of(release).items() if key != "sha256"})
            )
            and None
        ),
        damaged("sha256 is missing"),
    ),
    "another version": (put("shoal", "9.9.9"), OnlyStated("shoal")),
    "notes": (put("notes", ["proven to be safe"]), OnlyStated("notes[0]")),
    "a key of its own": (put("certified", True), damaged("'certified' is not a key of a manifest")),
    "a key twice": (text('"method": "shoal"', '"method": "magic", "method": "shoal"'), damaged("has a key twice")),
    "an inner key twice": (text('"owners": 40', '"owners": 1000, "owners": 40'), damaged("has a key twice")),
    "half a character": (put("method", "\ud800"), damaged("method must be text")),
    "a list": (lambda release: (release / "manifest.json").write_text("[]") and None, damaged("was not written by shoal")),
}
