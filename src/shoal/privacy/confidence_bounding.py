"""Confidence bounding of a table by templates: the rule from known columns to a sensitive value has at most the named confidence.

Wang, Fung and Yu, ICDM 2005 and KAIS 2007. A template (QI to s, h) bounds the share of rows with the value s in every class of rows that
are alike in the columns QI. A claim may have several templates with columns, values and bounds of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.confidence_templates import Template, Templates
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import faults_of_columns, people_of_rows, upwards, values_of_classes
from shoal.util.wording import counted


@dataclass(frozen=True)
class ConfidenceBounding(Model):
    """An attacker who knows the columns of a template infers its sensitive value with at most its confidence."""

    name = "confidence-bounding"
    protects = (
        "An attacker who knows the values of a person in the columns of a template infers the sensitive value of the template with at most "
        "the confidence that it names."
    )
    does_not_protect = (
        "Values and combinations of columns that no template names. Which row is whose: classes may be single rows if their values are not "
        "sensitive. Several sensitive values together."
    )
    limits = "It does not bound anything about columns and values outside of its templates."
    judges = frozenset({"rows"})
    level_words = {"h": "largest confidence of a template", "templates": "templates that hold"}  # noqa: RUF012 (never changed)
    level_sentences = {"h": "the confidence of a template is up to {n}"}  # noqa: RUF012 (never changed)

    templates: Templates | None = param(None, help="rules with their largest confidence, e.g. age,zip>illness=flu:0.3")

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns of all templates."""
        return frozenset(name for one in self._named() for name in (*one.known, one.sensitive))

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return all columns: this model counts published values, and does not compare them with the original."""
        return dict.fromkeys(table.columns, "whether they are values of the original")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count the confidence of each template in each class."""
        table = release.only(RowTable)
        people = people_of_rows(release, original)
        named, notes, highest = self._named(), set[str](), []
        for one in named:
            faults = faults_of_columns(table, one.known, (one.sensitive,))
            if faults:
                return Verdict(str(self), "fails", {}, faults)
            found, witness = _confidence(table.frame, one, people)
            highest.append(found)
            notes |= set(witness)
        over = sum(found > one.limit for found, one in zip(highest, named, strict=True))
        broken = (f"{counted(over, 'template is', 'templates are')} exceeded in a class",) if over else ()
        covered = self.judged_columns(table)
        left = [repr(name) for name in table.frame.columns if name not in covered]
        notes |= {f"not covered by the claim: {', '.join(left)}"} if left else set()
        achieved = {"h": upwards(max(highest)), "templates": len(named) - over}
        return Verdict(str(self), verified_if(not broken), achieved, broken, tuple(sorted(notes)))

    def _named(self) -> tuple[Template, ...]:
        if self.templates is None:
            raise ParameterError(
                f"{self.name} must name its templates",
                code="missing-column",
                hint='write confidence-bounding(templates="age>illness=flu:0.3")',
            )
        return self.templates.each


def _confidence(frame: pl.DataFrame, one: Template, people: tuple[pl.Series | None, str]) -> tuple[Fraction, list[str]]:
    """Return the largest confidence of a template in a class, and notes on how people were counted."""
    values, notes = values_of_classes(frame, one.known, (one.sensitive,), people)
    shares = (
        Fraction(n, size)
        for counts, size in zip(values.counts, values.sizes, strict=True)
        for value, n in counts.items()
        if one.value is None or value == one.value
    )
    return max(shares, default=Fraction(0)), notes
