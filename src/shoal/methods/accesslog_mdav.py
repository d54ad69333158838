"""Microaggregation of web access logs (Navarro-Arribas and Torra, NAFIPS 2009; Internet Research 20(3), 2010).

Units (users, sessions, or single rows as in the paper) are grouped by MDAV on a weighted sum of the distances of their fields; every unit
of a group is published as the same representative rows, under a separate address. Guarantee: k users behind every published profile. Units
are compared inside blocks of similar ones: O(n * block / k) distances of n units.

Deviations: the paper compares all rows with one another, in a time that grows with the square of their number; here that is done up to
`block` units. The paper masks single rows, of which k may belong to one person (`per=row`); here units are users or sessions. A page, a
referrer or an agent that fewer than `min_owners` users of the group have is generalized, whereas the paper's plurality would publish it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np
import polars as pl

from shoal.data.accounting import changed
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.durations import Duration
from shoal.data.original import AccessOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.errors import ParameterError, option
from shoal.methods import Method
from shoal.methods.bases.release_builder import at_most_k_owners, build_row_release
from shoal.microaggregation.access_profiles import Visit, representative
from shoal.microaggregation.blocks import mdav_in_blocks
from shoal.microaggregation.visit_space import NODES, NUMBERS, SESSION, Visits, VisitSpace, address_nodes
from shoal.parameters import param
from shoal.privacy.access_k_anonymity import AccessKAnonymity

ACCESS = "access"  # the name of the published table
AGGREGATED = "microaggregated"
WEAK = "per row: k rows are identical, but all of them may belong to one person; nothing is guaranteed about people"
_VISIT = ("unit", SESSION, "owner", "start", "time", "page", "method", "protocol", "status", "size", "referrer", "agent")


@dataclass(frozen=True)
class AccessLogMDAV(Method):
    """Groups visitors with similar behaviour and publishes the same requests for each member of a group, as an access log."""

    name = "accesslog-mdav"
    paper = "Navarro-Arribas and Torra, NAFIPS 2009; Internet Research 20(3), 2010"
    takes = frozenset({"access log"})
    publishes = "access log"
    worth_comparing = True
    fates = {AGGREGATED: "changed"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of people per published profile")
    per: str = param(
        "owner", choices=("owner", "session", "row"), help="what to group: all rows of a person, sessions, or single rows as in the paper"
    )
    min_owners: int = param(2, minimum=1, help="minimum number of group members who share each published page, referrer and user agent")
    block: int = param(2048, minimum=1, help="maximum number of people, sessions or rows per block; groups are formed within blocks")
    gap: Duration = param(Duration("30m"), help="inactivity that ends a session")
    session: bool = param(
        False,
        help="with per=row: reduce the distance between rows of one session, and give a group the address of its most frequent session",
    )
    weight_time: float = param(1.0, minimum=0, help="weight of the time in the distance")
    weight_address: float = param(1.0, minimum=0, help="weight of the address")
    weight_page: float = param(1.0, minimum=0, help="weight of the page")
    weight_referrer: float = param(1.0, minimum=0, help="weight of the referrer")
    weight_agent: float = param(2.0, minimum=0, help="weight of browser and operating system")
    weight_method: float = param(1.0, minimum=0, help="weight of HTTP method and protocol, half each")
    weight_status: float = param(1.0, minimum=0, help="weight of the status code")
    weight_size: float = param(1.0, minimum=0, help="weight of the response size")
    weight_session: float = param(8.0, minimum=0, help="weight of the session, with session=yes")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most_k_owners(self.min_owners, self.k)
        if self.session and self.per != "row":
            raise ParameterError(
                f"the session variable is for per=row: sessions stay whole per {self.per}",
                code="option-not-applicable",
                hint=f"leave {option('session')} out",
            )
        if not any(self.weights.values()):
            raise ParameterError("all weights are zero", code="all-weights-zero", hint="at least one field must count")

    @property
    def needs_taxonomy(self) -> bool:
        """False: paths have their own taxonomy."""
        return False

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each field in the distance."""
        half = self.weight_method / 2
        others = {"method": half, "protocol": half, SESSION: self.weight_session if self.session else 0.0}
        return {name: others[name] if name in others else getattr(self, f"weight_{name}") for name in (*NODES, *NUMBERS)}

    def claims(self) -> tuple[Model, ...]:
        """Claim k users behind every profile, and min_owners behind every value."""
        return (AccessKAnonymity(k=self.k, per=self.per, min_owners=self.min_owners, gap=self.gap),)

    def apply(self, original: AccessOriginal) -> Release:
        """Group the units, and publish the representative of its group for each."""
        rows = original.log.frame
        visits = Visits.of(rows, self.per, self.gap.span)  # type: ignore[arg-type]
        counted = np.arange(len(visits)) if self.per == "row" else visits.owners
        group = mdav_in_blocks(VisitSpace(visits, self.weights), counted, self.k, self.block)
        frame, first = self._published(visits, group)
        notes = (WEAK,) if self.per == "row" else ()
        release = build_row_release(self, len(rows), {ACCESS: AccessTable(frame)}, {AGGREGATED: changed(len(rows))}, None, notes)
        return replace(release, secret=Secret(first[visits.frame["unit"].to_numpy()]))

    def _published(self, visits: Visits, group: Ints) -> tuple[pl.DataFrame, Ints]:
        """Return the published rows, and the first of them for each unit."""
        first, parts, n, addresses = np.zeros(len(visits), np.int64), [], 0, _Addresses(visits, self.session)
        for members, rows in _members(visits, group, by_row=self.per == "row"):
            profile = representative(rows, self.min_owners, self.gap.span)
            shared = addresses.of_group(members) if self.per == "row" else None
            for unit in members:
                first[unit] = n
                parts += [(unit if shared is None else shared, *row) for row in profile]
                n += len(profile)
        frame = pl.DataFrame(parts, schema=SCHEMA, orient="row")
        if visits.frame["agent"].null_count() == len(visits.frame):  # the common format
            frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in ("referrer", "agent"))
        return frame, first


def _members(visits: Visits, group: Ints, *, by_row: bool) -> Iterator[tuple[list[int], list[Visit]]]:
    """Return the units of each group, and all their rows. If rows are grouped, each counts as a user and as a session."""
    frame = visits.frame.with_columns(pl.col("unit").alias("owner"), pl.col("unit").alias(SESSION)) if by_row else visits.frame
    visited_rows = frame.with_columns(
        pl.col("time").min().over(SESSION).alias("start"),
        pl.col("referrer", "agent").fill_null("-"),
        group=pl.Series(group).gather(frame["unit"]),
    )
    ordered = visited_rows.sort("group", "unit", "time", *_VISIT[5:]).select("group", *_VISIT)
    for _, rows in groupby(ordered.iter_rows(), key=itemgetter(0)):
        visited = [Visit(*row[1:]) for row in rows]
        yield list(dict.fromkeys(visit.unit for visit in visited)), visited


class _Addresses:
    """Numbers of published addresses if rows are grouped: that of the session with most rows, or the common prefix."""

    def __init__(self, visits: Visits, by_session: bool) -> None:
        frame = visits.frame.sort("unit")
        self._sessions = frame[SESSION].to_list() if by_session else None
        nodes = {address: frozenset(address_nodes(address)) for address in frame["address"].unique().to_list()}
        self._nodes = [nodes[address] for address in frame["address"].to_list()]
        self._known: dict[object, int] = {}

    def of_group(self, rows: Sequence[int]) -> int:
        """Return the address of a group of rows."""
        key: object
        if self._sessions is not None:
            key = min(Counter(self._sessions[row] for row in rows).items(), key=lambda found: (-found[1], found[0]))[0]
        else:
            key = frozenset.intersection(*(self._nodes[row] for row in rows))
        return self._known.setdefault(key, len(self._known))
