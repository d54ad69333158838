"""Claims and verdicts: the base class of privacy models, and the result of verifying a claim.

A model is an immutable object such as `KAnonymity(k=5)`. It verifies a release by what is published and knows no method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final, get_args

from shoal.data.items import Items
from shoal.data.patience import one_judgement
from shoal.errors import OutOfPatience, ParameterError
from shoal.parameters import Declared

if TYPE_CHECKING:
    from shoal.data.original import AnyOriginal
    from shoal.data.release import Release
    from shoal.data.tables import PublishedTable
    from shoal.data.tables.rows import RowTable


Standing = Literal["verified", "by construction", "fails", "not checkable", "not judged"]
Numbers = Literal["people", "words", "attacks"]
"""Exact numbers about the original that may be published next to a claim.

`people`: how many records and users were read, and how many of them are published. `words`: how many rows, items and occurrences there
were, what became of them, and everything that is computed from that (account, metrics, notes of the method, distributions in the report).
In a table with a row for each item of a person the number of rows is that of occurrences.
`attacks`: how often attacks on the original and on the release succeed.
"""
ALL_NUMBERS: frozenset[Numbers] = frozenset(get_args(Numbers))


LEAST, UP_TO = "{least}", "up to {n}"  # in sentences about a minimum and a maximum
UNITS = {
    "people": ("person", "people"),
    "records": ("record", "records"),
    "rows": ("row", "rows"),
    "pseudonyms": ("pseudonym", "pseudonyms"),
}


def verified_if(holds: bool) -> Standing:
    """Return the status of a claim that was verified from the published tables."""
    return "verified" if holds else "fails"


@dataclass(frozen=True)
class Verdict:
    """The result of verifying a claim: its status, the achieved level, violations, and notes on how it was counted.

    A claim is `verified` (counted from the published tables), holds `by construction` (a mechanism whose parameters add up), `fails`, or is
    `not checkable` with the available data: then `unchecked` gives the reason, and `holds` only means that no violation is known. A claim
    that takes too long to verify is `not judged`: `unchecked` describes how far verification got, and the claim does not hold.

    The level states what it counts: `records` as published, or the `people` behind them, who are known only while a release is made.
    Witnesses contain at most counts and published items of at least k people, never an original record or a user. `rare` are further
    witnesses by name, of items or sets that fewer people have. They are not written to the manifest, and shown only on request.
    """

    claim: str
    standing: Standing
    achieved: dict[str, Any]
    witnesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    unchecked: str = ""
    rare: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.unchecked) != (self.standing in {"not checkable", "not judged"}):
            raise ValueError("a verdict says why it is not checkable, and only then")

    @property
    def holds(self) -> bool:
        """Whether no violation is known and verification was completed."""
        return self.standing not in {"fails", "not judged"}

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values, as in the manifest."""
        return {
            "model": self.claim,
            "verdict": self.standing,
            "holds": None if self.standing == "not checkable" else self.holds,
            "achieved": self.achieved,
            **({"unchecked": self.unchecked} if self.unchecked else {}),
            **({"witnesses": list(self.witnesses)} if self.witnesses else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


class Model(Declared, ABC):
    """A privacy model: a guarantee that can be verified. `protects` and `does_not_protect` describe it, `limits` states its limits in one
    sentence.

    `judges` lists the kinds of tables that the model can verify. `safe_numbers` are the exact numbers about the original that may be
    published next to the claim, see `Numbers`; a guarantee based on noise allows none. `adds_items` states that published records may
    contain items that their people never had. `level_words` describes its levels, `level_sentences` puts them into
    sentences (see `_sentence`), and `promised_by` names the parameters that promise them. `holds_of_unions` states that the claim holds
    for the union of two sets of published records if it holds for each, so that parts of the data may be processed separately.
    """

    @property
    def group_size(self) -> int | None:
        """The guaranteed size of the smallest group of identical records, if the model guarantees one."""
        return None

    @property
    def generalized_groups(self) -> int | None:
        """The guaranteed number of people whose records a published record generalizes, if the model guarantees one."""
        return None

    @property
    def item_holders(self) -> int | None:
        """The guaranteed number of people with each published item or one below it, if the model guarantees one for all items."""
        return None

    @property
    def sensitive_items(self) -> Items | None:
        """The items that must not be inferred, if the claim names any."""
        return None

    reads_names: ClassVar[bool] = False  # whether published items are judged by their names, also such as the original does not have
    reads_items_widely: ClassVar[bool] = True  # whether a sensitive item is everything that its name may mean, not one node alone

    @property
    def needs_user_ids(self) -> bool:
        """Whether the claim names people, so that it is verified with the user IDs of the original."""
        return False

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return the upper bound on the success probability of an attack that the claim guarantees, if any.

        The test is `singling out`, `linking` or `inference`; this many items are known about a person, or (None) more than can be counted.
        `sensitive inference` is that of one of the claim's sensitive items from this many others, or (None) all others, of a record;
        `sensitive record` the same from the published record itself.
        """
        return None

    @property
    def people_per_query(self) -> int | None:
        """The guaranteed number of people who issued each published query, if the model guarantees one."""
        return None

    protects: ClassVar[str]
    does_not_protect: ClassVar[str]
    limits: ClassVar[str]
    required_texts: ClassVar[tuple[str, ...]] = ("name", "protects", "does_not_protect", "limits")
    judges: ClassVar[frozenset[str]] = frozenset({"bags"})
    safe_numbers: ClassVar[frozenset[Numbers]] = ALL_NUMBERS
    adds_items: ClassVar[bool] = False
    holds_of_unions: ClassVar[bool] = False
    level_words: ClassVar[Mapping[str, str]] = {}
    level_sentences: ClassVar[Mapping[str, str]] = {}
    promised_by: ClassVar[Mapping[str, str]] = {"records": "k", "people": "k"}

    @final
    def reached(self, achieved: Mapping[str, Any], *, holds: bool) -> str:
        """Return what a release reached, such as `every published record belongs to at least 5 people`.

        Records are left out if the claim promises as many people and these were counted. If the claim does not hold, a minimum is described
        only if it is too small.
        """
        clauses = []
        counted_twice = {"records", "people"} <= set(achieved) and self.promised_by.get("records") == self.promised_by.get("people")
        for key, text in self.level_sentences.items():
            if key not in achieved or (key == "records" and counted_twice) or (UP_TO in text and not achieved[key]):
                continue
            short = LEAST in text and not holds
            if short and achieved[key] >= (self.promised(key) or 0):
                continue
            clauses.append(_sentence(text, achieved[key], self.in_sentences, short=short))
        return "; ".join(clauses)

    def promised(self, level: str) -> Any:
        """Return the value of the parameter that promises a level; None if none does."""
        return self.values().get(self.promised_by.get(level, level))

    @property
    def in_sentences(self) -> Mapping[str, Any]:
        """Return what the sentences about levels may mention besides the level: the parameters."""
        return {name: _written(value) if type(value) in {int, float} else value for name, value in self.values().items()}

    @final
    def check(self, release: Release, original: AnyOriginal | None = None) -> Verdict:
        """Verify the published tables; more strictly with the original, in whose vocabulary they are then read.

        If that takes more work than the patience allows (see `data/patience.py`), the claim is not judged and does not hold.
        """
        if not release.kinds <= self.judges:
            raise ParameterError(
                f"{self.name} is about tables of {_and(self.judges)}, but this release has {_and(release.kinds)}",
                code="claim-not-applicable",
            )
        try:
            with one_judgement():
                return self.judge(release if original is None or self.reads_names else original.aligned(release), original)
        except OutOfPatience as stopped:
            return Verdict(str(self), "not judged", {}, unchecked=str(stopped))

    @abstractmethod
    def judge(self, release: Release, original: Any) -> Verdict:
        """Verify a release of such tables in the vocabulary of the original, which is None if not available."""

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns of published rows that this model covers: all of them by default."""
        return frozenset(table.columns)

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return the fields of a published table whose values this model cannot verify, each with what remains open ("" for everything).

        There are fewer with the original. By default a model verifies everything in its tables.
        """
        return {}

    @property
    def columns_named(self) -> tuple[str, ...] | None:
        """Return the columns that the claim names; None if it names none."""
        return None

    def keeps(self, promise: Declared) -> bool:
        """Whether this claim about a release is the one that its method guarantees.

        Items may be named differently, in terms of what is published; everything else must be equal.
        """
        if type(self) is not type(promise):
            return False
        mine, theirs = self.values(), promise.values()
        items = {name for values in (mine, theirs) for name, value in values.items() if isinstance(value, Items)}
        same = all(mine[name] == theirs[name] for name in mine if name not in items)
        return same and (not items or any(mine[name] is not None for name in items))


def _sentence(text: str, value: float, parameters: Mapping[str, Any], *, short: bool) -> str:
    """Fill in a sentence about a level: `{every} record belongs to {least} {people}`, in the other form if the value is too small."""
    shown = _written(value)
    counted_in = {unit: f"{shown} {names[0] if value == 1 else names[1]}" for unit, names in UNITS.items()}
    times = "once" if value == 1 else "twice" if value == 2 else f"{shown} times"
    forms = {"every": "an" if text.startswith("{every} e") else "a", "least": "only"} if short else {"every": "every", "least": "at least"}
    return text.format_map({**parameters, **forms, **counted_in, "times": times, "n": shown})


def _written(value: float) -> str:
    """Return a number for a sentence, with all of its digits: a bound that is rounded may be false."""
    if float(value).is_integer():
        return f"{int(value):,}"
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _and(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))
