"""Audit of a release from any tool, from its files alone or with the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditing.fields import RecordFile, columns_without_place, judge_fields, record_columns_without_place
from shoal.auditing.recompute import of_claims, of_files, of_original
from shoal.auditing.statements import COLUMNS_COVERED, NOT_VERIFIABLE, Stated
from shoal.data.bags import united
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import A_FILE, Items, without_names
from shoal.data.original import KEPT, SUPPRESSED, Original
from shoal.data.release import Release
from shoal.data.tables.access_log import AccessTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.counts import CountTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, option
from shoal.io.read.parameter_files import read_items, wants_items, with_items, without_files
from shoal.io.read.paths import Paths
from shoal.io.write.output_format import OUTPUT_FORMATS
from shoal.kinds import read_tables
from shoal.kinds.bags.published_records import PublishedRecords
from shoal.kinds.bags.read import read_published
from shoal.kinds.canonical_files import directory_form, file_findings
from shoal.parameters import Param
from shoal.pipeline.claims import Claims, as_promised, claims_of, parse_claims, some_guarantee
from shoal.pipeline.contract import unjudged_columns
from shoal.pipeline.manifest import Published, preparation_of
from shoal.pipeline.manifest_schema import manifest_bytes
from shoal.pipeline.options import FLOOR, NO_TAXONOMY, Preparation, Shape, is_file
from shoal.pipeline.prepare import Prepared, prepare
from shoal.pipeline.reuse_rules import judge_rules
from shoal.privacy.evidence.equivalence_classes import classes_of
from shoal.privacy.evidence.file_strength import Strength, strength_of
from shoal.report.alarms import alarms, alarms_in
from shoal.report.notebook import facts_page
from shoal.report.verdict_text import LACKING, lack_of
from shoal.util.numbers import distinct
from shoal.util.wording import counted, listed

# The form of files in an audit: nothing is published beyond the content, neither in a release directory nor in a single file.


def judge_forms(place: Published) -> Verdict:
    """Verify that the files of a release directory are in canonical form."""
    assert place.manifest is not None
    form = directory_form(place.file.parent, place.manifest, manifest_bytes(place.manifest), lack_of(place.manifest))
    return Verdict("files in canonical form", verified_if(not form.broken), {"files": form.files}, form.broken, form.notes)


def find_extra_content(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Search a single file for anything beyond its content.

    Returns:
        The names of what can carry free text, which must be allowed by name, and notes on the style in which the file is written.
    """
    findings = file_findings(path)
    style = [finding.words for finding in findings if finding.style]
    notes = (f"not content: {'; '.join(style)}",) if style else ()
    return tuple(dict.fromkeys(finding.name for finding in findings if not finding.style)), notes


_K = Param("strength", int, 5, "", minimum=2)


@dataclass(frozen=True, eq=False)
class Audit:
    """What `shoal.audit` found.

    Attributes:
        claims: The verdict on each claim: `claim`, `holds`, `standing`, `achieved`, `witnesses`.
        checks: Verdicts on everything else, such as the digests and the form of the files.
        largest_k: The largest k for which the records are k-anonymous; None for other kinds of releases.
        records: Number of published records.
        notes: How the files were read and counted.
        lines: For every line of the manifest, whether it was recomputed or is not verifiable.
        strength: The largest k at each m, if it was requested or nothing is claimed.
        lack: What the manifest says if the release guarantees nothing.
        alarms: Warnings. Also a release whose claims hold may have them, for example if every record is unique.
        not_checked: Fields of the tables that were not compared with anything.
        people_known: Whether user IDs in the file, or an original, show which records belong to one person.

    Example:
        >>> import shoal
        >>> manifest = shoal.anonymize([["Apple"], ["Apple"]], k=2, taxonomy={"Food": ["Apple"]}).write("apples")
        >>> found = shoal.audit("apples")
        >>> found.holds, found.unchecked, found.largest_k
        (True, 0, 2)
        >>> [check.claim for check in found.checks if not check.holds]
        []
    """

    claims: tuple[Verdict, ...]
    checks: tuple[Verdict, ...]
    largest_k: int | None
    records: int
    notes: tuple[str, ...]
    lines: dict[str, str] = field(default_factory=dict)
    strength: Strength | None = None
    lack: str = ""
    alarms: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    people_known: bool = False

    @property
    def holds(self) -> bool:
        """Whether no claim and no check fails. `unchecked` is the number of claims that could not be verified."""
        return all(v.holds for v in (*self.checks, *self.claims))

    @property
    def unchecked(self) -> int:
        """The number of claims that do not fail, but cannot be verified from the files either."""
        return sum(1 for verdict in self.claims if verdict.holds and verdict.unchecked)

    @property
    def beyond_files(self) -> int:
        """The number of manifest lines and table fields that could not be compared with anything."""
        return sum(state == NOT_VERIFIABLE for state in self.lines.values()) + len(self.not_checked)

    def _repr_html_(self) -> str:
        """HTML for notebooks: the verdict on each claim, and failed checks."""
        failing = [check for check in self.checks if not check.holds]
        verdicts = [(without_names(one.claim), "; ".join([one.standing, *one.witnesses])) for one in (*self.claims, *failing)]
        rows = [*([("guarantee", f"NONE. {self.lack}")] if self.lack else []), ("records", f"{self.records:,}"), *verdicts]
        rows.append(("not checkable", f"{counted(self.beyond_files, 'statement')} cannot be verified from the files"))
        return facts_page("The audit passes" if self.holds else "THE AUDIT FAILS", rows, self.alarms)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary that can be written as JSON."""
        return {
            **({LACKING: self.lack} if self.lack else {}),
            "holds": self.holds,
            "unchecked": self.unchecked,
            "largest_k": self.largest_k,
            "records": self.records,
            **({"warnings": list(self.alarms)} if self.alarms else {}),
            "claims": [v.as_dict() for v in self.claims],
            "checks": [v.as_dict() for v in self.checks],
            "not_checked": list(self.not_checked),
            **({"strength": self.strength.as_dict()} if self.strength else {}),
            **({"manifest": self.lines} if self.lines else {}),
            "notes": list(self.notes),
        }


def gather_material(
    path: str | Path,
    claims: Claims = (),
    original: Paths | Any = None,
    preparation: Preparation | None = None,
    format: str | None = None,
    sep: str | None = None,
    allow_columns: Sequence[str] = (),
    sensitive: str | Path | Items | None = None,
    taxonomy: Taxonomy | None = None,
    release_user: str | None = None,
) -> AuditMaterial:
    """Read a release and its claims, from the arguments or its manifest; `judged` verifies them.

    The original is prepared according to `preparation` or the manifest, on the tree `taxonomy` if there is one. Columns other than the
    items fail, unless allowed by name. `sensitive` are the items of a claim that does not name them; `release_user` is the column with the
    user IDs of a single file.
    """
    place = Published.at(Path(path))
    items = sensitive if sensitive is None or isinstance(sensitive, Items) else read_items(sensitive)
    models = parse_claims(claims) or _claimed(place)
    if items is not None and not any(wants_items(model) for model in models):
        raise ParameterError(
            "sensitive items were passed, but every claim names its own items",
            code="option-not-applicable",
            hint=f"leave {option('sensitive')} out",
        )
    models = [with_items(model, items) for model in models]
    release_seen = seen_at(place, models, format, sep, release_user)
    if place.manifest is None:
        names, notes = find_extra_content(place.file)
        release_seen = replace(release_seen, extra_columns=(*release_seen.extra_columns, *names), notes=(*release_seen.notes, *notes))
    verdicts_on_columns = _columns(release_seen, allow_columns)
    against = None
    if original is not None:
        reading = for_rows(located(place, preparation, taxonomy, original), release_seen.release)
        # names of people are compared with published pseudonyms, or with those that a claim names
        by_name = reading.shape == "log" or any(model.needs_user_ids for model in models)
        prepared = prepare(original, replace(reading, names=by_name), taxonomy)
        against = Against(prepared, release_seen.release, stated_floor=_has_floor(place, preparation))
    return AuditMaterial(place, tuple(models), bool(claims), release_seen, tuple(verdicts_on_columns), against)


@dataclass(frozen=True, eq=False)
class AuditMaterial:
    """The input of an audit: the release, its claims (`own` ones, or the manifest's), and the original."""

    place: Published
    models: tuple[Model, ...]
    own: bool
    found: SeenRelease
    column_verdicts: tuple[Verdict, ...]
    against: Against | None

    @property
    def notes(self) -> tuple[str, ...]:
        """How everything was read."""
        return (*self.found.notes, *(self.against.notes() if self.against else ()))

    def judged(self, strength: int | None = None, *, no_guarantee: bool = False) -> Audit:
        """Return the verdicts, and the strength of the records for this k, or for 5 if there is no claim.

        A release without a guarantee passes only if `no_guarantee` is set.
        """
        release, against, place = self.found.release, self.against, self.place
        alone = [(model, model.check(release)) for model in self.models] if against is None or not self.own else []
        judged = [verdict for _, verdict in alone] if against is None else against.judged(self.models)
        fields = judge_fields(release, self.models, place.manifest, self.found.file, against.prepared.original if against else None)
        stated, checks = (None, [*self.column_verdicts, *fields.verdicts()])
        if place.manifest is not None:
            digests = place.digests()
            stated = _stated(place.manifest, release, digests, () if self.own else alone, against)
            checks = [place.as_listed(digests), judge_forms(place), *checks, as_promised(place.manifest), stated.verdict()]
            checks += [] if no_guarantee or self.own else some_guarantee(place.manifest)
            checks += judge_rules(place.manifest, place.file.parent, release, against.prepared if against else None)
        return Audit(
            claims=tuple(judged),
            checks=(*checks, *(against.checks() if against else ())),
            largest_k=classes_of(release).smallest if release.kinds == {BagTable.kind} else None,
            records=sum(table.n_records for table in release.tables.values()),
            notes=self.notes,
            lines=stated.as_dict() if stated else {},
            strength=self._strength(strength),
            lack=lack_of(place.manifest),
            alarms=tuple(dict.fromkeys((*alarms_in(release), *alarms(place.manifest or {})))),
            not_checked=fields.not_checked,
            people_known=self.found.owners_known or against is not None,
        )

    def _strength(self, k: int | None) -> Strength | None:
        """Return the strength for this k; without one only if there is no claim and there are records."""
        of_records = self.found.release.kinds == {BagTable.kind}
        if k is not None and not of_records:
            raise ParameterError(f"{option('strength')} counts items of records, but this release has none", code="option-not-applicable")
        if k is None and (not of_records or self.models):
            return None
        return strength_of(self.found.release, _K.default if k is None else _K.check(k), people=self.found.owners_known)


@dataclass(frozen=True)
class SeenRelease:
    """A release as read from its files, how they were read, and other columns, which no model covers."""

    release: Release
    notes: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    owners_known: bool = False
    file: RecordFile = field(default_factory=RecordFile)


def seen_at(
    place: Published, models: Sequence[Model], format: str | None = None, sep: str | None = None, owner: str | None = None
) -> SeenRelease:
    """Read the tables that the manifest lists. A single file has the kind of table that all claims are about, or else records.

    `owner` is the user column of a single file of records.
    """
    if owner is not None and place.manifest is not None:
        raise ParameterError(
            f"{option('release-user')} is for a single file of records: a release of shoal has no user IDs", code="option-not-applicable"
        )
    if place.kinds and place.kinds != {BagTable.kind}:
        kept_columns = place.manifest["input"].get(KEPT, []) if place.manifest else []
        release = Release(read_tables(place.file.parent, place.tables), mechanism=place.mechanism)
        return _audit_rows(release, models, kept_columns, manifest=place.manifest)
    kinds = frozenset.intersection(*(model.judges for model in models)) if models else frozenset({BagTable.kind})
    if not place.kinds and kinds and BagTable.kind not in kinds:
        kind = min(kinds)
        facts = {"name": place.file.name, "table": kind, "kind": kind, "format": format or _format_of(place.file)}
        return _audit_rows(Release(read_tables(place.file.parent, [facts])), models, (), (f"read as a table of kind {kind!r}",))
    if len(place.tables) > 1:
        return _seen_parts(place)
    records = read_published(place.file, format or place.format, sep or place.separator, place.layout, owner)
    spelled = (
        () if place.manifest is not None else tuple(f"spelling:{name}" for name in records.spelled)
    )  # else the form of the file shows it
    extra_columns = (*_of_records(place, records.extra_columns, records.columns), *spelled)
    file = RecordFile(records.columns, records.levels)
    return SeenRelease(Release.from_records(records.bags, owned=owner is not None), records.notes, extra_columns, owner is not None, file)


def _seen_parts(place: Published) -> SeenRelease:
    """Read records from several files."""
    parts: list[PublishedRecords] = []
    for f in place.tables:
        before = sum(len(part.bags) for part in parts)
        parts.append(read_published(place.file.with_name(f["name"]), f["format"], f.get("separator"), f.get("layout"), before=before))
    extra_columns = tuple(dict.fromkeys(name for part in parts for name in _of_records(place, part.extra_columns, part.columns)))
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes[:-1]))
    all_notes = (*notes, f"{len(parts):,} files of records")
    levels = [part.levels for part in parts if part.levels is not None]
    every = pl.concat(levels).unique() if levels else None
    if every is not None and every["item"].n_unique() < len(every) and "level" not in extra_columns:
        extra_columns = (*extra_columns, "level")  # equal items have different levels in different files
    columns = next((part.columns for part in parts if RecordFile(part.columns).misplaced()), parts[0].columns)
    return SeenRelease(
        Release.from_records(united([part.bags for part in parts])), all_notes, extra_columns, file=RecordFile(columns, every)
    )


def _of_records(place: Published, extra_columns: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that no model covers; in a release of shoal also record numbers that are not as shoal writes them."""
    return tuple(dict.fromkeys((*extra_columns, *(record_columns_without_place(columns) if place.manifest is not None else ()))))


def _audit_rows(
    release: Release,
    models: Sequence[Model],
    kept_columns: Sequence[str],
    notes: tuple[str, ...] = (),
    manifest: Mapping[str, Any] | None = None,
) -> SeenRelease:
    """Return the columns that no claim covers, except those that the manifest declares as kept, which the verdicts name."""
    extra_columns = dict.fromkeys((*unjudged_columns(release, models, kept_columns), *columns_without_place(release, manifest)))
    return SeenRelease(release, notes, tuple(extra_columns))


def _format_of(file: Path) -> str:
    known = {suffix: format for format, suffix in OUTPUT_FORMATS.items()}
    if file.suffix not in known:
        raise ParameterError(
            f"{file.name} has no recognisable format", code="unknown-release-format", hint=f"name it with {option('release-format')}"
        )
    return known[file.suffix]


class Against:
    """A release with its original. Items that the original lacks are a failed check, and the records are then verified without it."""

    def __init__(self, prepared: Prepared, release: Release, *, stated_floor: bool = False) -> None:
        self.prepared, self.release, self.stated_floor = prepared, release, stated_floor
        original = prepared.original
        self.foreign = original.foreign(release) if isinstance(original, Original) else 0

    def judged(self, models: Sequence[Model]) -> list[Verdict]:
        """Verify the claims; more strictly if all items are the original's."""
        original = self.prepared.original
        return [model.check(self.release, None if self.foreign and not model.reads_names else original) for model in models]

    def checks(self) -> list[Verdict]:
        """Return failed checks before any claim is verified, and whether a stated floor is respected."""
        if not self.foreign:
            return self._floor_kept()
        broken = f"{self.foreign:,} published items are not nodes of the taxonomy"
        return [Verdict("items of the taxonomy", "fails", {"foreign": self.foreign}, (broken,))]

    def _floor_kept(self) -> list[Verdict]:
        """Verify that no published record has a node above the floor; empty without a floor, or if names stayed as typed."""
        original = self.prepared.original
        if not (self.stated_floor and isinstance(original, Original) and original.on_taxonomy):
            return []
        barred = ~original.tree.publishable.astype(bool)
        published = original.aligned(self.release).published
        above = len(distinct(published.items[barred[published.items]]))
        broken = (f"{counted(above, 'published item')} above the floor",) if above else ()
        return [Verdict("nothing above the floor", verified_if(not broken), {"above": above}, broken)]

    def notes(self) -> list[str]:
        """Return how the original was read, and how names were interpreted."""
        original = self.prepared.original
        notes = [f"original: {note}" for note in self.prepared.notes]
        if isinstance(original, Original) and original.reads_stars(self.release):
            notes.append(f"{SUPPRESSED!r} was read as the root of the taxonomy, {original.tree.names[0]!r}")
        return notes


def located(
    place: Published, preparation: Preparation | None, taxonomy_value: Taxonomy | None = None, original: object = None
) -> Preparation:
    """Return how to prepare the original: by the options, else by the manifest.

    A manifest does not name taxonomy files, so options must. Manifests of earlier versions name them: these are searched for in the current
    directory and next to the original.
    """
    if preparation is None:
        preparation = preparation_of(place.manifest) if place.manifest else Preparation()
    for keyword, word in [("hierarchy", word) for word in preparation.read.hierarchy] + [
        ("item-sets", word) for word in preparation.read.item_sets
    ]:
        column, _, file = word.partition("=")
        if file == A_FILE:
            raise ParameterError(
                f"the column {column!r} was published with a hierarchy from a file, which the manifest does not name",
                code="taxonomy-not-located",
                hint=f"name the file with {option(keyword, column + '=FILE')}",
            )
    if preparation.read.site_links == A_FILE:
        raise ParameterError(
            "visitors were separated by links from a file, which the manifest does not name",
            code="links-not-located",
            hint=f"name the file with {option('site-links')}",
        )
    taxonomy = place.manifest["input"].get("taxonomy") if place.manifest else None
    if (
        taxonomy_value is None
        and preparation.taxonomy == taxonomy
        and is_file(preparation.taxonomy)
        and not Path(preparation.taxonomy).exists()
    ):
        if taxonomy == A_FILE:
            raise ParameterError(
                "the release was made with a taxonomy from a file, which the manifest does not name",
                code="taxonomy-not-located",
                hint=f"name the file with {option('taxonomy')}",
            )
        first = original[0] if isinstance(original, tuple | list) and original else original
        neighbour = Path(first).with_name(str(taxonomy)) if isinstance(first, str | Path) else None
        if neighbour is not None and neighbour.is_file():
            return replace(preparation, taxonomy=str(neighbour))
        raise ParameterError(
            f"the release was made with the taxonomy {taxonomy}",
            code="taxonomy-not-located",
            hint=f"name its file with {option('taxonomy')}",
        )
    return preparation


def _has_floor(place: Published, preparation: Preparation | None) -> bool:
    """Whether a floor was requested or is recorded in the manifest."""
    recorded = place.manifest is not None and FLOOR in place.manifest["input"]
    return recorded or (preparation is not None and preparation.floor is not None)


def for_rows(preparation: Preparation, release: Release) -> Preparation:
    """Return how to read the original of published rows if neither manifest nor format is known: as a log, an access log or documents."""
    shapes: dict[str, Shape] = {
        RowTable.kind: "log",
        CountTable.kind: "log",
        AccessTable.kind: "access log",
        WeightedBagTable.kind: "documents",
    }
    shape = shapes.get(min(release.kinds)) if len(release.kinds) == 1 else None
    if preparation.shape != "records" or shape is None:
        return preparation
    named = preparation.taxonomy if shape == "documents" and is_file(preparation.taxonomy) else NO_TAXONOMY
    return replace(preparation, taxonomy=named, typed_names=True, shape=shape)


def _columns(release: SeenRelease, allowed: Sequence[str]) -> list[Verdict]:
    """Verify that there are no columns besides the items except allowed ones; no verdict if there are none."""
    strange = [name for name in allowed if name not in release.extra_columns]
    if strange:
        raise ParameterError(
            f"there is no column {strange[0]!r} to allow",
            code="unknown-column",
            hint=f"columns that no claim covers: {listed(release.extra_columns) or 'none'}",
        )
    if not release.extra_columns:
        return []
    left = [name for name in release.extra_columns if name not in allowed]
    of_items = bool(release.release.kinds & {BagTable.kind, RowTable.kind})
    broken = tuple(f"{name!r} is not covered by any claim" if of_items else f"no claim covers {name!r}" for name in left)
    notes = [f"{name!r} was allowed without verification" for name in release.extra_columns if name in allowed]
    notes += ["remove it from the release, or allow it with the option `allow-column`"] if left else []
    return [Verdict(COLUMNS_COVERED, verified_if(not broken), {}, broken, tuple(notes))]


def _claimed(place: Published) -> list[Model]:
    return [without_files(claim) for claim in claims_of(place.manifest)] if place.manifest else []


def _stated(
    manifest: Mapping[str, Any],
    release: Release,
    digests: Mapping[str, str],
    alone: Sequence[tuple[Model, Verdict]],
    against: Against | None,
) -> Stated:
    """Compare every line of the manifest with its recomputed value. Claims are verified on the file alone, as when they were written."""
    evidence = of_files(manifest, release, digests)
    of_claims(evidence, manifest, alone)
    if against is not None and not against.foreign:
        of_original(evidence, manifest, replace(release, claims=tuple(claims_of(manifest))), against.prepared)
    return evidence.compared(manifest)
