"""The experiments of the ARES report and of SSC: their statements follow from numbers, the report's own among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.queries import clicked_log
from shoal.data.original import AccessOriginal
from shoal.evaluate.reproduce import ares_documents, ares_queries, ares_sites, ssc
from shoal.evaluate.reproduce.ares_clusters import UserClusters
from shoal.evaluate.reproduce.ares_documents import KS, PUBLISHED
from shoal.evaluate.reproduce.experiment_page import PaperFinding
from shoal.metrics.browsers import use_before
from shoal.metrics.clusterings import rand_index
from shoal.synthetic.accesslog import AGENTS, AccessLog
from shoal.taxonomy.place_documents import document_vectors

# Table 2.2 of the report: SSE and SSA for k = 2 to 10.
SSE = {
    50: (4.938, 11.407, 15.693, 20.404, 23.072, 25.109, 27.034, 28.529, 31.670),
    100: (4.936, 12.049, 16.647, 21.070, 24.516, 26.712, 27.662, 30.107, 31.455),
}
SSA = {
    50: (30.929, 21.390, 21.556, 11.890, 17.372, 11.332, 8.986, 10.085, 5.680),
    100: (37.119, 29.733, 22.759, 19.157, 18.336, 18.981, 16.101, 11.657, 10.857),
}


def verdicts(found: object) -> dict[str, bool | None]:
    return {f"{one.place}: {one.statement}": one.agrees for one in found if isinstance(one, PaperFinding)}  # type: ignore[attr-defined]


def document_rows(*, turned: bool) -> list[dict]:
    rows = []
    for terms in PUBLISHED:
        for i, k in enumerate(KS):
            at = len(KS) - 1 - i if turned else i
            within, between = SSE[terms][at], SSA[terms][at]
            loss = PUBLISHED[150 - terms if turned else terms][at]
            total = (within + between) * (1.5 if turned else 1.0)
            rows.append({"terms": terms, "k": k, "SSE": within, "SSA": between, "SSA + SSE": within + between, "SST": total, "L %": loss})
    return rows


def test_table_2_2_of_the_report_is_what_it_says_but_for_two_k() -> None:
    """50 terms lose more than 100 at every k but 4 and 6."""
    told = verdicts(ares_documents.findings(document_rows(turned=False)))
    assert [says for says, agrees in told.items() if not agrees] == ["Figure 2.1: 50 terms lose more than 100"]


def test_the_table_turned_round_differs_in_every_statement() -> None:
    assert not any(verdicts(ares_documents.findings(document_rows(turned=True))).values())


def test_l_is_the_share_of_the_printed_sums_but_for_one_misprint() -> None:
    """The report prints 58.560 for k = 7 and 100 terms."""
    for terms, line in PUBLISHED.items():
        for i, loss in enumerate(line):
            assert 100 * SSE[terms][i] / (SSE[terms][i] + SSA[terms][i]) == pytest.approx(loss, abs=0.02)


def site_rows(sessions: dict[str, float], spread: float) -> list[dict]:
    """Counts of sessions by site and way at every k, and shares of two browsers that move by `spread`."""
    rows = []
    for site in ares_sites.PAGES:
        for way in ares_sites.WAYS:
            for i, k in enumerate((1, *ares_sites.KS)):
                common = {"site": site, "way": way, "data": f"{site}, {way}", "k": k}
                count = 100.0 * (1.0 if k == 1 else sessions[f"{site}, {way}"])
                rows.append({**common, "browser": "all", "what": "sessions", "count": count})
                rows += [{**common, "browser": name, "sessions %": 50 + sign * spread * (i % 2)} for name, sign in (("a", 1), ("b", -1))]
    return rows


def test_statements_on_sites() -> None:
    plain, kept = ares_sites.WAYS
    names = [f"{site}, {way}" for site in ares_sites.PAGES for way in (plain, kept)]
    good = site_rows(dict(zip(names, (1.05, 1.0, 1.6, 1.1), strict=True)), spread=3.0)
    bad = site_rows(dict(zip(names, (0.5, 1.0, 0.7, 0.5), strict=True)), spread=9.0)
    assert all(verdicts(ares_sites.findings(good)).values())
    assert not any(verdicts(ares_sites.findings(bad)).values())


def test_the_regression_coefficient_is_the_slope_of_the_least_squares() -> None:
    """By hand: levels 1, 2, 6 have the mean 3, so b = (-2 * 5 - 1 * 3 + 3 * 1) / (4 + 1 + 9)."""
    assert ares_sites.regression_coefficient((1, 2, 6), (5.0, 3.0, 1.0)) == pytest.approx(-10 / 14)
    assert ares_sites.regression_coefficient((1, 3, 6, 12), [2 - 0.25 * k for k in (1, 3, 6, 12)]) == pytest.approx(-0.25)
    levels, line = (1, *ares_sites.KS), (4.0, 1.0, 3.0, 3.5, 0.5, 2.0)
    assert ares_sites.regression_coefficient(levels, line) == pytest.approx(np.polyfit(levels, line, 1)[0])


def test_terms_with_and_without_words_that_wordnet_lacks() -> None:
    """Two terms each. The first text has two nouns only; in the second an unknown word replaces a noun, so one of three is common."""
    texts = pl.Series(["house house boat", "house house qyzzy qyzzy qyzzy boat"])
    some, every = (document_vectors(texts, np.arange(2), 2, unknown).vectors for unknown in ("drop", "keep"))
    assert ares_documents.mean_jaccard(some, every) == pytest.approx((1 + 1 / 3) / 2)
    assert ares_documents.mean_jaccard(some, some) == 1


def test_statements_on_query_logs() -> None:
    def told(moved: float, index: dict[str, tuple[float, ...]], kept: float) -> dict[str, bool | None]:
        frequencies = [
            {"of": what, "k": k, "rank": rank, "frequency %": 2.0 + (0 if k == 1 else moved)}
            for what in ("queries", "words")
            for k in (1, 3)
            for rank in (" 1", " 2", " 3")
        ]
        rows = [
            {"index": name, "clusters": n, "masked": masked, "index value": value}
            for name in ("Rand", "Jaccard")
            for masked, line in index.items()
            for n, value in zip((2, 10, 50), line, strict=True)
        ]
        return verdicts(ares_queries.findings(frequencies, rows, [{"k": 3, "queries": kept, "words": kept}]))

    good = told(0.1, {"k = 3": (0.5, 0.8, 0.95), "k = 50": (0.42, 0.76, 0.94)}, 1.0)
    bad = told(-2.0, {"k = 3": (0.9, 0.8, 0.7), "k = 50": (0.85, 0.6, 0.2)}, 0.5)
    assert all(good.values()), good
    assert not any(bad.values()), bad


def test_people_are_clustered_by_the_user_distance() -> None:
    """Two kinds of people who share no word: two clusters are the two kinds, and the same people give the same clusters."""
    rows = [(i, j, f"{kind} {j} {i % 3}", None, None) for i in range(12) for kind in [("rain", "piano")[i % 2]] for j in range(3)]
    found = UserClusters(clicked_log(rows), 6)
    kinds, labels = found.owners % 2, found.labels(2)
    assert rand_index(kinds, labels) == 1.0
    assert rand_index(kinds, found.labels(6)) < 1.0
    assert len(np.unique(found.labels(6))) == 6


def test_clusters_begin_at_given_people() -> None:
    """Three kinds of people: centres at one of each find the kinds; two centres at people who ask the same are one cluster."""
    rows = [(i, j, f"{kind} {j}", None, None) for i in range(12) for kind in [("rain", "piano", "yacht")[i % 3]] for j in range(3)]
    log = clicked_log(rows)
    found = UserClusters(log, 3, [4, 2, 0])
    assert rand_index(found.owners % 3, found.labels(3)) == 1.0
    assert found.different == 3
    assert len(np.unique(UserClusters(log, 3, [0, 3, 1]).labels(3))) == 2


def test_statements_on_ssc() -> None:
    def told(mine: float, rival: float, left: int, suppressed: float) -> dict[str, bool | None]:
        lines = ((ssc.PRINTED, mine), (ssc.WIDER, mine), (ssc.LG, rival))
        rows = [
            {"k": k, "method": name, "blm_subtree": loss, "blm_distinct": loss, "sdist": loss, "recall": 1 - loss}
            for k in ssc.KS
            for name, loss in lines
        ]
        return verdicts(ssc.findings(rows, {"different terms": 181, "general terms after LG": left}, suppressed))

    assert all(told(0.3, 0.8, 21, 0.95).values())
    assert not any(told(0.8, 0.3, 100, 0.5).values())


def test_a_made_up_site_is_a_log_of_sessions() -> None:
    log = AccessLog(clicks=2_000, pages=10).log(1)
    assert 1_500 <= len(log) <= 2_500
    frame = log.frame
    assert frame["time"].is_sorted()
    assert frame["payload"].n_unique() <= 10
    assert frame.group_by("visitor").agg(n=frame["agent"].n_unique()).height == frame["visitor"].n_unique()
    assert frame["agent"].is_in(list(AGENTS)).all()
    use = use_before(AccessOriginal(log))
    assert np.isclose(use.n_sessions, len(log) / 5, rtol=0.35)
    assert len(use.clicks) == len(AGENTS)


def test_a_made_up_site_has_the_requested_traffic_and_pauses() -> None:
    plain, made = (AccessLog(clicks=3_000, pages=10, session_clicks=30, **more).log(1).frame for more in ({}, QUICK))
    hours = (made["time"].max() - made["time"].min()).total_seconds() / 3600  # type: ignore[operator]
    assert len(made) / hours == pytest.approx(50, rel=0.3)
    in_session = made.sort("visitor", "time")["time"].diff().dt.total_seconds().to_numpy()[1:]
    assert np.mean(in_session[(in_session >= 0) & (in_session <= 1_800)]) == pytest.approx(6, rel=0.5)
    for frame, networks in ((plain, 1), (made, 20)):
        assert frame["address"].str.split(".").list.first().n_unique() >= networks
        assert frame["address"].n_unique() == frame["visitor"].n_unique()
    assert plain["address"].str.starts_with("10.").all()
    assert sorted(plain["payload"]) == sorted(made["payload"])


QUICK: dict[str, Any] = {"pause": 6.0, "clicks_per_hour": 50.0, "scattered": True}


def test_with_a_session_variable_the_experiment_counts_sessions_by_it() -> None:
    """No session is split, so there are at most as many as before; by the timeout there are more."""
    original = AccessOriginal(ares_sites.made_up_site(ares_sites.LARGE_SITE, 600).log(0))
    steps = ares_sites.ExperimentProgress("access logs", 1)
    for way, most in zip(ares_sites.WAYS, (np.inf, 1.0), strict=True):
        rows = ares_sites.over_k(ares_sites.LARGE_SITE, way, original, steps)
        counts = [row["count"] for row in rows if row.get("what") == "sessions"]
        assert len(counts) == 1 + len(ares_sites.KS)
        assert max(counts[1:]) <= most * counts[0]


def test_sessions_of_a_made_up_site_can_all_have_the_same_length() -> None:
    frame = AccessLog(clicks=600, pages=10, session_clicks=60, even=True, **QUICK).log(2).frame
    lengths = frame.group_by("visitor").len()["len"]
    assert frame.height == 600
    assert (lengths % 60 == 0).all()
