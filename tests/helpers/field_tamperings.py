"""Tamperings with the fields of published tables: what is done, how an audit of the files ends, and one with the original."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from helpers.field_edits import (
    addresses_in_order,
    by_number,
    column,
    columns_in,
    declared,
    everywhere,
    first_cell,
    first_weight,
    in_order,
    json_lines,
    kept_too,
    line,
    lines,
    mapped,
    most_frequent,
    numbers,
    people,
    renumbered,
    shuffled_addresses,
    table,
    table_key,
    topic,
    towns_turned,
    twice,
    without,
)
from helpers.tampering import drop, together
from helpers.tamperings import REPRINTED, Caught, Tamper, damaged


@dataclass(frozen=True)
class Named:
    """The audit passes, and names this field as not checked."""

    field: str


@dataclass(frozen=True)
class Tampering:
    """An edit of the release of this name; how an audit ends without the original, and with it where that is different."""

    release: str
    tamper: Tamper
    alone: Caught | Named
    beside: Caught | Named | None = None

    @property
    def with_original(self) -> Caught | Named:
        return self.alone if self.beside is None else self.beside


CLUSTERED = ("chunks_subrecords", "chunks_terms", "chunks_clusters")  # files with numbers of clusters
NUMBERS = "are not the whole numbers from 1 on, each used"
ORDER = "does not have the columns that its kind and the method prescribe"
AUTH, AGENT = r"- - \[", r'"[^"]*"$'
COUNTS = {"query": "text", "count": "integer"}


def no_claim(name: str) -> Caught:
    return Caught(f"no claim covers '{name}'")


def beside(name: str) -> Caught:
    return Caught(f"'{name}' is not covered by any claim")


TAMPERINGS: dict[str, Tampering] = {
    # access logs: every field
    "users": Tampering("access", by_number(AUTH, lambda i: f"- ann{i} ["), no_claim("authuser")),
    "users in the common format": Tampering("common", by_number(AUTH, lambda i: f"- ann{i} ["), no_claim("authuser")),
    "one user for all": Tampering("access", line(AUTH, "- ann ["), no_claim("authuser")),
    "one user in one line": Tampering("access", by_number(AUTH, lambda i: "- ann [" if i == 7 else "- - ["), no_claim("authuser")),
    "identities": Tampering("access", by_number(AUTH, lambda i: f"id{i} - ["), no_claim("ident")),
    "identities in the common format": Tampering("common", by_number(AUTH, lambda i: f"id{i % 3} - ["), no_claim("ident")),
    "both": Tampering("common", by_number(AUTH, lambda i: f"id{i} ann{i} ["), no_claim("authuser")),
    "a user with a blank": Tampering("access", line(AUTH, "- ann lee ["), no_claim("authuser")),
    "time zones": Tampering("access", by_number(r"\+0000", lambda i: f"+0{i % 10}00"), no_claim("time zone")),
    "agents": Tampering("access", by_number(AGENT, lambda i: f'"ann{i}"'), Caught("profiles have fewer than 3 addresses")),
    "one agent for all": Tampering("access", line(AGENT, '"ann"'), Named("agent"), Caught("values of agent are published")),
    "one referrer for all": Tampering(
        "access", line(r'"http[^"]*"', '"http://ann.org/"'), Named("referrer"), Caught("values of referrer are published")
    ),
    "referrers": Tampering("access", by_number(r'"http[^"]*"', lambda i: f'"http://{i}.org/"'), Caught("profiles have fewer than 3")),
    "a query string": Tampering("access", line(r"index\.html", "index.html?u=ann"), Named("page"), Caught("values of page are published")),
    "query strings": Tampering("access", by_number(r"index\.html", lambda i: f"index.html?u={i}"), Caught("profiles have fewer than 3")),
    "another page": Tampering("common", line(r"/shop/\d+/", "/ann/"), Named("page"), Caught("values of page are published")),
    "another method": Tampering("access", line('"GET ', '"ANN '), Named("method"), Caught("values of method are published")),
    "methods": Tampering("access", by_number('"GET ', lambda i: f'"GET{i} '), Caught("profiles have fewer than 3")),
    "another protocol": Tampering("access", line(r"HTTP/1\.0", "HTTP/7.8"), Named("protocol"), Caught("values of protocol are published")),
    "protocols": Tampering("access", by_number(r"HTTP/1\.\d", lambda i: f"HTTP/{i % 9}.{i % 7}"), Caught("profiles have fewer than 3")),
    "a request that is none": Tampering(
        "access", line(r'"(GET|POST)[^"]*"', '"ann"'), Named("page"), Caught("values of page are published")
    ),
    "another status": Tampering("access", line(r'" 404 ', '" 478 '), Named("status"), Caught("values of status are published")),
    "statuses": Tampering("access", by_number(r'" \d{3} ', lambda i: f'" {200 + i % 300} '), Caught("profiles have fewer than 3")),
    "another size": Tampering("access", line(r" 500 ", " 78051120 "), Named("size"), Caught("values of size lie outside the range")),
    "a size within the range": Tampering("common", line(r" 500$", " 507"), Named("size"), REPRINTED),
    "sizes": Tampering("common", by_number(r" \d+$", lambda i: f" {i}"), Caught("profiles have fewer than 3")),
    "another year": Tampering("access", line("May/2015", "May/1978"), Named("time"), Caught("values of time lie outside the range")),
    "seconds": Tampering("access", by_number(r":\d\d \+", lambda i: f":{i % 60:02} +"), Caught("profiles have fewer than 3")),
    "real addresses": Tampering("access", line(r"^10\.0\.0\.", "192.0.2."), no_claim("address")),
    "host names": Tampering("access", line(r"^10\.0\.0\.(\d+)", r"host\1.example.org"), no_claim("address")),
    "random addresses": Tampering("access", lines(shuffled_addresses), no_claim("address")),
    "addresses from 0": Tampering("access", line(r"^10\.0\.0\.90 ", "10.0.0.0 "), no_claim("address")),
    "padded addresses": Tampering("access", line(r"^10\.0\.0\.", "10.0.000."), no_claim("address")),
    "addresses in the original's order": Tampering(
        "access", lines(addresses_in_order), Named("the published addresses"), Caught("the published addresses follow")
    ),
    "a field more in a line": Tampering("access", line(r"$", ' "ann"'), damaged("lines that are not lines of an access log")),
    "a field more before the line": Tampering("common", line(r"^", "ann "), no_claim("address")),
    "both formats": Tampering(
        "access",
        lines(lambda every: [re.sub(' "[^"]*" "[^"]*"$', "", every[0]), *every[1:]]),
        damaged("lines in the common and in the combined format"),
    ),
    "lines in another order": Tampering("access", lines(lambda every: every[::-1]), Caught("not in the order of their times")),
    # counts with noise: columns
    "names before the counts": Tampering("counts", column(people, 1), no_claim("name")),
    "names before the queries": Tampering("counts", column(people, 0), no_claim("name")),
    "names after the counts": Tampering("counts", column(people, 2), no_claim("name")),
    "numbers of people": Tampering("counts", column(lambda i: i + 1, 0, "rank", type="integer"), no_claim("rank")),
    "URLs beside counts": Tampering("counts", column(lambda i: f"http://{i}.org", 1, "url"), no_claim("url")),
    "names beside clicks": Tampering("clicks", column(people, 1, file="clicks"), no_claim("name")),
    "names beside the counts of clicks": Tampering("clicks", column(people, 1, file="counts"), no_claim("name")),
    "names beside pairs": Tampering("pairs", column(people, 2), no_claim("name")),
    "the query again as a term": Tampering("counts", column(lambda i: f"w{i}", 1, "term"), no_claim("term")),
    "counts before queries": Tampering("counts", columns_in(["count", "query"]), Caught(ORDER)),
    "pairs the other way round": Tampering("pairs", columns_in(["second", "first", "count"]), Caught(ORDER)),
    "columns in an order that is not declared": Tampering(
        "counts", table(lambda frame: frame.select("count", "query")), damaged("has other columns than those declared, or in another order")
    ),
    "counts with fractions": Tampering(
        "counts",
        together(mapped("count", lambda value: f"{value}.078"), declared({"query": "text", "count": "number"})),
        Caught("are not whole numbers"),
    ),
    "counts as text": Tampering(
        "counts", together(mapped("count", lambda _: "ann"), declared({"query": "text", "count": "text"})), damaged("a number called count")
    ),
    "another count": Tampering("counts", mapped("count", lambda value: str(int(value) + 1)), Named("count"), REPRINTED),
    "a query that nobody asked": Tampering("counts", first_cell("query", "ann lee"), Named("query"), Caught("not in the original")),
    "another URL after a query": Tampering(
        "clicks",
        table(lambda frame: frame.with_columns(pl.Series("url", frame["url"].to_list()[1:] + frame["url"].to_list()[:1])), "clicks"),
        Named("url"),
        Caught("never together in the original"),
    ),
    "other pairs of words": Tampering(
        "pairs",
        table(lambda frame: frame.with_columns(pl.Series("second", frame["second"].to_list()[1:] + frame["second"].to_list()[:1]))),
        Named("second"),
        Caught("never together in the original"),
    ),
    # rows of a log
    "the original's names": Tampering("linked", mapped("user", lambda value: str(int(value) + 1000)), Caught(NUMBERS)),
    "pseudonyms from 0": Tampering("linked", mapped("user", lambda value: str(int(value) - 1)), Caught(NUMBERS)),
    "pseudonyms with a gap": Tampering("linked", everywhere("user", "90", "91"), Caught(NUMBERS)),
    "the original's numbers": Tampering("linked", renumbered("user", "query"), Named("the pseudonyms"), Caught("the pseudonyms follow")),
    "the original's numbers backwards": Tampering(
        "linked", renumbered("user", "query", key=lambda text: -topic(text)), Named("the pseudonyms"), Caught("the pseudonyms follow")
    ),
    "names in a column of rows": Tampering("linked", column(people, 4), beside("name")),
    "names before the queries of rows": Tampering("linked", column(people, 2), beside("name")),
    "ranks that were not asked for": Tampering("linked", column(lambda i: i + 5, 3, "rank", type="integer"), beside("rank")),
    "columns of rows in another order": Tampering("linked", columns_in(["time", "user", "query", "url"]), Caught(ORDER)),
    "pseudonyms that the manifest does not name": Tampering(
        "unlinked", column(lambda i: i % 90 + 1, 0, "user", type="integer"), beside("user")
    ),
    "times that were not asked for": Tampering("unlinked", column(lambda i: f"2006-03-0{i % 9 + 1} 00:00:00", 0, "time"), beside("time")),
    "a number of the row": Tampering("queries", column(lambda i: i + 1, 0, "row", type="integer"), beside("row")),
    "names beside queries": Tampering("queries", column(people, 1), beside("name")),
    "a URL that nobody clicked": Tampering(
        "unlinked", most_frequent("url", "http://ann.org"), Named("url"), Caught("no row of the original")
    ),
    "another day": Tampering(
        "linked",
        mapped("time", lambda value: value.replace("2006-03-01", "1978-03-01") if isinstance(value, str) else value),
        Named("time"),
        Caught("no row of the original"),
    ),
    "rows in the original's order": Tampering("unlinked", in_order("query"), Named("query"), Caught("the published rows follow")),
    "queries in the original's order": Tampering("queries", in_order("query"), Named("query"), Caught("the published rows follow")),
    "a key twice": Tampering("unlinked", twice, damaged("has a key twice")),
    "a key that the manifest does not name": Tampering(
        "unlinked", json_lines(lambda i, row: {**row, "name": f"ann{i}"}), damaged("has other columns than those declared")
    ),
    # histories
    "names in histories": Tampering("profiles", column(people, 5), no_claim("name")),
    "one name in all histories": Tampering("profiles", column(lambda _: "ann", 5), no_claim("name")),
    "names in histories in Parquet": Tampering("histories", column(lambda _: "ann", 1), no_claim("name")),
    "histories under the original's names": Tampering("profiles", mapped("user", lambda value: str(int(value) + 1000)), Caught(NUMBERS)),
    "histories from 0": Tampering("histories", mapped("user", lambda value: value - 1), Caught(NUMBERS)),
    "histories in the original's order": Tampering(
        "profiles", renumbered("user", "query"), Named("the pseudonyms"), Caught("the pseudonyms follow")
    ),
    "histories in the original's order in Parquet": Tampering(
        "histories", renumbered("user", "query"), Named("the pseudonyms"), Caught("the pseudonyms follow")
    ),
    "columns of histories in another order": Tampering("profiles", columns_in(["user", "query", "time", "rank", "url"]), Caught(ORDER)),
    "histories without times": Tampering("profiles", without("time"), Named("query"), REPRINTED),
    "another time of a query": Tampering(
        "profiles",
        mapped("time", lambda value: value.replace("2006-03-01", "1978-05-11") if value else value),
        Named("time"),
        Caught("published values of 'time' lie outside the range"),
    ),
    "another rank of a click": Tampering(
        "profiles",
        mapped("rank", lambda value: "78051" if value == "2" else value),
        Named("rank"),
        Caught("published values of 'rank' lie outside the range"),
    ),
    "another click after a query": Tampering(
        "histories",
        mapped("url", lambda value: "http://e.org/3" if value == "http://e.org/20" else value),
        Named("url"),
        Caught("clicks were made by nobody after the same query"),
    ),
    "a query that nobody asked, in histories": Tampering(
        "histories", most_frequent("query", "ann lee"), Named("query"), Caught("fewer than 2 people of the group")
    ),
    "one time of one history": Tampering(
        "profiles", first_cell("time", "2006-03-01 10:59:59"), Caught("have a history that fewer than 3 share")
    ),
    # groups
    "names beside items": Tampering("groups", column(people, 2, file="records_rows"), no_claim("name")),
    "names beside the numbers of groups": Tampering("groups", column(people, 1, file="records_rows"), no_claim("name")),
    "names in histograms": Tampering("groups", column(people, 2, file="records_histogram"), no_claim("name")),
    "groups from 11": Tampering("groups", numbers("group", lambda n: n + 10, "records_rows", "records_histogram"), Caught(NUMBERS)),
    "items before groups": Tampering("groups", columns_in(["items", "group"], "records_rows"), Caught(ORDER)),
    "columns of histograms in another order": Tampering(
        "groups", columns_in(["group", "count", "item"], "records_histogram"), Caught(ORDER)
    ),
    "another item in a row": Tampering("groups", first_cell("items", "ann;bob", "records_rows"), Caught("accounting.occurrences")),
    "rows of groups in the original's order": Tampering(
        "groups", in_order("items", "records_rows"), Named("group"), Caught("the published rows follow")
    ),
    "items of a row backwards": Tampering(
        "groups",
        mapped("items", lambda value: ";".join(reversed(value.split(";"))), "records_rows"),
        Caught("not in the order of their names"),
    ),
    # chunks
    "sub-records in another order": Tampering(
        "chunks", table(lambda frame: frame.reverse(), "chunks_subrecords"), Caught("part subrecords are not in the order of their numbers")
    ),
    "clusters in another order": Tampering(
        "chunks", table(lambda frame: frame.reverse(), "chunks_clusters"), Caught("part clusters are not in the order of their numbers")
    ),
    "names beside sub-records": Tampering("chunks", column(people, 4, file="chunks_subrecords"), damaged("contain no chunks")),
    "names beside clusters": Tampering("chunks", column(people, 3, file="chunks_clusters"), damaged("contain no chunks")),
    "names beside terms": Tampering("chunks", column(people, 2, file="chunks_terms"), damaged("contain no chunks")),
    "clusters from 0": Tampering("chunks", numbers("cluster", lambda n: n - 1, *CLUSTERED), Caught(NUMBERS)),
    "clusters by large numbers": Tampering("chunks", numbers("cluster", lambda n: n * 1000 + 78, *CLUSTERED), Caught(NUMBERS)),
    "joint clusters by large numbers": Tampering(
        "chunks", numbers("joint", lambda n: n + 500, "chunks_clusters", "chunks_shared"), Caught(NUMBERS)
    ),
    "chunks by large numbers": Tampering(
        "chunks", mapped("chunk", lambda value: str(int(value) + 7), "chunks_subrecords"), Caught(NUMBERS)
    ),
    "sub-records by the original's numbers": Tampering(
        "chunks", mapped("subrecord", lambda value: str(int(value) + 100), "chunks_subrecords"), Caught(NUMBERS)
    ),
    "columns of sub-records in another order": Tampering(
        "chunks", columns_in(["chunk", "cluster", "subrecord", "item"], "chunks_subrecords"), damaged("contain no chunks")
    ),
    "columns of clusters in another order": Tampering(
        "chunks", columns_in(["joint", "cluster", "records"], "chunks_clusters"), damaged("contain no chunks")
    ),
    # vectors
    "names for record numbers": Tampering("vectors", mapped("record", lambda value: f"ann{value}"), no_claim("record")),
    "record numbers from 1000": Tampering("vectors", mapped("record", lambda value: str(int(value) + 1000)), no_claim("record")),
    "record numbers backwards": Tampering("vectors", mapped("record", lambda value: str(41 - int(value))), no_claim("record")),
    "names beside vectors": Tampering("vectors", column(people, 3), damaged("has other columns than record, items, weights")),
    "vectors before numbers": Tampering("vectors", columns_in(["items", "record", "weights"]), damaged("has other columns than")),
    "larger weights": Tampering(
        "vectors",
        mapped("weights", lambda value: ";".join(str(float(one) + 5) for one in value.split(";"))),
        Named("weights"),
        Caught("published weights are not means of weights in the original"),
    ),
    "negative weights": Tampering(
        "vectors",
        mapped("weights", lambda value: ";".join(str(-float(one)) for one in value.split(";"))),
        Named("weights"),
        Caught("published weights are not means of weights in the original"),
    ),
    "a weight in one vector": Tampering("vectors", first_weight, Caught("vectors are shared by fewer than 3 records")),
    "a term that no document holds": Tampering(
        "vectors",
        mapped("items", lambda value: ";".join("car2" if one == "car" else one for one in value.split(";"))),
        Named("items"),
        Caught("represents documents of only 0 people"),
    ),
    "items of a vector backwards": Tampering(
        "vectors",
        together(
            mapped("items", lambda value: ";".join(reversed(value.split(";")))),
            mapped("weights", lambda value: ";".join(reversed(value.split(";")))),
        ),
        Caught("not in the order of their names"),
    ),
    # microdata
    "names in a column of microdata": Tampering(
        "microdata", column(people, 3), Caught("are not the columns of the files"), Caught("are not the columns of the files")
    ),
    "names in a column that is left as it is": Tampering(
        "microdata", together(column(people, 3), kept_too("name")), Named("name"), damaged("has no column 'name'")
    ),
    "another town": Tampering("microdata", everywhere("town", "town3", "ann"), Named("town"), Caught("other values in the columns")),
    "a town in another row": Tampering("microdata", table(towns_turned), Named("town"), REPRINTED),
    "another mean": Tampering("microdata", most_frequent("age", "78.05112"), Named("age"), Caught("the mean of")),
    "rows of microdata in the original's order": Tampering(
        "microdata", in_order("town"), Named("town"), Caught("the published rows follow the order of the original's rows")
    ),
    "columns of microdata in another order": Tampering(
        "microdata",
        columns_in(["town", "income", "age"]),
        Named("town"),
        Caught("the columns are not in the order of the original"),
    ),
    # records
    "names beside records": Tampering("records", column(people, 2), beside("name")),
    "a second number of the record": Tampering("records", column(lambda i: i + 1, 1, "ssn"), beside("ssn")),
    "another name of the number": Tampering("records", table(lambda frame: frame.rename({"record": "ssn"})), beside("ssn")),
    "items before numbers": Tampering(
        "records", columns_in(["items", "record"]), Caught("the columns of the records are in another order")
    ),
    "names in a long table": Tampering("long", column(people, 1), beside("name")),
    "numbers of people in a long table": Tampering("long", mapped("record", lambda value: value + 1000), beside("record")),
    "columns of a long table in another order": Tampering(
        "long", columns_in(["record", "count", "item", "level"]), Caught("the columns of the records are in another order")
    ),
    "other levels": Tampering(
        "long", mapped("level", lambda value: value + 78), Named("level"), Caught("another level than in the taxonomy")
    ),
    "levels that differ": Tampering("long", first_cell("level", 78), beside("level")),
    "names beside lists": Tampering("lists", column(people, 2), beside("name")),
    "lists in the original's order": Tampering(
        "lists",
        in_order("items", numbered="record"),
        Named("the published records"),
        Caught("the published records follow the order of the original's records"),
    ),
    # releases without a guarantee
    "names beside hashed rows": Tampering("remedies", column(people, 3), beside("name")),
    "the original's names in place of tokens": Tampering("remedies", mapped("user", lambda value: f"{int(value) + 1000}"), Caught(NUMBERS)),
    "no tokens but the original's order": Tampering(
        "remedies", renumbered("user", "query"), Named("the pseudonyms"), Caught("the pseudonyms follow")
    ),
    "names beside shares": Tampering("shares", column(people, 3), beside("name")),
    "another time of a sealed query": Tampering(
        "shares",
        mapped("time", lambda value: value.replace("2006", "1978")),
        Named("time"),
        Caught("a time that no row of the original has"),
    ),
    "shares in another order": Tampering("shares", columns_in(["user", "time", "query", "y", "x"]), Caught(ORDER)),
    "no pseudonyms declared": Tampering("profiles", drop("files[0].pseudonyms"), damaged("no pseudonym column for the profiles")),
    "no pseudonyms of linked rows declared": Tampering(
        "linked", drop("files[0].pseudonyms"), Caught("is about pseudonyms, but there are none")
    ),
    "no pseudonyms of hashed rows declared": Tampering(
        "remedies",
        together(mapped("user", lambda value: str(int(value) + 1000)), drop("files[0].pseudonyms")),
        Caught("does not name the numbers in 'user' as pseudonyms"),
    ),
    "names in place of tokens": Tampering(
        "tokens", mapped("user", lambda value: f"ann{value[:3]}"), Caught("texts other than tokens of 32")
    ),
    "names beside tokens": Tampering("tokens", column(people, 1), beside("name")),
    "other pseudonyms declared": Tampering("linked", table_key("pseudonyms", "url"), damaged("are not a column of whole numbers")),
    # workbooks
    "names in a sheet of counts": Tampering("counted sheet", column(people, 1), no_claim("name")),
    "numbers in a sheet of counts": Tampering("counted sheet", column(str, 0, "row"), no_claim("row")),
    "columns of a sheet in another order": Tampering("counted sheet", columns_in(["count", "query"]), Caught(ORDER)),
    "names in a sheet of rows": Tampering("sheet", column(people, 2), beside("name")),
    "the original's names in a sheet": Tampering("sheet", mapped("user", lambda value: str(int(value) + 1000)), Caught(NUMBERS)),
    "the original's numbers in a sheet": Tampering(
        "sheet", renumbered("user", "query"), Caught("is not in canonical form"), Caught("the pseudonyms follow")
    ),
}
