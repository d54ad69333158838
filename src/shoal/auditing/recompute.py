"""Recomputation of a manifest: from the release files alone, and more of it with the original."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal import __version__
from shoal.auditing.consistency import contradictions, of_published
from shoal.auditing.statements import Evidence
from shoal.data.accounting import Accounting, Ledger, kept
from shoal.data.claims import Model, Verdict
from shoal.data.items import Items
from shoal.data.original import AnyOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import COUNT
from shoal.data.tables.groups import PER_GROUP, GroupTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import ParameterError
from shoal.io.release_directory import REPORT
from shoal.io.write.cell_checks import formula_notes
from shoal.kinds import render_report
from shoal.methods import fate_of, ledgers_of
from shoal.metrics import METRICS, measure
from shoal.pipeline.claims import claims_of, method_of, protection
from shoal.pipeline.contract import with_preparation
from shoal.pipeline.disclosure import WORDS, disclosed_facts, disclosed_input, safe_numbers, unsafe_notes
from shoal.pipeline.manifest_schema import DIGEST, ENGINE, digest_of
from shoal.pipeline.prepare import READ_AS, TREE_DIGEST, Prepared
from shoal.report.alarms import alarm_notes
from shoal.report.facts import Facts
from shoal.report.verdict_text import LACKING, REACHED, lack_of

BY_THE_METHOD = "by the method"
EARLIER = {"unchanged": "as typed"}  # names of parts of accounts in manifests of earlier versions
WORDS_OF_THE_REPORT = f"the text of {REPORT}"


def of_files(manifest: Mapping[str, Any], release: Release, digests: Mapping[str, str]) -> Evidence:
    """Recompute what follows from the files alone. Their digests are checked when the files are read."""
    evidence = Evidence({DIGEST: digest_of(manifest)})
    for i, file in enumerate(manifest["files"]):
        if file["name"] in digests:
            evidence.add(f"files[{i}]", {"name": file["name"], DIGEST: file[DIGEST]})
        if "layout" in file:  # a file in another layout is not read
            evidence.add(f"files[{i}]", {"layout": file["layout"]})
    for i, file in enumerate(manifest["files"]):
        if "table" in file and file["table"] not in {before.get("table") for before in manifest["files"][:i]}:
            evidence.add(f"files[{i}]", release.tables[file["table"]].facts())
    _of_mechanism(manifest, evidence)
    evidence.unchecked.append(WORDS_OF_THE_REPORT)
    evidence.broken.extend(contradictions(manifest))
    implied = (*formula_notes(release, "csv"), *alarm_notes(release))
    for note in unsafe_notes(manifest, safe_numbers(claims_of(manifest)), implied):
        evidence.insist(False, f"the manifest has exact numbers that its claims do not allow: {note}")
    if lack_of(manifest):  # in the words of the method, as is checked with its claims
        evidence.add("", {LACKING: manifest[LACKING]})
    for table in release.tables.values() if "counts" not in manifest else ():
        if table.kind in _BY_KIND:
            _BY_KIND[table.kind](manifest, table, evidence)
    return evidence


def _of_mechanism(manifest: Mapping[str, Any], evidence: Evidence) -> None:
    """Recompute the noise of the method with these parameters; invalid parameters are reported with the claims."""
    try:
        steps = method_of(manifest).noisy_steps()
    except ParameterError:
        return
    for i, step in enumerate(steps):
        evidence.add(f"mechanism[{i}]", step.as_dict())
    recorded = len(manifest.get("mechanism", ()))
    evidence.insist(recorded <= len(steps), f"mechanism has {recorded:,} steps, but the method has {len(steps):,}")


def _of_records(manifest: Mapping[str, Any], table: BagTable, evidence: Evidence) -> None:
    """Recompute what follows from published records, beyond their number."""
    evidence.add("accounting.records", {"published": table.n_rows} if table.n_rows else {})
    evidence.add("metrics", {"mean_length": table.facts()["occurrences"] / max(1, table.n_rows)})
    evidence.broken.extend(of_published(manifest, table.facts()["occurrences"]))


def _of_rows(manifest: Mapping[str, Any], table: RowTable, evidence: Evidence) -> None:
    """Recompute rows: every published row is one of the input's that is not lost."""
    method, account = manifest["method"], manifest["accounting"]["rows"]
    shown = {part: n for part, n in account.items() if part != "in" and fate_of(part, method) != "gone"}
    published = sum(shown.values())
    if published == table.n_rows and len(shown) == 1:
        evidence.add("accounting.rows", shown)
    evidence.insist(published == table.n_rows, f"accounting.rows has {published:,} published, but there are {table.n_rows:,} rows")


def _of_vectors(manifest: Mapping[str, Any], table: WeightedBagTable, evidence: Evidence) -> None:
    """Recompute vectors: every published vector belongs to a document."""
    evidence.add("accounting.records", {"published": table.n_rows} if table.n_rows else {})


def _of_groups(manifest: Mapping[str, Any], table: GroupTable, evidence: Evidence) -> None:
    """Recompute groups: every row is a record with items as published, and the histograms count the rest per group."""
    evidence.add("accounting.records", {"published": table.n_rows} if table.n_rows else {})
    if table.of_items:
        counts = {"kept": int(table.rows[ITEMS].list.len().sum()), PER_GROUP: int(table.histogram[COUNT].sum())}
        evidence.add("accounting.occurrences", {part: n for part, n in counts.items() if n})


def _of_chunks(manifest: Mapping[str, Any], table: ChunkTable, evidence: Evidence) -> None:
    """Recompute chunks: every record of a cluster is one of the input."""
    evidence.add("accounting.records", {"published": table.n_records} if table.n_records else {})


# What a published table shows of the manifest beyond its own facts.
_BY_KIND: dict[str, Callable[[Mapping[str, Any], Any, Evidence], None]] = {
    WeightedBagTable.kind: _of_vectors,
    BagTable.kind: _of_records,
    RowTable.kind: _of_rows,
    GroupTable.kind: _of_groups,
    ChunkTable.kind: _of_chunks,
}


def of_claims(evidence: Evidence, manifest: Mapping[str, Any], alone: Sequence[tuple[Model, Verdict]]) -> None:
    """Record the results of verifying the manifest's claims on the file alone. Whether a claim names all items that it should is not known.

    If numbers of words are not safe, the notes of claims are those from the files alone.
    """
    only_from_files = WORDS not in safe_numbers(claim for claim, _ in alone)
    for i, (claim, verdict) in enumerate(alone):
        if any(isinstance(value, Items) for value in claim.values().values()):
            evidence.unchecked.append(f"that claims[{i}] names all items")
        outcome = {} if verdict.unchecked else {"verdict": verdict.standing, "holds": verdict.holds}
        evidence.add(f"claims[{i}]", {"model": verdict.claim, **outcome})
        evidence.add(f"claims[{i}].achieved_from_file", verdict.achieved)
        whole = verdict.standing == "by construction"  # then nothing was counted, with the original or without
        if only_from_files:
            noted = manifest["claims"][i].get("notes", [])
            evidence.insist(noted == list(verdict.notes), f"claims[{i}].notes are not those that the files alone give")
            evidence.add(f"claims[{i}]", {"notes": noted})
        stated = manifest["claims"][i]["achieved"]
        recomputed = verdict.achieved if whole else _alike_counted(stated, verdict.achieved)
        evidence.add(f"claims[{i}].achieved", recomputed)
        if REACHED in manifest["claims"][i] and manifest["shoal"] == __version__:  # another version may word it differently
            _sentence_of(evidence, i, manifest["claims"][i], claim, known=stated.keys() <= recomputed.keys())


def _sentence_of(evidence: Evidence, i: int, stated: Mapping[str, Any], claim: Model, *, known: bool) -> None:
    """Compare the sentence of a claim with its level. It is recomputed only if all of the level is (`known`)."""
    sentence = claim.reached(stated["achieved"], holds=bool(stated["holds"]))
    evidence.insist(stated[REACHED] == sentence, f"claims[{i}].{REACHED} does not describe claims[{i}].achieved")
    if known:
        evidence.add(f"claims[{i}]", {REACHED: sentence})


def of_original(evidence: Evidence, manifest: Mapping[str, Any], release: Release, prepared: Prepared) -> None:
    """Recompute what needs the original; the release makes the manifest's claims.

    Settings such as `per` and `unknown` were used to prepare the original, not recomputed: they are not verifiable.
    """
    placed = prepared.original.aligned(release)
    settings = {READ_AS, *prepared.preparation.described()}
    # What a release has that was made from a file, and what one has that was not made on a cluster.
    absent = {"format", "rows", TREE_DIGEST} - set(manifest["input"])
    expected = prepared.facts | protection(release.claims, prepared.original, prepared.preparation.per)
    facts = disclosed_input(expected, release.claims)
    facts |= {name: n for name, n in _sizes_of_tree(prepared.original).items() if name in manifest["input"]}
    evidence.add("input", {name: fact for name, fact in facts.items() if name not in settings and name not in absent})
    if safe_numbers(release.claims):
        _accounts(evidence, manifest["accounting"], prepared, manifest["method"])
        _metrics(evidence, manifest, placed, prepared)
    if manifest["shoal"] == __version__:
        before = {key: value for key, value in manifest.items() if key != DIGEST} | {"files": manifest["files"][:-1]}
        facts_of = _comparable_facts if ENGINE in manifest else disclosed_facts
        page = render_report(facts_of(before, placed, prepared.original)).encode()
        same = hashlib.sha256(page).hexdigest() == manifest["files"][-1][DIGEST]
        evidence.insist(same, f"{REPORT} does not match this manifest, these records and this original")
        evidence.unchecked.remove(WORDS_OF_THE_REPORT)


def _sizes_of_tree(original: AnyOriginal) -> dict[str, int]:
    """Return sizes of the taxonomy of all words, which only manifests of earlier versions contain."""
    if not isinstance(original, Original) or not original.on_taxonomy:
        return {}
    tree = original.tree
    return {"taxonomy_nodes": len(tree), "taxonomy_leaves": tree.n_leaves, "taxonomy_height": tree.height}


def _comparable_facts(manifest: Mapping[str, Any], release: Release, original: AnyOriginal) -> Facts:
    """Return the facts for the report of a release made on a cluster: the manifest, without distributions."""
    return Facts(manifest=manifest, published=release.n_rows)


def _alike_counted(stated: Mapping[str, Any], recomputed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a level verified with groups that the file must also give: what counts records, or all if nothing else does."""
    if "records" not in stated or "records" not in recomputed:
        return {}
    return {name: value for name, value in recomputed.items() if name == "records" or ("people" not in stated and name in stated)}


def _named_as_stated(ledger: Mapping[str, int], stated: Mapping[str, int]) -> dict[str, int]:
    """Return a ledger whose parts have the names of earlier versions where the manifest has them."""
    return {EARLIER[part] if part not in stated and EARLIER.get(part) in stated else part: n for part, n in ledger.items()}


def _accounts(evidence: Evidence, stated: Mapping[str, Mapping[str, int]], prepared: Prepared, method: str) -> None:
    """Recompute totals and preparation; the further split by the method depends on its groups."""
    original = prepared.original
    expected = Accounting({name: Ledger(n, {BY_THE_METHOD: kept(n)}) for name, n in original.to_account().items()})
    recomputed = with_preparation(expected, prepared).as_dict()
    known = [*recomputed, *ledgers_of(method)]
    evidence.insist(stated.keys() <= set(known), f"accounting contains more than {', '.join(known)}")
    for name, ledger in recomputed.items():
        if BY_THE_METHOD not in ledger and name in stated:
            evidence.add(f"accounting.{name}", _named_as_stated(ledger, stated[name]))
        elif name in stated:
            evidence.add(f"accounting.{name}", {"in": ledger["in"]})
            for part, least in ledger.items():
                enough = part in {"in", BY_THE_METHOD} or stated[name].get(part, 0) >= least
                evidence.insist(enough, f"accounting.{name}.{part} is less than the {least:,} that preparation gives")


def _metrics(evidence: Evidence, manifest: Mapping[str, Any], placed: Release, prepared: Prepared) -> None:
    """Recompute all metrics that do not need the groups."""
    lacking = bool(lack_of(manifest))
    wanted = [METRICS[name] for name in manifest["metrics"]]
    names = [one.name for one in wanted if not one.needs_groups_of(prepared.original) and not (one.of_means and lacking)]
    for name in names:
        try:
            evidence.add("metrics", measure(placed, prepared.original, [name]))
        except ParameterError as error:
            evidence.insist(False, f"metrics.{name} cannot be measured: {error.message}")
