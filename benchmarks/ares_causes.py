"""Why some statements of the ARES report are not seen in `shoal reproduce ares`: one factor is changed at a time.

    python benchmarks/ares_causes.py sessions [--clicks 3000] [--seed 0]   Figures 3.1, 3.3 and 3.5
    python benchmarks/ares_causes.py browsers [--clicks 1000 5000 15000]   Figure 3.2 and Table 3.1
    python benchmarks/ares_causes.py words [--users 1000] [--topics 200 1]  Figures 3.6 and 3.7
    python benchmarks/ares_causes.py clusters [--users 600]                Figures 3.8 and 3.9

Each prints a table of docs/papers.md. Generated data only.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from common import show
from shoal.data.log import HALF_AN_HOUR, Log
from shoal.data.original import AccessOriginal, LogOriginal
from shoal.evaluate.reproduce.ares_clusters import UserClusters
from shoal.evaluate.reproduce.ares_queries import masked_log
from shoal.evaluate.reproduce.ares_sites import KS as SITE_KS
from shoal.evaluate.reproduce.ares_sites import LARGE_SITE, SMALL_SITE, made_up_site, regression_coefficient
from shoal.evaluate.reproduce.inputs import generated
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.methods.accesslog_mdav import AccessLogMDAV
from shoal.methods.user_microaggregation import UserMicroaggregation
from shoal.metrics.browsers import BrowserUse, use_after, use_before, use_by_session_variable
from shoal.metrics.clusterings import jaccard_index, pair_counts, rand_index
from shoal.metrics.log_rows import TOP, overlap, shares, texts_of, words
from shoal.microaggregation.blocks import mdav_in_blocks
from shoal.microaggregation.visit_space import SESSION, Visits, VisitSpace, address_nodes, sessions_of
from shoal.pipeline.contract import made_by
from shoal.synthetic.accesslog import PAUSE, AccessLog
from shoal.synthetic.querylog import QueryLog

BY_MOST = {"session": True, "weight_session": 0.0}  # a group has the address of most of its rows, and the distance is the same
LARGER_KS = (50, 75, 100)
MIDDLE = {"middle": True}  # no parameter of the method: see `_with_middle_time`


# -- sessions


def sessions(clicks: int, seed: int) -> None:
    """Sessions after masking for one before, found by address, agent and timeout, and by the session variable."""
    rows = []
    for site in (SMALL_SITE, LARGE_SITE):
        now = made_up_site(site, clicks)
        before = replace(now, pause=PAUSE, clicks_per_hour=None, scattered=False)
        sites: Mapping[str, AccessLog] = {
            "one network, 90 s between clicks, two weeks": before,
            "as before, traffic of the report": replace(before, clicks_per_hour=now.clicks_per_hour),
            "as before, 7 s between clicks": replace(before, pause=now.pause),
            "as before, addresses of all networks": replace(before, scattered=True),
            "all three, as in reproduce": now,
        }
        rows += [_sessions_row(site, name, AccessOriginal(made.log(seed)), {}) for name, made in sites.items()]
        original = AccessOriginal(now.log(seed))
        in_half_hours = {"weight_time": _span(original) / HALF_AN_HOUR}
        rules: Mapping[str, dict[str, Any]] = {
            "(1) pages and referrers not compared": {"weight_page": 0.0, "weight_referrer": 0.0},
            "(2) time in half hours": in_half_hours,
            "(3) address of most rows": BY_MOST,
            "(4) middle time of a group": MIDDLE,
            "(2) and (3)": in_half_hours | BY_MOST,
            "(3) and (4)": BY_MOST | MIDDLE,
            "(2), (3) and (4)": in_half_hours | BY_MOST | MIDDLE,
        }
        rows += [_sessions_row(site, name, original, rule) for name, rule in rules.items()]
        for length in (60, 50):
            even = AccessOriginal(replace(now, session_clicks=length, even=True).log(seed))
            rows.append(_sessions_row(site, f"(5) all sessions of {length} clicks", even, {}))
            rows.append(_sessions_row(site, f"(2) and (5) with {length} clicks", even, in_half_hours))
            rows.append(_sessions_row(site, f"(5) with {length} clicks, by variable", even, {"session": True}, by_variable=True))
        rows.append(_sessions_row(site, "session variable, by timeout", original, {"session": True}))
        rows.append(_sessions_row(site, "session variable, by that variable", original, {"session": True}, by_variable=True))
    show(f"sessions after masking for one before; sites of {clicks:,} clicks, seed {seed}", rows)


def _span(original: AccessOriginal) -> timedelta:
    times = original.log.frame["time"]
    return times.max() - times.min()  # type: ignore[operator, return-value]


def _sessions_row(site: str, name: str, original: AccessOriginal, rule: Mapping[str, Any], *, by_variable: bool = False) -> dict[str, Any]:
    before = use_before(original).n_sessions
    row: dict[str, Any] = {"site": site, "changed": name, "sessions": before}
    for k in SITE_KS:
        found = _with_middle_time(original, k, rule) if "middle" in rule else _use(original, k, rule, by_variable=by_variable).n_sessions
        row[f"k = {k}"] = f"{found / before:.2f}"
    return row


def _with_middle_time(original: AccessOriginal, k: int, rule: Mapping[str, Any]) -> int:
    """Sessions if the rows of a group are published at the time of its middle row instead of the mean of all, else as the method does."""
    method = AccessLogMDAV(k=k, min_owners=1, per="row", **{name: value for name, value in rule.items() if name != "middle"})
    visits = Visits.of(original.log.frame, "row", HALF_AN_HOUR)
    group = mdav_in_blocks(VisitSpace(visits, method.weights), np.arange(len(visits)), k, len(visits))
    rows = visits.frame.sort("unit").with_columns(group=pl.Series(group)).sort("group", "time")
    held = rows.group_by("group", maintain_order=True).agg(
        "address", pl.col("agent", SESSION).mode().sort().first(), time=pl.col("time").get(pl.len() // 2)
    )
    if method.session:
        address = held[SESSION].cast(pl.String)
    else:
        nodes = [[set(address_nodes(one)) for one in addresses] for addresses in held["address"].to_list()]
        address = pl.Series([max(set.intersection(*sets), key=len, default="") for sets in nodes])
    visitor = pl.select(pl.struct(address.alias("address"), held["agent"]).rank("dense")).to_series()
    return sessions_of(visitor, held["time"], HALF_AN_HOUR).n_unique()


def _use(original: AccessOriginal, k: int, rule: Mapping[str, Any], *, by_variable: bool = False) -> BrowserUse:
    release = made_by(AccessLogMDAV(k=k, min_owners=1, per="row", block=len(original.log), **rule), original)
    return (use_by_session_variable if by_variable else use_after)(release)


def browsers(sizes: Sequence[int], seed: int) -> None:
    """The greatest standard deviation and regression coefficient of a browser's share of the sessions, by the size of the site."""
    rows = []
    for site in (SMALL_SITE, LARGE_SITE):
        for clicks in sizes:
            original = AccessOriginal(made_up_site(site, clicks).log(seed))
            by_time = {"weight_time": _span(original) / HALF_AN_HOUR} | BY_MOST
            for name, rule in (("as in reproduce", {}), ("time in half hours, address of most rows", by_time)):
                rows.append({"site": site, "changed": name, "clicks": len(original.log)} | _spread(original, rule))
    show(f"use of browsers per session: greatest values of a browser, seed {seed}", rows)


def _spread(original: AccessOriginal, rule: Mapping[str, Any]) -> dict[str, Any]:
    """The standard deviation and the coefficient for the k of the experiment, and the coefficient for larger ones as well."""
    levels = (1, *SITE_KS, *LARGER_KS)
    uses = [use_before(original), *(_use(original, k, rule) for k in levels[1:])]
    lines = [[100 * use.sessions.get(name, 0) / use.n_sessions for use in uses] for name in uses[0].sessions]
    near = len(levels) - len(LARGER_KS)
    spread = max(float(np.std(line[:near], ddof=1)) for line in lines)
    slopes = [max(abs(regression_coefficient(levels[:n], line[:n])) for line in lines) for n in (near, len(levels))]
    facts = {"sessions": uses[0].n_sessions, "standard deviation %": f"{spread:.1f}"}
    return facts | {f"coefficient % to k = {k}": f"{slope:.3f}" for k, slope in zip((SITE_KS[-1], LARGER_KS[-1]), slopes, strict=True)}


# -- words


QUERY_KS = (3, 5, 10, 20, 30, 50)
TOPICS = (200, 20, 5, 2, 1)


def frequent_words(users: int, seed: int, of_topics: Sequence[int]) -> None:
    """How many of the ten most frequent queries and words stay, by how frequent they are; fewer topics make them more frequent."""
    rows = []
    for topics in of_topics:
        original = LogOriginal(generated_log(users, seed, topics))
        row: dict[str, Any] = {"topics": topics}
        kept: dict[str, list[str]] = {"queries": [], "words": [], "words lost": []}
        for k in QUERY_KS:
            before, after = texts_of(made_by(UserMicroaggregation(k=k, min_owners=1), original), original)
            if k == QUERY_KS[0]:
                counted = list(shares(words(before)).values())
                row |= {"first word %": f"{100 * counted[0]:.2f}", "tenth word, times": round(counted[TOP - 1] * len(words(before)))}
            kept["queries"].append(f"{TOP * overlap(before, after):.0f}")
            kept["words"].append(f"{TOP * overlap(words(before), words(after)):.0f}")
            found = shares(words(after))
            kept["words lost"].append(str(sum(word not in found for word in list(shares(words(before)))[:TOP])))
        rows.append(row | {name: ", ".join(values) for name, values in kept.items()})
    show(f"of the ten most frequent, for k = {', '.join(map(str, QUERY_KS))}; {users:,} people, seed {seed}", rows)


def generated_log(users: int, seed: int, topics: int = 200, nouns: float = 21.0) -> Log:
    rows = generated(QueryLog(users=users, seed=seed, topics=topics, nouns_per_user=nouns))
    found = read(rows, ReadOptions(needs_clicks=True, needs_times=True)).data
    assert isinstance(found, Log)
    return found


# -- clusterings


KEPT = 0.8
CLUSTER_KS = (3, 6, 30)
KAPPAS = (2, 5, 10, 20, 50, 100)


def clusters(users: int, seed: int) -> None:
    """Indices of Rand and Jaccard by the number of clusters: for starts and rounds of k-means, and for people who come in kinds."""
    plain = generated_log(users, seed)
    rows = _indices("as generated", plain, seed)
    rows += _indices("k-means from the same people", plain, seed, same_starts=True)
    rows += _indices("30 rounds of k-means", plain, seed, rounds=30)
    rows += _indices("2 nouns for each person", generated_log(users, seed, nouns=2.0), seed)
    for kinds in (20, 100):
        rows += _indices(f"{kinds} kinds of people", of_kinds(generated_log(kinds, seed), users // kinds, KEPT, seed), seed)
    show(f"indices for {', '.join(map(str, KAPPAS))} clusters; {users:,} people, seed {seed}", rows)


def of_kinds(base: Log, copies: int, kept: float, seed: int) -> Log:
    """People who are alike: copies of each person, of whom each keeps this share of the rows, drawn for each copy, and at least one."""
    chance = np.random.default_rng(seed)
    parts = []
    for copy in range(copies):
        rows = base.frame.with_columns(drawn=pl.Series(chance.random(len(base.frame))))
        chosen = rows.filter((pl.col("drawn") < kept) | (pl.col("drawn") == pl.col("drawn").min().over("owner")))
        parts.append(chosen.drop("drawn").with_columns(owner=pl.col("owner") * copies + copy))
    return Log(pl.concat(parts), base.kind)


def _indices(name: str, log: Log, seed: int, *, same_starts: bool = False, rounds: int = 3) -> list[dict[str, Any]]:
    """One row for each k, and one for the original clustered again from other starts (nothing masked)."""
    original, most = LogOriginal(log), max(KAPPAS)
    people = np.unique(log.frame["owner"].to_numpy())
    chance = np.random.default_rng(seed)
    drawn = [int(people[i]) for i in chance.permutation(len(people))[:most]]
    before = UserClusters(log, most, drawn if same_starts else None, rounds)
    labels = {kappa: before.labels(kappa) for kappa in KAPPAS}
    other = [int(people[i]) for i in chance.permutation(len(people))[:most]]
    again = UserClusters(log, most, other, rounds)
    rows = [_index_row(name, "nothing masked, other starts", [(labels[n], again.labels(n)) for n in KAPPAS], before.different)]
    for k in CLUSTER_KS:
        release = made_by(UserMicroaggregation(k=k, min_owners=1), original)
        assert release.secret is not None
        pseudonym = dict(zip(people.tolist(), release.secret.rows().tolist(), strict=True))
        after = UserClusters(masked_log(release, log), most, [pseudonym[one] for one in drawn] if same_starts else None, rounds)
        place = {owner: i for i, owner in enumerate(after.owners.tolist())}
        order = [place[pseudonym[one]] for one in before.owners.tolist()]
        rows.append(_index_row(name, f"k = {k}", [(labels[n], after.labels(n)[order]) for n in KAPPAS], after.different))
    return rows


def _index_row(name: str, masked: str, pairs: Sequence[tuple[Any, Any]], different: int) -> dict[str, Any]:
    row: dict[str, Any] = {"changed": name, "masked": masked, "different": different}
    for title, formula in (("Rand", rand_index), ("Jaccard", jaccard_index), ("Jaccard with i = i", _jaccard_of_a_matrix)):
        row[title] = ", ".join(f"{formula(*pair):.2f}" for pair in pairs)
    return row | {"largest %": ", ".join(f"{100 * np.bincount(before).max() / len(before):.0f}" for before, _ in pairs)}


def _jaccard_of_a_matrix(left: Any, right: Any) -> float:
    """Jaccard's index of the matrices of who is together with whom, in which everybody is together with themselves."""
    both, first, second, _ = pair_counts(left, right)
    return (2 * both + len(left)) / (2 * (both + first + second) + len(left))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("sessions", "browsers", "words", "clusters"))
    parser.add_argument("--clicks", type=int, nargs="+", help="clicks of each made-up site")
    parser.add_argument("--users", type=int, help="people in the generated log")
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS, help="topics of the generated log")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.part == "sessions":
        sessions((options.clicks or [3_000])[0], options.seed)
    elif options.part == "browsers":
        browsers(options.clicks or [1_000, 5_000, 15_000], options.seed)
    elif options.part == "words":
        frequent_words(options.users or 1_000, options.seed, options.topics)
    else:
        clusters(options.users or 600, options.seed)


if __name__ == "__main__":
    main()
