"""Changes that keep more words after a poor release: smaller records, or other routes of the table of decisions (`routes`).

Each change is tried on a sample before it is proposed (`trial`), and is shown with what it keeps and with the share of people who are found
by an attacker who knows four of their items. A change that lets more people be found than 1 in k is not proposed, however many are found
in the release at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.attacks.outcome import ROUNDING
from shoal.data.log import Per
from shoal.data.original import Original
from shoal.evaluate.advise.forecast import Measured
from shoal.evaluate.advise.goals import DataFacts, fitting_goals
from shoal.evaluate.advise.routes import Candidate, candidates_for
from shoal.evaluate.advise.trial import TIME_IS_UP, TOO_LONG, Route, all_measured
from shoal.methods import METHODS, Method
from shoal.pipeline.claims import protected
from shoal.pipeline.options import PATHS
from shoal.pipeline.prepare import Prepared
from shoal.util.wording import counted, percent

LOG = "log"
OF_RECORDS = ("per", "gap", "record", "count", "taxonomy", "terms", "min_support")  # options without effect if rows of a log are published
OF_TAXONOMIES = ("node_loss", "unknown", "tree", "floor")  # options without effect if names stay as typed
LATE = "could not be tried in the time there was: `shoal advise` takes longer"
FEWEST = 5  # people behind every record, where the method names no number
GOALS_OF_RECORDS = ("baskets", "queries", "histories")
SMALLER: dict[Per, tuple[Per, ...]] = {"user": ("session", "event"), "session": ("event",), "record": ("event",), "event": ()}


@dataclass(frozen=True)
class Change:
    """Options to change, and what is then protected: `without` are options to leave out, `label` names the release."""

    why: str
    label: str
    options: Mapping[str, str]
    settings: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()


def changes(prepared: Prepared, method: Method) -> list[Change]:
    """Return the changes that may keep more words: coarser items, smaller records, and the candidates of all goals that fit the data."""
    if not isinstance(prepared.original, Original):
        return []
    facts = _facts(prepared)
    goals = [goal.name for goal in fitting_goals(facts) if goal.name in GOALS_OF_RECORDS]
    found = [one for goal in goals for one in candidates_for(goal, facts, taxonomy_chosen=True)]  # the release's own
    made = [change for one in found if (change := _change(one, prepared, method)) is not None]
    unique = {change.label: change for change in reversed([*_coarser_items(prepared), *_smaller_records(prepared), *made])}
    return list(reversed(unique.values()))


def _facts(prepared: Prepared) -> DataFacts:
    """Return the facts about prepared data, which is no longer available as it was read."""
    reading, original = prepared.reading, prepared.records
    return DataFacts(
        format="transactions" if reading is None or not reading.format else reading.format,
        people=original.n_owners,
        rows=len(original.bags),
        items=len(original.bags.vocabulary),
        timed=reading is not None and reading.timed,
        texts=reading is not None and "text" in reading.roles,
        urls=prepared.preparation.taxonomy == PATHS,
    )


def _smaller_records(prepared: Prepared) -> Iterator[Change]:
    """Yield changes to smaller records, of which more are alike: sessions if there are times, events if there is a log."""
    reading = prepared.reading
    possible: dict[Per, bool] = {
        "session": reading is not None and reading.timed,
        "event": reading is not None and reading.format != "transactions",
    }
    for per in SMALLER[prepared.preparation.per]:
        if possible[per]:
            yield Change(protected(per), per, {"per": per}, without=() if per == "session" else ("gap", "record"))


def _coarser_items(prepared: Prepared) -> Iterator[Change]:
    """Yield changes to coarser levels of the product table, whose items more people share."""
    if prepared.items is None:
        return
    catalogue = prepared.items.catalogue
    for level in catalogue.rungs[catalogue.rungs.index(catalogue.level) + 1 :]:
        yield Change(f"items are published by their {level}", f"by-{re.sub(r'[^a-zA-Z0-9]+', '-', str(level))}", {"item_level": str(level)})


def _change(one: Candidate, prepared: Prepared, method: Method) -> Change | None:
    """Return a candidate as a change of the present release; None if it is that release or cannot process such records."""
    if one.method == method.name:
        return None
    made = METHODS[one.method](**{name: _number(value) for name, value in one.settings.items()})
    if made.needs_taxonomy and not prepared.records.on_taxonomy:
        return None
    without = ("bound", *(() if "bags" in made.takes else ("bag",)), *(() if made.needs_taxonomy else OF_TAXONOMIES))
    without += OF_RECORDS if LOG in made.takes else ()
    if one.options.get("per", prepared.preparation.per) != prepared.preparation.per and one.options.get("per") != "session":
        without += ("gap", "record")
    label = "-".join([one.method, *one.options.values(), *(f"{key}{value}" for key, value in one.settings.items())])
    return Change(one.protects, label, {"method": one.method, **one.options}, dict(one.settings), without)


def _number(value: str) -> int | str:
    return int(value) if value.isdigit() else value


@dataclass(frozen=True)
class TriedChange:
    """A change, its options as typed, and its result on a sample."""

    change: Change
    text: str
    found: Measured

    @property
    def worth(self) -> str:
        """What the change keeps, and the share of people an attacker finds."""
        assert self.found.expected_kept is not None
        return f"keeps {percent(self.found.expected_kept)}; {_finds(self.found)}"


@dataclass(frozen=True)
class ProposedChanges:
    """Changes that keep more words: those that let no more people be found than `limit`, and those that do.

    `untried` is how many could not be measured, `late` how many were not for lack of time. `present` is the release at hand, measured on
    the same sample.
    """

    present: Measured
    proposed: tuple[TriedChange, ...]
    risky: tuple[TriedChange, ...]
    untried: int
    late: int
    limit: float

    @property
    def measured_on(self) -> str:
        """The sample of the measurement, and the result of the present release on it."""
        tried = [self.present, *(one.found for one in (*self.proposed, *self.risky))]
        whom = f"all {counted(self.present.people, 'person', 'people')}"
        if not all(one.whole for one in tried):
            fewest = counted(min(one.people for one in tried), "person", "people")
            whom = f"samples of {fewest} or more, and extrapolated to all people"
        return f"measured on {whom}; this release {_kept(self.present)}"

    @property
    def heading(self) -> str:
        """The introduction to the proposed changes."""
        return f"alternatives that keep more, and what each protects ({self.measured_on}):"

    @property
    def notes(self) -> list[str]:
        """The changes that are not proposed, and why."""
        lines = [f"  {one.change.label}: {one.worth}" for one in self.risky]
        risky = [f"not proposed, because an attacker would find more than {percent(self.limit)} of the people:", *lines] if lines else []
        rest = ((self.untried, "could not be measured"), (self.late, LATE))
        return risky + [f"{counted(number, 'other change')} {why}" for number, why in rest if number]


def advice_on(data: Any, people: int, present: Route, options: Sequence[tuple[Change, str, Route]], seconds: float) -> ProposedChanges:
    """Try changes one after the other on a sample of the data, which has this many people, and return those worth proposing."""
    here, *tried = all_measured(data, [present, *(route for _, _, route in options)], people, seconds)
    found = [TriedChange(change, text, one) for (change, text, _), one in zip(options, tried, strict=True)]
    known = [one for one in found if one.found.expected_kept is not None and one.found.expected is not None]
    k = present.method.values().get("k", FEWEST)
    limit = 1 / k
    better = [one for one in known if (one.found.expected_kept or 0.0) > (here.expected_kept or 0.0)]
    safe, risky = ([one for one in better if _acceptable(one, limit) is acceptable] for acceptable in (True, False))
    late = sum(one.found.why_not in {TIME_IS_UP, TOO_LONG} for one in found)
    return ProposedChanges(here, tuple(safe), tuple(risky), len(found) - len(known) - late, late, limit)


def _acceptable(one: TriedChange, limit: float) -> bool:
    return one.found.expected is not None and one.found.expected <= limit * (1 + ROUNDING)


def _kept(found: Measured) -> str:
    kept = "could not be measured" if found.expected_kept is None else f"keeps {percent(found.expected_kept)}"
    return kept if found.expected is None else f"{kept}, and {_finds(found)}"


def _finds(found: Measured) -> str:
    """Return the share of people found; for a sample, the forecast for all people."""
    assert found.expected is not None
    about = "" if found.whole else "about "
    return f"an attacker who knows {found.known()} finds {about}{percent(found.expected)} of the people"
