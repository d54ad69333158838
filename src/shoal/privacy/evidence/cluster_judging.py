"""Interfaces for verifying a release on a cluster: workers count, and the model evaluates the counts.

A model without any of these can only be verified on one machine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from shoal.data.claims import Model, Verdict
from shoal.data.noise_record import NoisyStep
from shoal.errors import ParameterError, option
from shoal.privacy.evidence.equivalence_classes import ClassCounts
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets
from shoal.privacy.evidence.row_support import CountedRows, RowsToCount


class JudgedOnWorkers(Model):
    """A model whose counts workers can compute."""

    @classmethod
    def among(cls, claims: Iterable[Model]) -> list[Self]:
        """Return the claims as models of this class.

        Raises:
            ParameterError: A claim can only be judged on one machine.
        """
        found = []
        for claim in claims:
            if not isinstance(claim, cls):
                raise ParameterError(
                    f"{claim.name} is judged on one machine", code="not-on-a-cluster", hint=f"leave {option('engine')} out"
                )
            found.append(claim)
        return found


class JudgesClasses(JudgedOnWorkers):
    """A model with a `group_size` that can be verified from the sizes of equivalence classes."""

    @property
    @abstractmethod
    def group_size(self) -> int:
        """The guaranteed size of the smallest class."""

    @abstractmethod
    def judge_counted(self, counted: ClassCounts) -> Verdict:
        """Verify equivalence classes counted by workers."""


class JudgesNames(JudgedOnWorkers):
    """A model that can be verified from the published names that nobody holds, and the number of people with each of their words."""

    @abstractmethod
    def words_to_count(self, names: Iterable[str]) -> set[str]:
        """Return the words of these names whose people must be counted."""

    @abstractmethod
    def judge_names(self, names: Sequence[str], people: Mapping[str, int]) -> Verdict:
        """Verify the names, given how many people have each word."""

    @abstractmethod
    def judge_published_names(self, names: Sequence[str], records: Mapping[str, int]) -> Verdict:
        """Verify the names from the files alone, given how many published records have each word as an item."""


class JudgesRows(JudgedOnWorkers):
    """A model that can be verified from the number of users who share each published row."""

    @property
    @abstractmethod
    def rows_to_count(self) -> RowsToCount | None:
        """Return what workers must count; None if these parameters need one machine."""

    @abstractmethod
    def judge_rows(self, counted: CountedRows) -> Verdict:
        """Verify rows counted by workers."""


class JudgesSets(JudgedOnWorkers):
    """A model that can be verified from the supports of itemsets."""

    @property
    @abstractmethod
    def sets_to_count(self) -> AttackerKnowledge | None:
        """Return the itemsets that workers must count; None if these parameters need one machine."""

    @abstractmethod
    def judge_sets(self, counted: CountedSets, defects: Sequence[str]) -> Verdict:
        """Verify itemsets counted by workers.

        Args:
            counted: The supports.
            defects: What else workers found wrong with the published records.
        """


class JudgesNoise(JudgedOnWorkers):
    """A model that verifies the noise recorded for tables of counts."""

    @abstractmethod
    def judge_noise(self, steps: tuple[NoisyStep, ...], tables: tuple[str, ...], strange: Iterable[str] = ()) -> Verdict:
        """Verify recorded noise.

        Args:
            steps: The steps that added noise.
            tables: The names of the published tables.
            strange: Published values that the original does not contain, where it is available.
        """
