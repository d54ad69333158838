"""Models: what a release promises. A model judges a release by what is published; it knows no method.

A model is a frozen value such as `KAnonymity(k=5)` in a file of its own and one line in `MODELS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

from shoal.errors import ParameterError
from shoal.itemsets.choice import Items
from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.original import AnyOriginal
    from shoal.data.release import Release


@dataclass(frozen=True)
class Verdict:
    """A model's judgement: does it hold, what level was achieved, what broke it, and how things were counted.

    The level says what it counts: `records` as they are published, or the `people` behind them, who are known only while a release is made.
    `unchecked` says why a claim that nothing speaks against could not be verified from what was at hand; `holds` then means no more
    than that. Witnesses name counts and published items of at least k people at most, never an original record or an owner. `rare` are
    further witnesses by name, of items or sets that fewer people hold: they are not for the manifest, nor for anybody who does not ask.
    """

    claim: str
    holds: bool
    achieved: dict[str, Any]
    witnesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    unchecked: str = ""
    rare: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For the manifest and for `--json`."""
        return {
            "model": self.claim,
            "holds": None if self.unchecked else self.holds,
            "achieved": self.achieved,
            **({"unchecked": self.unchecked} if self.unchecked else {}),
            **({"witnesses": list(self.witnesses)} if self.witnesses else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


class Model(Declared, ABC):
    """A promise that can be checked. `protects` and `does_not_protect` say in plain words what it is worth.

    `judges` are the kinds of tables that the model knows how to judge.
    """

    protects: ClassVar[str]
    does_not_protect: ClassVar[str]
    must_tell: ClassVar[tuple[str, ...]] = ("name", "protects", "does_not_protect")
    judges: ClassVar[frozenset[str]] = frozenset({"bags"})

    @final
    def check(self, release: Release, original: AnyOriginal | None = None) -> Verdict:
        """Judge the published tables; more strictly where the original is at hand, in whose vocabulary they are then read."""
        if not release.kinds <= self.judges:
            raise ParameterError(f"{self.name} is about tables of {_and(self.judges)}, and this release holds {_and(release.kinds)}")
        return self.judge(release if original is None else original.aligned(release), original)

    @abstractmethod
    def judge(self, release: Release, original: Any) -> Verdict:
        """The judgement on a release of such tables, in the vocabulary of the original, or None where that is not at hand."""

    def keeps(self, promise: Declared) -> bool:
        """Whether this claim, made of a release, is what its method promised.

        Items that a promise names may be named anew in terms of what is published; everything else must be the same.
        """
        if type(self) is not type(promise):
            return False
        mine, theirs = self.values(), promise.values()
        items = {name for values in (mine, theirs) for name, value in values.items() if isinstance(value, Items)}
        same = all(mine[name] == theirs[name] for name in mine if name not in items)
        return same and (not items or any(mine[name] is not None for name in items))


def _and(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


MODELS: Table[type[Model]] = Table(
    "model",
    {
        "k-anonymity": "shoal.privacy.k_anonymity:KAnonymity",
        "sensitive-share": "shoal.privacy.sensitive:SensitiveShare",
        "vocabulary-k-anonymity": "shoal.privacy.vocabulary:VocabularyKAnonymity",
        "coherence": "shoal.privacy.coherence:Coherence",
        "public-k-anonymity": "shoal.privacy.public_part:PublicKAnonymity",
        "shared-terms": "shoal.privacy.shared_terms:SharedTerms",
    },
)
