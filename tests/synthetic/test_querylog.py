import gzip
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from shoal.io.synthetic_log import generate
from shoal.synthetic.query_blocks import TABLE_6_1, GeneratedFacts
from shoal.synthetic.querylog import QueryLog
from shoal.taxonomy.wordnet import wordnet
from shoal.text.terms import terms_of

COLUMNS = ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]
USERS = 5_000


def read(path: Path) -> pl.DataFrame:
    frame = pl.read_csv(path, separator="\t", quote_char=None, schema_overrides={"Query": pl.String})
    return frame.with_columns(pl.col("QueryTime").str.to_datetime("%Y-%m-%d %H:%M:%S"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GeneratedFacts]:
    path = tmp_path_factory.mktemp("log") / "queries.tsv"
    return path, generate(path, USERS, seed=7)


@pytest.fixture(scope="module")
def log(made: tuple[Path, GeneratedFacts]) -> pl.DataFrame:
    return read(made[0])


@pytest.fixture(scope="module")
def queries(log: pl.DataFrame) -> pl.DataFrame:
    return log.unique(["AnonID", "Query", "QueryTime"], maintain_order=True)


@pytest.fixture(scope="module")
def words(queries: pl.DataFrame) -> pl.DataFrame:
    """One row per term occurrence: user, term, node (-1 for strangers)."""
    terms = terms_of(queries["Query"])
    nodes = wordnet().nodes(terms.vocabulary.names)
    user = np.repeat(queries["AnonID"].to_numpy(), np.diff(terms.indptr))
    return pl.DataFrame({"user": user, "term": terms.items, "node": nodes[terms.items]})


def test_format(made: tuple[Path, GeneratedFacts], log: pl.DataFrame) -> None:
    path, facts = made
    assert path.read_bytes().startswith(b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n")
    assert log.columns == COLUMNS
    assert all(line.count(b"\t") == 4 for line in path.read_bytes().splitlines())
    assert log.null_count().row(0)[:3] == (0, 0, 0)
    assert (log["ItemRank"].is_null() == log["ClickURL"].is_null()).all()
    assert not log["Query"].str.contains(r"^\s|\s$|\s\s|[^ -~]").any()
    clicked = log.drop_nulls()
    assert clicked["ItemRank"].min() == 1
    assert clicked["ClickURL"].str.contains(r"^http://www\.[a-z0-9]+\.(com|org|net)$").all()
    assert facts.rows == len(log)
    assert facts.clicks == len(clicked)


def test_sorted_by_user_and_time(log: pl.DataFrame) -> None:
    assert log.select("AnonID", "QueryTime").equals(log.select("AnonID", "QueryTime").sort("AnonID", "QueryTime"))
    assert log["QueryTime"].min() >= datetime(2006, 3, 1)
    assert log["QueryTime"].max() < datetime(2006, 6, 1)


def test_facts_count_users_and_queries(made: tuple[Path, GeneratedFacts], queries: pl.DataFrame) -> None:
    facts = made[1]
    assert facts.users == USERS == queries["AnonID"].n_unique()
    assert facts.queries == len(queries)


def test_nouns_per_user(made: tuple[Path, GeneratedFacts], words: pl.DataFrame) -> None:
    nouns = words.filter(pl.col("node") >= 0).unique(["user", "node"])
    per_user = nouns.group_by("user").len()["len"]
    assert 20 <= per_user.mean() <= 22
    assert len(per_user) == USERS
    # Through our own tokens and morphology comes back exactly what was put in.
    assert len(nouns) == made[1].nouns
    # Long-tailed: the mean lies well above the median, and some users have many times as much.
    assert per_user.median() < 0.75 * per_user.mean()
    assert per_user.max() > 8 * per_user.mean()


def test_share_of_strangers(words: pl.DataFrame) -> None:
    assert 0.31 <= (words["node"] < 0).mean() <= 0.39
    terms = words.unique("term")
    assert 0.35 <= (terms["node"] < 0).mean() <= 0.65


def test_terms_are_zipfian(words: pl.DataFrame) -> None:
    known = words.filter(pl.col("node") >= 0)["node"].value_counts(sort=True)["count"].to_numpy()
    share = np.cumsum(known) / known.sum()
    assert share[99] > 0.15
    assert share[len(share) // 2] > 0.85
    assert (known == 1).mean() > 0.1


def test_users_of_a_topic_share_words(words: pl.DataFrame) -> None:
    """Two nouns of one user are nearer in the tree than nouns of two users."""
    tree = wordnet()
    nouns = words.filter(pl.col("node") >= 0).unique(["user", "node"], maintain_order=True).sort("user", maintain_order=True)
    node, user = nouns["node"].to_numpy(), nouns["user"].to_numpy()
    other = np.random.default_rng(0).permutation(len(node))

    def related(left: np.ndarray, right: np.ndarray) -> float:
        low, high = np.minimum(left, right), np.maximum(left, right)
        near = low.copy()
        for _ in range(3):
            near = np.where(tree.depth[near] > 5, tree.parent[near], near)
        return float(((tree.depth[near] >= 5) & (high < tree.end[near])).mean())

    together = user[1:] == user[:-1]
    within = related(node[:-1][together], node[1:][together])
    across = related(node, node[other])
    assert within > 2 * across


def test_sessions_follow_the_thirty_minute_rule(queries: pl.DataFrame) -> None:
    gaps = queries.select(pl.col("QueryTime").diff().over("AnonID").dt.total_seconds()).to_series().drop_nulls()
    assert not gaps.is_between(25 * 60, 30 * 60, closed="none").any()
    assert gaps.min() > 0
    inside = (gaps <= 30 * 60).mean()
    assert 0.4 < inside < 0.9
    hours = queries["QueryTime"].dt.hour().value_counts().sort("QueryTime")["count"]
    assert hours[20] > 3 * hours[4]


def test_queries_are_repeated_and_refined(queries: pl.DataFrame) -> None:
    repeated = queries.is_duplicated() | queries.select("AnonID", "Query").is_duplicated()
    assert repeated.mean() > 0.3
    before = queries.with_columns(previous=pl.col("Query").shift(1).over("AnonID"))
    longer = before.filter(pl.col("Query").str.starts_with(pl.col("previous") + " "))
    assert len(longer) > 0.03 * len(queries)


def test_clicks(log: pl.DataFrame) -> None:
    assert 0.4 < log["ItemRank"].is_not_null().mean() < 0.7
    ranks = log["ItemRank"].drop_nulls()
    assert (ranks == 1).mean() > 0.3
    several = log.group_by("AnonID", "Query", "QueryTime").agg(pl.col("ItemRank")).filter(pl.col("ItemRank").list.len() > 1)
    assert len(several) > 0.05 * len(log)
    assert (several["ItemRank"].list.n_unique() == several["ItemRank"].list.len()).all()


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    logs = [tmp_path / "a.tsv", tmp_path / "b.tsv", tmp_path / "c.tsv"]
    for path, seed in zip(logs, (3, 3, 4), strict=True):
        generate(path, 300, seed)
    assert logs[0].read_bytes() == logs[1].read_bytes()
    assert logs[0].read_bytes() != logs[2].read_bytes()


def test_a_larger_log_begins_with_the_smaller(tmp_path: Path) -> None:
    generate(tmp_path / "small.tsv", 2_500, 1)
    generate(tmp_path / "large.tsv", 4_500, 1)
    small, large = (tmp_path / "small.tsv").read_bytes(), (tmp_path / "large.tsv").read_bytes()
    assert large.startswith(small)


def test_gzip_by_name(tmp_path: Path) -> None:
    generate(tmp_path / "log.tsv", 50)
    generate(tmp_path / "log.tsv.gz", 50)
    generate(tmp_path / "again.tsv.gz", 50)
    packed = (tmp_path / "log.tsv.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "log.tsv").read_bytes()
    assert packed == (tmp_path / "again.tsv.gz").read_bytes()


@pytest.mark.parametrize(("nouns", "unknown"), [(5.0, 0.0), (60.0, 0.6)])
def test_other_numbers(tmp_path: Path, nouns: float, unknown: float) -> None:
    path = tmp_path / "log.tsv"
    facts = generate(path, 1_500, nouns_per_user=nouns, unknown=unknown, topics=30)
    assert facts.nouns / facts.users == pytest.approx(nouns, rel=0.15)
    terms = terms_of(read(path).unique(["AnonID", "Query", "QueryTime"])["Query"])
    strange = wordnet().nodes(terms.vocabulary.names)[terms.items] < 0
    assert strange.mean() == pytest.approx(unknown, abs=0.06)


def test_early_people_of_the_thesis_have_most_nouns(tmp_path: Path) -> None:
    facts = {like: generate(tmp_path / like, 1_000, seed=7, like=like) for like in ("even", "thesis")}
    assert facts["even"].nouns / 1_000 == pytest.approx(21, rel=0.1)
    assert facts["thesis"].nouns / 1_000 == pytest.approx(21 * 52.5 / 20.93, rel=0.1)


def test_the_numbers_of_nouns_give_the_densities_of_the_thesis() -> None:
    """Table 6.1, in percent, with 53,058 users of 20.93 nouns and the number of leaves that this implies within its rounding."""
    ends = [*(first for first, _ in TABLE_6_1[1:]), 53_058]
    total, start = 0.0, 0
    for (_, nouns), end, density in zip(TABLE_6_1, ends, (0.28, 0.25, 0.20, 0.16, 0.14, 0.11), strict=True):
        total, start = total + nouns * (end - start), end
        assert round(100 * total / end / 18_600, 2) == density
    assert total / 53_058 == pytest.approx(20.93, abs=0.05)


def test_one_user(tmp_path: Path) -> None:
    facts = generate(tmp_path / "one.tsv", 1, nouns_per_user=1.0)
    assert (facts.users, facts.nouns) == (1, 1)
    assert read(tmp_path / "one.tsv")["AnonID"].n_unique() == 1


def test_progress_ends_at_the_whole(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    generate(tmp_path / "log.tsv", 2_100, progress=lambda *told: seen.append(told))
    assert [(done, total) for _, done, total in seen] == [(2_048, 2_100), (2_100, 2_100)]


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "log.tsv"
    path.write_text("mine")
    with refuses("output-exists"):
        generate(path, 5)
    assert path.read_text() == "mine"
    generate(path, 5, force=True)
    assert path.read_text().startswith("AnonID")


def test_nothing_is_left_of_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "log.tsv", 5, progress=fail)
    monkeypatch.setattr(QueryLog, "blocks", fail)
    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "log.tsv.gz", 5)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with refuses("no-such-directory"):
        generate(tmp_path / "nowhere" / "log.tsv", 5)
    with refuses("unknown-output-format"):
        generate(tmp_path / "log.tsv.zst", 5)


def test_parameters_are_checked() -> None:
    with refuses("out-of-range", value=0, limit=1):
        QueryLog(users=0)
    with refuses("out-of-range", value=1.0, limit=0.9):
        QueryLog(unknown=1.0)
    assert [p.name for p in QueryLog.parameters()] == ["users", "seed", "nouns_per_user", "like", "topics", "unknown"]
