"""Data from DuckDB and PostgreSQL: the release of a file with the same rows, and failures that show neither data nor passwords."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

import shoal
from helpers.cli import Answer, Shell, failed, one_line
from helpers.postgresql import PASSWORD, USER, Server, running
from shoal.cli.input_options import shown_command, typed_input
from shoal.errors import InputError, ParameterError, ShoalError
from shoal.io.read import parquet
from shoal.io.read.sql import Query

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("adbc_driver_postgresql")

COLUMNS = "'u' || (n % 50) AS \"user\", substr('MilkBeerEggsOil.', 1 + 4 * ((n * 7 + n / 50) % 4), 4) AS item"
DUCK_ROWS = f"SELECT {COLUMNS.replace('/', '//')} FROM range(400) AS t(n)"
PG_ROWS = f"SELECT {COLUMNS} FROM generate_series(0, 399) AS t(n)"
ANONYMIZE = ("--method", "km", "--k", "3", "--m", "1", "--taxonomy", "generated", "--to", "csv")
ALL = "SELECT * FROM sales"
SECRETS = (PASSWORD, USER, "wrong-canary", "shoal-pg-")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        found.run(
            f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'",
            f"CREATE TABLE sales AS {PG_ROWS}",
            f"GRANT SELECT ON sales TO {USER}",
        )
        yield found


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same sales in a database and in files."""
    place = tmp_path_factory.mktemp("stock")
    with duckdb.connect(place / "shop.db") as database:
        database.execute(f"CREATE TABLE sales AS {DUCK_ROWS}")
        database.execute(f"COPY sales TO '{place}/sales.csv'")
        database.execute(f"COPY sales TO '{place}/sales.parquet'")
    return place


@pytest.fixture
def shop(stock: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A directory with them."""
    monkeypatch.chdir(tmp_path)
    for file in stock.iterdir():
        shutil.copy(file, tmp_path)
    return Shell(tmp_path, capsys)


def records_of(shell: Shell, release: str) -> list[str]:
    return sorted(line.partition(",")[2] for line in (shell.directory / release / "records.csv").read_text().splitlines())


def quiet(answer: Answer) -> str:
    """All that a command prints, which holds no secret."""
    assert not any(secret in answer.everything for secret in SECRETS), answer
    return answer.everything


# -- the same release as from a file


def same_release(shell: Shell, sql: str, source: str) -> None:
    assert shell("anonymize", "sales.csv", *ANONYMIZE, "--out", "file").code == 0
    made = shell("anonymize", "--sql", sql, "--from", source, *ANONYMIZE, "--memory", "600M", "--out", "query")
    assert made.code == 0, made
    quiet(made)
    assert records_of(shell, "file") == records_of(shell, "query")
    told = (shell.directory / "query" / "manifest.json").read_text()
    assert json.loads(told)["input"]["origin"] == "sql"
    for file in (shell.directory / "query").iterdir():
        assert not any(secret in file.read_text(errors="replace") for secret in (*SECRETS, "SELECT", "shop.db")), file.name
    assert shell.names() >= {"file", "query", "sales.csv"}
    assert not any(name.endswith("partial") for name in shell.names())


def test_duckdb_gives_the_release_of_the_file(shop: Shell) -> None:
    before = (shop.directory / "shop.db").read_bytes()
    same_release(shop, ALL, "duckdb:shop.db")
    assert (shop.directory / "shop.db").read_bytes() == before


def test_duckdb_in_memory_reads_files_that_the_query_names(shop: Shell) -> None:
    same_release(shop, "FROM 'sales.parquet'", "duckdb:")


def test_postgresql_gives_the_release_of_the_file(shop: Shell, server: Server) -> None:
    same_release(shop, ALL + ";", server.address)


def test_the_password_may_come_from_the_environment_or_a_file(shop: Shell, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("look", "--sql", ALL, "--from", server.address_of(USER), "--json")
    monkeypatch.setenv("PGPASSFILE", str(shop.file("pgpass", f"*:*:*:*:{PASSWORD}\n")))
    (shop.directory / "pgpass").chmod(0o600)
    assert shop(*words).code == 0
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert json.loads(shop(*words).out)["people"] == 50


def test_every_command_with_data_takes_a_query(shop: Shell) -> None:
    query = ("--sql", ALL, "--from", "duckdb:shop.db")
    assert shop("anonymize", *query, *ANONYMIZE, "--out", "r").code == 0
    assert "SQL query" in shop("look", *query).out
    advised = shop("advise", *query, "--for", "baskets", "--seconds", "1")
    assert "SQL query: 400 rows" in advised.out
    assert typed_input(shoal.from_sql(ALL, "duckdb:shop.db")) == list(query)
    audited = shop("audit", "r", *query, "--json")
    assert audited.code == 0
    assert json.loads(audited.out)["holds"]
    assert shop("attack", "r", *query, "-a", "known-items", "--targets", "5").code == 0
    assert shop("measure", "r", *query, "-m", "loss").code == 0
    assert shop("bound", *query, "--taxonomy", "generated").code == 0


def test_a_query_of_microdata_and_of_documents(shop: Shell) -> None:
    rows = "SELECT n AS age, n % 7 AS children, 'text ' || n AS text FROM range(20) AS t(n)"
    table = shoal.read(shoal.from_sql(rows, "duckdb:"), format="microdata", drop="text")
    assert len(table.data) == 20
    assert shoal.read(shoal.from_sql(rows, "duckdb:"), format="documents").rows.as_dict()["used"] == 20


def test_a_part_of_a_large_query_is_read_and_all_of_it_is_counted(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 100_000)
    rows = 'SELECT n % 1000 AS "user", n % 7 AS item FROM range(800_000) AS t(n);'
    found = shoal.look(shoal.from_sql(rows, "duckdb:"))
    assert found.rows["in"] < 500_000
    assert found.part == found.rows["in"] / 800_000


def test_types_of_databases_are_read_as_text(shop: Shell, server: Server) -> None:
    column = "('00000000-0000-0000-0000-00000000000' || n % 9)::uuid"
    uuids = f"SELECT {column} AS \"user\", (n % 3)::numeric AS item, INTERVAL '1 day' AS unused FROM generate_series(1, 40) AS t(n)"
    found = shoal.read(shoal.from_sql(uuids, server.address), owners="exact")
    assert sorted(set(found.data.frame["payload"])) == ["0", "1", "2"]
    assert found.data.frame["owner"].n_unique() == 9
    with pytest.raises(InputError) as refused:
        shoal.read(shoal.from_sql(uuids, server.address), user="user", item="unused")
    assert refused.value.code in ("unsupported-column-type", "nested-values")


# -- failures


DUCK_FAILURES = {
    "no such table": ("SELECT * FROM nothing", "sql-table-missing"),
    "no variable of the program": ("SELECT * FROM sql", "sql-table-missing"),
    "no such column": ("SELECT nothing FROM sales", "sql-column-missing"),
    "no SQL": ("SELEC canary", "sql-syntax"),
    "no query": ("CREATE TABLE x (y INT)", "sql-not-a-select"),
    "writing a file": ("COPY (SELECT 1) TO 'written.csv'", "sql-not-a-select"),
    "two queries": (f"{ALL}; {ALL}", "sql-not-a-select"),
    "no such file": ("SELECT * FROM 'absent.parquet'", "sql-file-unreadable"),
    "a value": ("SELECT CAST('canary' AS INT) AS item, 1 AS user", "sql-failed"),
    "no rows": (f"{ALL} WHERE false", "empty-input"),
    "two columns of a name": ("SELECT 1 AS user, 2 AS user", "duplicate-column"),
}


def code_and_words(sql: str, source: str) -> tuple[str, str]:
    """The code of the error that a query is refused with, and all that it shows."""
    with pytest.raises(ShoalError) as refused:
        shoal.read(shoal.from_sql(sql, source))
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return refused.value.code, f"{refused.value} {refused.value.facts}"


def test_what_duckdb_refuses_is_one_line_without_data(shop: Shell) -> None:
    found = {case: code_and_words(sql, "duckdb:shop.db") for case, (sql, _) in DUCK_FAILURES.items()}
    assert {case: code for case, (code, _) in found.items()} == {case: code for case, (_, code) in DUCK_FAILURES.items()}
    assert not any("canary" in words for _, words in found.values())
    assert "written.csv" not in shop.names()
    failed(shop("look", "--sql", "SELECT * FROM nothing", "--from", "duckdb:shop.db"), "sql-table-missing")


PG_FAILURES = {
    "no such table": ("SELECT * FROM nothing", "sql-table-missing"),
    "no such column": ("SELECT nothing FROM sales", "sql-column-missing"),
    "no SQL": ("SELEC canary", "sql-syntax"),
    "writing": ("CREATE TEMP TABLE x AS SELECT 1 AS y", "sql-not-permitted"),
    "deleting": ("DELETE FROM sales RETURNING *", "sql-not-permitted"),
    "a value": ("SELECT 'canary'::int AS item, 1 AS user", "sql-failed"),
    "a value far behind": ("SELECT n AS user, 1 / (n - 300000) AS item FROM generate_series(1, 400000) AS t(n)", "sql-failed"),
}


def test_what_postgresql_refuses_is_one_line_without_data(shop: Shell, server: Server) -> None:
    found = {case: code_and_words(sql, server.address) for case, (sql, _) in PG_FAILURES.items()}
    assert {case: code for case, (code, _) in found.items()} == {case: code for case, (_, code) in PG_FAILURES.items()}
    assert not any("canary" in words for _, words in found.values())
    answer = shop("look", "--sql", "SELECT * FROM nothing", "--from", server.address)
    assert "the database does not have" in quiet(answer)
    assert answer.code == 1


def test_a_connection_that_breaks_leaves_nothing(shop: Shell, server: Server) -> None:
    """The server ends the connection when half of the rows were sent."""
    broken = (
        "SELECT n % 100 AS user, CASE WHEN n > 300000 THEN pg_terminate_backend(pg_backend_pid())::text ELSE 'x' END AS item "
        "FROM generate_series(1, 600000) AS t(n)"
    )
    before = shop.names()
    words = ("anonymize", "--sql", broken, "--from", server.address, *ANONYMIZE, "--memory", "600M", "--out", "r")
    quiet(shop(*words))
    failed(shop(*words), "database-connection-lost")
    assert shop.names() == before
    late = "SELECT n % 100 AS user, CASE WHEN n > 300000 THEN error('canary') ELSE 'x' END AS item FROM range(600000) AS t(n)"
    line = one_line(shop("anonymize", "--sql", late, "--from", "duckdb:", *ANONYMIZE, "--memory", "600M", "--out", "r"))
    assert "canary" not in line
    assert shop.names() == before


def test_a_wrong_password_is_shown_nowhere(shop: Shell, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    source = server.address_of(f"{USER}:wrong-canary")
    answer = shop("anonymize", "--sql", ALL, "--from", source, *ANONYMIZE, "--out", "r")
    quiet(answer)
    failed(answer, "database-login-refused")
    assert "r" not in shop.names()
    with caplog.at_level(logging.DEBUG), pytest.raises(InputError) as refused:
        shoal.anonymize(shoal.from_sql(ALL, source))
    assert refused.value.code == "database-login-refused"
    shown = f"{refused.value} {refused.value.hint} {refused.value.facts} {caplog.text} {shoal.from_sql(ALL, source)!r}"
    assert not any(secret in shown for secret in SECRETS)


def test_a_query_that_takes_long_is_cancelled(shop: Shell) -> None:
    cancel = shoal.Cancel()
    endless = "SELECT 'u' AS user, sum(a.range * b.range) AS item FROM range(10_000_000) AS a, range(10_000_000) AS b"
    Timer(0.2, cancel.cancel).start()
    with pytest.raises(shoal.Cancelled):
        shoal.anonymize(shoal.from_sql(endless, "duckdb:"), cancel=cancel, memory="600M")


def test_a_server_that_is_not_there(shop: Shell) -> None:
    with pytest.raises(InputError) as refused:
        shoal.read(shoal.from_sql("SELECT 1", "postgresql://u:hunter2-canary@/db?host=/nowhere"))
    assert refused.value.code == "database-not-reached"
    assert "hunter2" not in str(refused.value)


def test_commands_to_type_again_have_no_address(shop: Shell, server: Server) -> None:
    typed = [
        "shoal",
        "anonymize",
        "--sql",
        ALL,
        "--from",
        server.address,
        f"--from={server.address}",
        "--from",
        "mysql://u:hunter2-canary@h",
    ]
    assert not any(secret in shown_command(typed) for secret in SECRETS)
    assert typed_input(shoal.from_sql(ALL, server.address)) == ["--sql", ALL, "--from", "postgresql://..."]
    query = ("--sql", ALL, "--from", server.address)
    quiet(shop("advise", *query, "--for", "baskets", "--seconds", "1"))
    assert "postgresql://..." in quiet(shop("anonymize", *query, "--out", "records.csv"))


CONFLICTS = {
    "a file and a query": (("sales.csv", "--sql", ALL, "--from", "duckdb:"), "options-conflict"),
    "no database": (("--sql", ALL), "missing-argument"),
    "no query": (("--from", "duckdb:"), "missing-argument"),
    "an empty query": (("--sql", " ; ", "--from", "duckdb:"), "empty-query"),
    "another database": (("--sql", ALL, "--from", "mysql://u:hunter2-canary@h/db"), "unknown-database"),
    "no DuckDB file": (("--sql", ALL, "--from", "duckdb:sales.csv"), "not-a-duckdb-database"),
    "no file": (("--sql", ALL, "--from", "duckdb:absent.db"), "file-not-found"),
    "an encoding": (("--sql", ALL, "--from", "duckdb:", "--encoding", "latin-1"), "option-not-applicable"),
}


def test_options_that_do_not_go_together(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[str] = []
    original = ShoalError.__init__

    def noted(error: ShoalError, *arguments: object, **facts: object) -> None:
        original(error, *arguments, **facts)  # type: ignore[arg-type]
        met.append(error.code)

    monkeypatch.setattr(ShoalError, "__init__", noted)
    for words, code in CONFLICTS.values():
        assert "hunter2" not in one_line(shop("look", *words))
        assert met.pop() == code


def test_an_original_is_a_file_or_a_query(shop: Shell) -> None:
    query = ("--sql", ALL, "--from", "duckdb:shop.db")
    assert shop("anonymize", *query, *ANONYMIZE, "--out", "r").code == 0
    assert "--original and --sql" in one_line(shop("audit", "r", "--original", "sales.csv", *query))
    assert "ORIGINAL and --sql" in one_line(shop("attack", "sales.csv", "r", *query))
    assert "Missing argument" in one_line(shop("attack", "r"))
    # The options file of the release names the query, which an audit does not send unless it is typed.
    shop.file("made.toml", f'sql = "{ALL}"\nfrom = "duckdb:shop.db"\n')
    assert "original" not in shop("audit", "r", "--config", "made.toml").err


def test_a_missing_package_is_noticed_before_anything_is_read(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    line = one_line(shop("look", "--sql", ALL, "--from", "duckdb:absent.db"))
    assert "pip install 'shoal-privacy[sql]'" in line
    with pytest.raises(ParameterError) as refused:
        shoal.from_sql(ALL, "duckdb:")
    assert refused.value.code == "missing-package"
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(ParameterError):
        shoal.from_sql(ALL, "postgresql://h/d")


def test_a_query_shows_neither_its_text_nor_its_address() -> None:
    assert repr(shoal.from_sql("SELECT 'canary'", "postgresql://canary@h/d")) == "Query(place=Place(kind='PostgreSQL'))"
    assert isinstance(shoal.from_sql(ALL, "duckdb:"), Query)
