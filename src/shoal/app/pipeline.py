"""The whole path: read, ground, anonymize, judge, measure, write, judge again what was written.

Nothing is written whose claims have not all passed. The judge sees the release twice: in memory with the original beside it, and then as
strangers will see it, read back from the file before the release gets its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import __version__
from shoal.app.contract import made_by
from shoal.app.job import NO_TAXONOMY, Preparation, Target, is_file, load_taxonomy
from shoal.app.manifest_schema import DIGEST, digest_of, faults
from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Vocabulary, stacked
from shoal.data.log import Log
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, InputError, ParameterError
from shoal.io.directory import MANIFEST, REPORT, ReleaseDirectory
from shoal.io.read.inputs import Reading, read
from shoal.io.read.items import with_files_read
from shoal.io.records import RECORD_FORMATS, read_records, write_records
from shoal.itemsets.choice import without_names
from shoal.methods import Method
from shoal.metrics import measure
from shoal.privacy import Verdict
from shoal.privacy.identical import identical_records
from shoal.report.facts import facts_of
from shoal.report.page import render
from shoal.taxonomy.ground import as_typed, ground, in_lower_case
from shoal.taxonomy.tree import Taxonomy
from shoal.text.terms import Terms, terms_of


@dataclass(frozen=True, eq=False)
class Records:
    """Records of words as they were typed; `texts` says whether they were split from texts, `stop_words` how many were left out then."""

    bags: Bags
    texts: bool = False
    stop_words: int = 0

    @property
    def folded(self) -> Bags:
        """The records as a taxonomy is asked for them: words of texts in lower case."""
        return in_lower_case(self.bags)[0] if self.texts else self.bags


FEWEST_KNOWN = 0.01  # share of the item occurrences that a taxonomy must know


@dataclass(frozen=True, eq=False)
class Prepared:
    """Records on a taxonomy, with the facts of how they came there."""

    original: Original
    facts: dict[str, Any]
    how: Preparation
    reading: Reading | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Judged:
    """A release that passed all its claims, with the original it was judged against."""

    release: Release
    original: Original
    verdicts: tuple[Verdict, ...]
    metrics: dict[str, float]
    facts: dict[str, Any]


def prepare(path: str | Path, how: Preparation) -> Prepared:
    """Read a file and put its records on the taxonomy. A taxonomy's file comes first: it is small, and may be the one with the mistake."""
    given, noted = load_taxonomy(how.taxonomy, how.loss) if is_file(how.taxonomy) else (None, ())
    reading = read(path, how.read)
    records = records_of(reading.data, how)
    # The log itself is the largest thing in memory and has done its duty.
    reading = Reading(Bags.from_lists([]), reading.format, reading.rows, reading.defects, reading.notes, reading.empty_texts)
    prepared = prepare_records(records, how, given)
    facts = {"format": reading.format, "rows": reading.rows.total, **prepared.facts}
    return Prepared(prepared.original, facts, how, reading, (*reading.notes, *noted, *prepared.notes))


def records_of(data: Log | Bags, how: Preparation) -> Records:
    """One bag of words per user, session or event."""
    if isinstance(data, Log):
        stop_words = 0

        def split(texts: pl.Series) -> Terms:
            nonlocal stop_words
            found = terms_of(texts, as_typed=True)
            stop_words += found.stopped
            return found

        bags = data.bags(how.per, how.pause, split=split)
        return Records(bags, data.kind == "text", stop_words)
    if how.per != "user":
        raise ParameterError(f"transactions have no {how.per}s: each line is one person's record", hint="leave --per out")
    return Records(data)


def prepare_records(records: Records, how: Preparation, given: Taxonomy | None = None) -> Prepared:
    """Put records on the taxonomy that was asked for, or on one that is given; or leave their names as they were typed."""
    bags, taxonomy = records.bags, given
    notes: tuple[str, ...] = ()
    if taxonomy is None and how.taxonomy != NO_TAXONOMY:
        taxonomy, notes = load_taxonomy(how.taxonomy, how.loss, records.folded.vocabulary)
    if how.typed_names or taxonomy is None:
        original = as_typed(bags, taxonomy, as_sets=how.as_sets, stop_words=records.stop_words)
    else:
        rules: dict[str, Any] = {"unknown": how.unknown or "keep", "scope": how.scope, "as_sets": how.as_sets}
        original = ground(bags, taxonomy, **rules, fold=records.texts, stop_words=records.stop_words)
        if how.unknown is None:
            _refuse_foreign_taxonomy(bags.occurrences, original.steps.unknown_kept)
    return Prepared(original, _facts(original, how), how, None, notes)


def _facts(original: Original, how: Preparation) -> dict[str, Any]:
    """What the manifest says of the input."""
    bags, steps, tree = original.typed, original.steps, original.tree
    facts = {
        "records": len(bags),
        "owners": bags.n_owners,
        "items": len(bags.vocabulary),
        "occurrences": bags.occurrences,
    }
    if not original.on_taxonomy:
        return facts | how.described()
    unknown = {"unknown_items": steps.unknown_terms, "unknown_occurrences": steps.unknown_kept + steps.unknown_dropped}
    shape = {"taxonomy_nodes": len(tree), "taxonomy_leaves": tree.n_leaves, "taxonomy_height": tree.height}
    return facts | unknown | how.described() | shape


def _refuse_foreign_taxonomy(occurrences: int, unknown: int) -> None:
    """Raise where hardly any item is on the taxonomy, and nobody said what is to become of the others."""
    known = occurrences - unknown
    if unknown and known < FEWEST_KNOWN * occurrences:
        raise InputError(
            f"the taxonomy knows {known:,} of {occurrences:,} item occurrences, less than {FEWEST_KNOWN:.0%}",
            hint="give one that is about these items, or generated; --unknown keep or drop goes on with this one",
        )


def anonymize(prepared: Prepared, method: Method, metrics: Sequence[str] = ()) -> Judged:
    """Apply the method, judge its release against the original, and measure it. Raises GuaranteeNotMet if a claim fails."""
    original = prepared.original
    ready = with_files_read(method)
    release = made_by(ready, original)
    release = release.accounted(with_preparation(_spelled_out(release, original), prepared))
    verdicts = tuple(claim.check(release, original) for claim in release.claims)
    insist(verdicts, "made")
    numbers = measure(release, original)
    if metrics:
        numbers |= measure(release, original, list(metrics))
    return Judged(release, original, verdicts, numbers, prepared.facts)


def publish(judged: Judged, target: Target) -> dict[str, Any]:
    """Write the release directory, after judging the written file as strangers will see it. Returns the manifest."""
    release = judged.release
    with ReleaseDirectory(target.directory, force=target.force) as directory:
        file = directory.path / RECORD_FORMATS[target.format]
        written = write_records(release, file, target.format, target.sep)
        seen = Release.from_records(read_records(file, target.format, written.separator or None, own=True)[0])
        verdicts = [claim.check(seen) for claim in release.claims]
        insist([same_records(release, seen), *verdicts], "written")
        manifest = manifest_of(judged, verdicts, {**written.as_dict(), **published_facts(seen)})
        page = render(facts_of(manifest, release, judged.original)).encode()
        directory.write(REPORT, page)
        manifest["files"].append({"name": REPORT, DIGEST: hashlib.sha256(page).hexdigest()})
        manifest[DIGEST] = digest_of(manifest)
        insist_on_schema(manifest)
        directory.write(MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n")
    return manifest


def manifest_of(judged: Judged, written: Sequence[Verdict], records: dict[str, Any]) -> dict[str, Any]:
    """The release's own account of itself; its keys are a promise to programs.

    A claim's level is told twice: as judged with the original and the groups at hand, which may count people, and as anybody can judge it
    from the file alone, which counts records.
    """
    release = judged.release
    return {
        "shoal": __version__,
        "method": release.method,
        "parameters": dict(release.parameters),
        "input": judged.facts,
        "claims": [{**v.as_dict(), "achieved_from_file": w.achieved} for v, w in zip(judged.verdicts, written, strict=True)],
        "accounting": release.accounting.as_dict() if release.accounting else {},
        "notes": list(release.notes),
        "metrics": judged.metrics,
        "files": [records],
    }


def insist(verdicts: Sequence[Verdict], state: str) -> None:
    """Fail closed: raise unless every claim holds."""
    for verdict in verdicts:
        if not verdict.holds:
            what = f"the release as {state} fails {without_names(verdict.claim)}: {'; '.join(verdict.witnesses)}"
            raise GuaranteeNotMet(what, hint="nothing was written", rare=verdict.rare)


def insist_on_schema(manifest: dict[str, Any]) -> None:
    """Raise where the manifest to be written is not one that an audit would read."""
    for fault in faults(manifest):
        raise GuaranteeNotMet(f"the manifest is not as manifests are: {fault}", hint="nothing was written")


def same_records(release: Release, seen: Release) -> Verdict:
    """That the records of a file are those of the release, each as often."""
    names = Vocabulary(pl.concat([release.published.vocabulary.names, seen.published.vocabulary.names]).unique(maintain_order=True))
    parts = [part.relabelled(names.codes(part.vocabulary.names), names) for part in (release.published, seen.published)]
    label = identical_records(stacked(parts))
    n, made = int(label.max(initial=-1)) + 1, len(release.copies)
    surplus = np.bincount(label[made:], minlength=n) - np.bincount(label[:made], weights=release.copies, minlength=n).astype(np.int64)
    wrong = int(np.abs(surplus).sum())
    broken = (f"{wrong:,} records are not those of the release",) if wrong else ()
    return Verdict("the file holds the release", not broken, {"records": len(seen.published)}, broken)


def _spelled_out(release: Release, original: Original) -> Accounting:
    """The method's account, with what was kept told apart: an item whose name is not what was typed is renamed, not kept."""
    account = release.accounting
    if account is None or release.secret is None:
        raise GuaranteeNotMet("the release does not tell which record became which", hint="nothing was written")
    kept = account.occurrences["kept"]
    renamed = min(kept, original.misspelled(release.published, release.secret.rows()))
    return replace(account, occurrences=account.occurrences.split("kept", {"kept": kept - renamed, "renamed": renamed}))


def with_preparation(account: Accounting, prepared: Prepared) -> Accounting:
    """A method's account, widened by what happened before the method saw the records."""
    original = prepared.original
    occurrences = account.occurrences.widened("dropped: not in the taxonomy", original.steps.unknown_dropped)
    occurrences = occurrences.widened("dropped: repeated in its record", original.steps.repeats_dropped)
    rows = prepared.reading.rows if prepared.reading else None
    return Accounting(account.records, occurrences, rows, original.steps.ledger)


def published_facts(release: Release) -> dict[str, int]:
    """What the records of a release amount to, for the list of files."""
    shown = np.repeat(release.copies > 0, np.diff(release.published.indptr))
    occurrences = int((release.published.lengths * release.copies).sum())
    return {"rows": release.n_records, "occurrences": occurrences, "items": len(np.unique(release.published.items[shown]))}
