"""The pipeline: prepare, anonymize, verify, measure, write, and verify what was written.

Nothing is written unless all claims hold. The release is verified twice: in memory with the original, and then read back from the files, as
any reader will see it, before the release directory gets its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from shoal import __version__, _kernels
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_storage import using
from shoal.data.items import without_names
from shoal.data.original import KEPT, AnyOriginal, Original
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, ParameterError, ReleaseWarning
from shoal.io.partial_outputs import own_outputs
from shoal.io.read.parameter_files import with_files_read
from shoal.io.release_directory import MANIFEST, NOTICE, ReleaseDirectory
from shoal.io.release_directory import REPORT as REPORT_PAGE
from shoal.io.rules_file import RULES, RulesFile
from shoal.io.write.cell_checks import formula_notes
from shoal.io.write.output_format import Levels
from shoal.kinds import kind_warnings, read_tables, render_report, rows_differing, summary_of, write_release
from shoal.methods import Method
from shoal.metrics import METRICS, measure
from shoal.pipeline.claims import insist_on_counting, protection, stated_claims, with_further
from shoal.pipeline.contract import insist_on_consent, made_by, stated_lack, unjudged_columns, whole_account
from shoal.pipeline.disclosure import WORDS, disclosed, disclosed_facts, for_the_publisher, safe_numbers
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, READING_BACK, REPORT, WRITING, stage
from shoal.pipeline.manifest_schema import DIGEST, digest_of, faults, manifest_bytes
from shoal.pipeline.options import BY_RANGES, WHOLE, Needs, Target, is_generated, is_topics, shelf_within
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.reuse_rules import reapplied, rules_file
from shoal.pipeline.topic_claims import claims_on_names
from shoal.report.alarms import alarm_notes, alarms, linked_rows
from shoal.report.attacks import ATTACKS
from shoal.report.facts import Facts
from shoal.report.summary import FEW_WORDS
from shoal.report.verdict_text import lack_of


@dataclass(frozen=True, eq=False)
class Publishable:
    """The parts of a release that are needed to write and describe it, without its original.

    Attributes:
        release: The release. The mapping from records to groups is not needed.
        verdicts: The judgement on each claim, made with the original.
        metrics: What was measured.
        facts: What the manifest says about the input.
        lack: The manifest entries of a release without a guarantee.
        rules: The recoding rules that are published with the release.
        attacks: The rates of attacks that were made before the release is written.
        levels: The level of a published item in the taxonomy.
        kept_columns: Columns that are published unchanged on request.
        page: The facts of the report, for a manifest.
    """

    release: Release
    verdicts: tuple[Verdict, ...]
    metrics: dict[str, float]
    facts: dict[str, Any]
    lack: Mapping[str, str]
    rules: RulesFile | None
    attacks: Mapping[str, Any]
    levels: Levels | None
    kept_columns: tuple[str, ...]
    page: Callable[[Mapping[str, Any]], Facts]


@dataclass(frozen=True, eq=False)
class Judged:
    """A release whose claims all hold, with its original. `lack` has the manifest entries of a release without claims.

    `attacks` are the rates of attacks on it, if there were any.
    """

    release: Release
    original: AnyOriginal
    verdicts: tuple[Verdict, ...]
    metrics: dict[str, float]
    facts: dict[str, Any]
    lack: Mapping[str, str] = field(default_factory=dict)
    rules: RulesFile | None = None
    attacks: Mapping[str, Any] = field(default_factory=dict)

    def publishable(self) -> Publishable:
        """Return the publishable parts; they refer to the original."""
        return Publishable(
            self.release,
            self.verdicts,
            self.metrics,
            self.facts,
            self.lack,
            self.rules,
            self.attacks,
            levels_in(self.original),
            tuple(self.original.columns().get(KEPT, [])),
            lambda manifest: disclosed_facts(manifest, self.release, self.original),
        )

    def without_original(self) -> Publishable:
        """Return the publishable parts, without the original and without the mapping from records to groups."""
        parts = self.publishable()
        page = parts.page(described(parts))
        return replace(parts, release=replace(self.release, secret=None), page=lambda manifest: replace(page, manifest=manifest))


def anonymize(
    prepared: Prepared,
    method: Method,
    metrics: Sequence[str] = (),
    further: Sequence[Model] = (),
    rules: RulesFile | None = None,
    *,
    no_guarantee: bool = False,
) -> Judged:
    """Apply the method, verify its release with the original, and measure it. Raises GuaranteeNotMet if a claim fails.

    `further` claims are verified in addition to those of the method. With `rules`, the method only applies them. A method without a
    guarantee is rejected unless `no_guarantee` is set.
    """
    insist_on_consent(method, no_guarantee)
    ready = with_files_read(method) if method.names_files else method
    further = (*further, *_claims_on_names(prepared))
    work = None if rules is None else partial(reapplied, ready, prepared, rules)
    _insist_on_memory(prepared, ready)
    stage(GROUPING)
    with using(shelf_within(prepared.preparation.memory)):
        release = with_further(made_by(ready, prepared.original, work), further)
    _kernels.give_back_memory()
    return _judged(prepared, release, metrics, further, stated_lack(ready))


def _claims_on_names(prepared: Prepared) -> tuple[Model, ...]:
    """Return what is claimed about names of topics, where records were put on topics that were learned from them."""
    learned = prepared.original.on_taxonomy and is_topics(prepared.preparation.taxonomy)
    return claims_on_names(prepared.preparation.taxonomy) if learned else ()


def needs_of(method: Method, prepared: Prepared) -> Needs:
    """Return what a method needs of memory for records."""
    if method.holds_one_range:
        return BY_RANGES
    beyond = method.bytes_beyond_records(prepared.records.typed)
    return replace(WHOLE, beyond=beyond, why=f"{WHOLE.why}, with additional memory for its search" if beyond else WHOLE.why)


def _insist_on_memory(prepared: Prepared, method: Method) -> None:
    """Raise if a method that keeps all records in memory needs more than the limit."""
    if prepared.preparation.memory is not None:
        prepared.preparation.memory.insist(prepared.records.typed, needs_of(method, prepared))


def _insist_on_unnumbered_nodes(prepared: Prepared, release: Release) -> None:
    """Raise if nodes of a generated taxonomy are published although the claims forbid it: their names disclose the number of items."""
    original = prepared.original
    if not is_generated(prepared.preparation.taxonomy) or WORDS in safe_numbers(release.claims) or not isinstance(original, Original):
        return
    if original.on_taxonomy and np.isin(release.published.items, original.tree.parent[1:]).any():
        names = " and ".join(claim.name for claim in release.claims if WORDS not in claim.safe_numbers)
        raise ParameterError(
            f"nodes of a generated taxonomy are named by numbers of items, which {names} does not allow",
            code="generated-names-disclose",
            hint="give a taxonomy file; its nodes have names of their own",
        )


def _judged(prepared: Prepared, release: Release, metrics: Sequence[str], further: Sequence[Model], lack: Mapping[str, str]) -> Judged:
    """Verify the release with the original, and measure it."""
    stage(JUDGING)
    original = prepared.original
    _insist_on_unnumbered_nodes(prepared, release)
    verdicts = tuple(claim.check(release, original) for claim in release.claims)
    insist(verdicts)
    insist_on_counting(verdicts, further)
    release = release.accounted(whole_account(release, prepared))
    release = replace(release, notes=(*release.notes, *alarm_notes(release)))
    stage(MEASURING)
    numbers = measure(release, original)
    if metrics:
        numbers |= measure(release, original, list(metrics))
    facts = prepared.facts | protection(release.claims, original, prepared.preparation.per)
    measured = {name: numbers[name] for name in METRICS if name in numbers}
    rules = None if release.rules is None else rules_file(release.rules, release, prepared)
    return Judged(release, original, verdicts, measured, facts, lack, rules)


def publish(publishable: Publishable, target: Target) -> dict[str, Any]:
    """Write the release directory after verifying the written files alone. Returns the manifest."""
    release = publishable.release
    _kernels.give_back_memory()
    stage(WRITING)
    with own_outputs(), ReleaseDirectory(target.directory, force=target.force) as directory:
        written = [
            file.as_dict() for file in write_release(release, directory.path, target.format, target.sep, target.layout, publishable.levels)
        ]
        _kernels.give_back_memory()
        stage(READING_BACK)
        read_back = Release(read_tables(directory.path, written, own=True), mechanism=release.mechanism)
        same = same_tables(release, read_back)  # first: a table that is equal takes the numbers of queries from the other
        verdicts = [claim.check(read_back) for claim in release.claims]
        insist([same, *verdicts], "the release as written")
        insist_on_columns(read_back, release.claims, publishable.kept_columns)
        manifest = manifest_of(publishable, verdicts, file_facts(written, read_back))
        manifest["notes"] += formula_notes(release, target.format)
        stage(REPORT)
        if publishable.rules is not None:
            manifest["files"].append(written_page(directory, RULES, publishable.rules.content(__version__)))
        if lack := lack_of(manifest):
            manifest["files"].append(written_page(directory, NOTICE, f"{lack}\n"))
        manifest["files"].append(written_page(directory, REPORT_PAGE, render_report(publishable.page(manifest))))
        manifest[DIGEST] = digest_of(manifest)
        insist_on_schema(manifest)
        directory.write(MANIFEST, manifest_bytes(manifest))
    return manifest


def warnings_about(judged: Judged) -> tuple[ReleaseWarning, ...]:
    """Return warnings about a release whose claims hold but which is risky or of little use."""
    publishable = judged.publishable()
    manifest = manifest_of(publishable, publishable.verdicts, _table_facts(publishable.release))
    own = (*linked_rows(judged.release), *alarms(manifest), *kind_warnings(judged.release, judged.original))
    return tuple(dict.fromkeys((*own, *few_words(shown_to_publisher(publishable, manifest)))))


def few_words(manifest: Mapping[str, Any]) -> tuple[ReleaseWarning, ...]:
    """Return the warning that hardly any word is published as typed, if that is so."""
    text = summary_of(manifest).warning
    return (ReleaseWarning(FEW_WORDS, text),) if text else ()


def written_page(directory: ReleaseDirectory, name: str, text: str) -> dict[str, str]:
    """Write a file without a table, and return its manifest entry."""
    content = text.encode()
    directory.write(name, content)
    return {"name": name, DIGEST: hashlib.sha256(content).hexdigest()}


def described(publishable: Publishable) -> dict[str, Any]:
    """Return the manifest that `publish` would write, with only the tables among its files.

    Claims are judged from the tables alone, as from files.
    """
    alone = Release(publishable.release.tables, mechanism=publishable.release.mechanism)
    return manifest_of(publishable, [claim.check(alone) for claim in publishable.release.claims], _table_facts(alone))


def _table_facts(release: Release) -> list[dict[str, Any]]:
    """Return the manifest entries of the tables before they are written to files."""
    return [{"table": name, "kind": table.kind, **table.facts()} for name, table in release.tables.items()]


def levels_in(original: AnyOriginal) -> Levels | None:
    """Return a function from an item name to its level in the taxonomy (the root has level 1); None without a taxonomy."""
    if not isinstance(original, Original) or not original.on_taxonomy:
        return None
    tree = original.tree

    def levels(names: pl.Series) -> pl.Series:
        nodes = tree.names.codes(names)
        return pl.select(pl.when(pl.Series(nodes >= 0)).then(pl.Series(tree.depth[nodes] + 1))).to_series()

    return levels


def manifest_of(publishable: Publishable, written: Sequence[Verdict], files: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the publishable manifest of a release. Its keys are a stable interface for programs."""
    return disclosed(_whole_manifest(publishable, written, files), publishable.release.claims, [verdict.notes for verdict in written])


def shown_to_publisher(publishable: Publishable, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a published manifest with the withheld numbers, for the terminal of the person who makes the release."""
    whole = _whole_manifest(publishable, publishable.verdicts, [])
    private = {"notes": [*manifest["notes"], *publishable.release.private_notes]}
    return for_the_publisher(manifest, whole | private, publishable.release.claims)


def _whole_manifest(publishable: Publishable, written: Sequence[Verdict], files: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the manifest before anything is withheld.

    The level of a claim is recorded twice: as verified with the original and the groups, which may count people, and as anyone can verify
    it from the file alone, which counts records.
    """
    release = publishable.release
    return {
        "shoal": __version__,
        **publishable.lack,
        "method": release.method,
        "parameters": dict(release.parameters),
        "input": publishable.facts,
        "claims": stated_claims(publishable.verdicts, written),
        "accounting": release.accounting.as_dict() if release.accounting else {},
        "notes": list(release.notes),
        "metrics": publishable.metrics,
        **({ATTACKS: dict(publishable.attacks)} if publishable.attacks else {}),
        "files": files,
        **({"mechanism": [step.as_dict() for step in release.mechanism]} if release.mechanism else {}),
    }


def insist(verdicts: Sequence[Verdict], release: str = "the release") -> None:
    """Raise unless every claim holds. `release` names in the message what was verified."""
    for verdict in verdicts:
        if verdict.standing == "not judged":
            what = f"{without_names(verdict.claim)} of {release} takes too long to verify: {verdict.unchecked}"
            raise GuaranteeNotMet(what, code="claim-not-verified", hint="nothing was written")
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed:
        reasons = [f"{without_names(verdict.claim)}: {'; '.join(verdict.witnesses)}" for verdict in failed]
        what = f"{release} fails {'; and '.join(reasons)}"
        raise GuaranteeNotMet(
            what, code="claim-fails", hint="nothing was written", rare=tuple(named for verdict in failed for named in verdict.rare)
        )


def insist_on_schema(manifest: dict[str, Any]) -> None:
    """Raise if the manifest to be written does not conform to its schema."""
    for fault in faults(manifest):
        raise GuaranteeNotMet(f"the manifest does not match its schema: {fault}", code="manifest-invalid", hint="nothing was written")


def insist_on_columns(release: Release, claims: Sequence[Model], kept_columns: Sequence[str] = ()) -> None:
    """Raise if a column is to be written that no claim covers and that was not requested to be kept."""
    for name in unjudged_columns(release, claims, kept_columns):
        raise GuaranteeNotMet(
            f"no claim of the method covers the published column {name!r}", code="column-not-claimed", hint="nothing was written"
        )


def same_tables(release: Release, read_back: Release) -> Verdict:
    """Verify that the files contain the tables of the release, with the same rows and multiplicities."""
    wrong = rows_differing(release.tables, read_back.tables)
    broken = (f"{wrong:,} rows are not those of the release",) if wrong else ()
    return Verdict("the files contain the release", verified_if(not broken), {"rows": read_back.n_rows}, broken)


def file_facts(files: Sequence[dict[str, Any]], read_back: Release) -> list[dict[str, Any]]:
    """Return the manifest entries of the files; the first file of each table also has the facts about the table."""
    tables, facts = set(), []
    for file in files:
        amounts = {} if file["table"] in tables else read_back.tables[file["table"]].facts()
        facts.append({**file, **amounts})
        tables.add(file["table"])
    return facts
