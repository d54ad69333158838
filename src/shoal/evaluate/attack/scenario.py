"""Input of attacks that need more than the published records: a second release, or the same one made again from other records.

A scenario has the release as made, a function that makes it again, and other releases, each of which must be reproduced exactly from this
original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.draw import REMAKES
from shoal.attacks.outcome import Outcome, outcome
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, Skipped
from shoal.attacks.scenarios.changed_records import of_used_names
from shoal.auditing.audit import located, seen_at
from shoal.data.bags import Bags, Ints
from shoal.data.items import A_FILE, Items
from shoal.data.log import Log
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.parameter_files import read_items
from shoal.methods import Method
from shoal.pipeline.claims import claims_of
from shoal.pipeline.contract import made_by
from shoal.pipeline.manifest import Published, preparation_of
from shoal.pipeline.options import Preparation, is_file, made_from_data
from shoal.pipeline.prepare import Prepared, Records, prepare, prepare_records
from shoal.pipeline.remake import remake_release

REMADE_RECORDS = 25_000  # records in all these releases together, unless another number is requested


@dataclass(frozen=True, eq=False)
class More:
    """The attacker's data other than the release: other releases of the same records, sensitive items, a plain-text log."""

    others: tuple[tuple[str, Made], ...] = ()
    sensitive: Items | None = None
    reference: Log | None = None


@dataclass(frozen=True)
class OtherReleases:
    """The same before the original is read: other releases by their manifests."""

    others: tuple[tuple[Path, Published], ...] = ()
    sensitive: Items | None = None
    reference: Path | None = None

    @classmethod
    def of(cls, others: Sequence[Path] = (), sensitive: Any = None, reference: Path | None = None) -> OtherReleases:
        """Make it from release directories (anything else is rejected), items (names, a file or a node above them), and a plain-text
        log.
        """
        items = None if sensitive is None else Items.of(str(sensitive) if isinstance(sensitive, Path) else sensitive)
        if items is not None and items.names == frozenset():
            raise ParameterError("sensitive names no items", code="items-not-named", hint="give a file, under:NODE or items:a|b")
        items = read_items(items.file) if items is not None and items.file is not None else items
        found = tuple((path, Published.at(path)) for path in others)
        for path, place in found:
            if place.manifest is None:
                raise InputError(
                    f"{path} is not a release directory",
                    code="not-a-release",
                    hint=f"{option('other-release')} needs the manifest, which records how it was made",
                )
        return cls(found, items, reference)

    def read(self, reading: Reading, prepared: Prepared, original: Any, loaded_taxonomy: Taxonomy | None) -> More:
        """Make the other releases again from this original. Raise if that is impossible, or if they are of other records."""
        if self.others and not isinstance(prepared.original, Original):
            raise InputError(
                f"{option('other-release')} compares published records, but rows of a log are published",
                code="releases-not-comparable",
                hint="leave it out",
            )
        made = [_other(*other, reading, prepared, original, loaded_taxonomy, self.sensitive) for other in self.others]
        others = tuple((f"other release {number:,}", one) for number, one in enumerate(made, 1))
        return More(others, self.sensitive, self._reference(reading))

    def _reference(self, reading: Reading) -> Log | None:
        """Return the plain-text log. Raise if its rows are not like those of the original."""
        if self.reference is None:
            return None
        found = read((self.reference,), reading.options).data
        if not isinstance(found, Log) or not isinstance(reading.data, Log) or found.kind != reading.data.kind:
            raise InputError(
                f"{self.reference} is not a log like the original",
                code="wrong-kind-of-input",
                hint=f"{option('reference')} is a log of queries, or of items",
            )
        return found


NO_OTHERS, NOTHING_MORE = OtherReleases(), More()


@dataclass(frozen=True, eq=False)
class Remaking:
    """How a release is made again from other records: prepared like the original, by the method of the manifest."""

    method: Method
    preparation: Preparation
    texts: bool
    taxonomy: Taxonomy | None

    @classmethod
    def of(cls, method: Method, prepared: Prepared, reading: Reading, loaded_taxonomy: Taxonomy | None) -> Remaking:
        """Prepare in the same way as this original. A taxonomy made from its terms is made again from those of other records."""
        fixed = None if made_from_data(prepared.preparation.taxonomy) else prepared.taxonomy
        texts = isinstance(reading.data, Log) and reading.data.kind == "text"
        return cls(method, prepared.preparation, texts, fixed if loaded_taxonomy is None else loaded_taxonomy)

    def of_records(self, typed: Bags) -> Made:
        """Return the release of these records, as typed."""
        original = prepare_records(Records(of_used_names(typed), self.texts), self.preparation, self.taxonomy).records
        return Made(original, made_by(self.method, original))

    def scenario(self, made: Made, targets: Ints, few: Ints, seed: int, left_out: tuple[Bags, Made] | None, more: More) -> Scenario:
        """Return the scenario for attacks on this release."""
        return Scenario(
            made=made,
            claims=made.release.claims,
            remake=self.of_records,
            varied=lambda changed: Made(made.original, made_by(replace(self.method, **changed), made.original)),  # type: ignore[type-var]
            parameters=self.method.values(),
            targets=targets,
            few=few,
            seed=seed,
            left_out=left_out,
            others=more.others,
            sensitive=more.sensitive,
        )


def enough(requested: int | None, n_records: int) -> int:
    """Return for how many people the release may be made again: as requested, otherwise fewer for more records, or none."""
    return min(REMAKES, REMADE_RECORDS // max(1, n_records)) if requested is None else requested


def _other(
    path: Path, place: Published, reading: Reading, prepared: Prepared, original: Any, loaded_taxonomy: Taxonomy | None, items: Items | None
) -> Made:
    assert place.manifest is not None
    preparation = replace(preparation_of(place.manifest), read=prepared.preparation.read)
    if preparation.taxonomy == A_FILE and is_file(prepared.preparation.taxonomy):  # which file is not recorded; the typed one is tried
        preparation = replace(preparation, taxonomy=prepared.preparation.taxonomy)
    preparation = located(place, preparation, loaded_taxonomy, original)
    same = prepared if preparation == prepared.preparation else prepare(replace(reading), preparation, loaded_taxonomy)
    if not np.array_equal(same.records.bags.owners, prepared.records.bags.owners):
        raise InputError(
            f"{path} has other records than this release",
            code="releases-not-comparable",
            hint="records of the same people are compared, one for one",
        )
    again = remake_release(place.manifest, seen_at(place, claims_of(place.manifest)).release, same.original, items)
    if again is None or again.secret is None:
        raise InputError(
            f"{path} is not what its method makes of this original, so its records cannot be matched to people",
            code="release-not-of-original",
            hint="give releases of the same original, made by this version and without a limit in seconds",
        )
    return Made(same.records, again)


def notes_on_remakes(scenario: Scenario, requested: int | None) -> list[str]:
    """Return a note if fewer people than usual are attacked because the release is made again, unless requested."""
    few = len(scenario.few)
    if requested is not None or not 0 < few < min(REMAKES, len(scenario.targets)):
        return []
    n = len(scenario.made.original.bags)
    return [
        f"{few:,} people are attacked where the release must be remade, because it has {n:,} records; "
        f"{option('remakes', REMAKES)} attacks more"
    ]


def outcomes_of(attacks: Sequence[ScenarioAttack], scenario: Scenario | str) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes of each attack on a scenario, and notes; a text instead of a scenario is the reason for its absence."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    for attack in attacks:
        try:
            if isinstance(scenario, str):
                raise Skipped(scenario)
            tried = attack.tried(scenario)
        except Skipped as reason:
            notes.append(f"skipped {attack.name}: {reason}")
            continue
        notes += tried.notes
        for one in tried.trials:
            found = outcome(ORIGINAL if one.on_original else RELEASE, attack, one.trial, one.lengths, one.control, one.ceiling)
            outcomes.append(found if one.test is None else replace(found, test=one.test))
    return outcomes, notes
