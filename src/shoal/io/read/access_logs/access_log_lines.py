"""Lines of web access logs in the common and the combined format, split into fields.

A line is `address ident user [time] "request" status size`; the combined format adds `"referrer" "agent"`. Quoted fields may contain
backslash escapes, which are kept. A request that is not `method target protocol` is malformed, and kept as such.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.data.bags import number_strings

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_LINE = rf'^(\S+) (\S+) ([^\["]+?) \[([^\]]+)\] {_QUOTED} ([1-9][0-9][0-9]) ([0-9]{{1,18}}|-)(?: {_QUOTED} {_QUOTED})?$'
_REQUEST = r"^([A-Za-z][A-Za-z0-9_-]*) ((?:/|[A-Za-z][A-Za-z0-9+.-]*://).*?|\*|[^\s/:]+:[0-9]+)(?: (HTTP/[0-9](?:\.[0-9])?))?$"
# A line of which each bracket and quotation mark has its place: nearly all lines, which need no search for the ends of their fields.
_PLAIN_LINE = r'^[^\s"\\]+ [^\s"\\\[]+ [^"\\\[\s]+ \[[^\[\]"\\]+\] "[^"\\]*" [1-9][0-9][0-9] (?:[0-9]{1,18}|-)(?: "[^"\\]*" "[^"\\]*")?$'
_FIELDS = ("address", "ident", "auth", "stamp", "request", "status", "size", "referrer", "agent")
_TIME = "%d/%b/%Y:%H:%M:%S %z"
_SOUND = re.compile(_LINE)

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN_IPV4 = rf"^(?:{_OCTET}\.){{3}}{_OCTET}$"  # canonical already, as nearly all addresses are

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)+")  # of what is no IP address: 010.1.1.1

NOT_A_LINE = "not a line of an access log"
BROKEN = "(broken request)"  # the page of a request that is none


def looks_like_access_log(lines: Sequence[str]) -> bool:
    """Whether the first line and most of the others are lines of an access log; a few may be malformed."""
    return bool(lines) and _SOUND.search(lines[0]) is not None and sum(map(_is_line, lines)) * 5 >= len(lines) * 4


def _is_line(line: str) -> bool:
    return _SOUND.search(line) is not None


def cut(lines: pl.Series) -> pl.DataFrame:
    """Split each line into fields; all are null for a malformed line, only `time` (in UTC) if it is unreadable.

    A size of `-` is null, and so are referrer and agent in the common format. The page is the target of the request with its query string.
    """
    fields = _fields(lines)
    parts = _of_requests(fields["request"])
    zoned = pl.col("stamp").str.to_datetime(_TIME, strict=False, time_unit="us")
    return fields.hstack(parts).select(
        "address",
        "ident",
        "auth",
        pl.col("stamp").str.extract(r"(\S+)$").alias("zone"),
        zoned.dt.replace_time_zone(None).alias("time"),
        pl.col("page").fill_null(BROKEN),
        "method",
        "protocol",
        "request",
        pl.col("status", "size").cast(pl.Int64, strict=False),
        "referrer",
        "agent",
    )


def _fields(lines: pl.Series) -> pl.DataFrame:
    """Return the fields of each line as text, null for a malformed line."""
    plain = lines.str.contains(_PLAIN_LINE).fill_null(False)
    if plain.all():
        return _at_marks(lines)
    names = {f"{i + 1}": name for i, name in enumerate(_FIELDS)}
    found = lines.filter(~plain).str.extract_groups(_LINE).struct.unnest().rename(names)
    order = np.argsort(np.concatenate([plain.arg_true(), (~plain).arg_true()]))
    return pl.concat([_at_marks(lines.filter(plain)), found])[order]


def _at_marks(lines: pl.Series) -> pl.DataFrame:
    """Divide plain lines at their quotation marks, brackets and blanks, which is several times as fast as capturing groups."""
    quoted = lines.str.split_exact('"', 5).struct
    before, after = quoted.field("field_0").str.split_exact(" [", 1).struct, quoted.field("field_2").str.split_exact(" ", 2).struct
    who = before.field("field_0").str.split_exact(" ", 2).struct
    columns = [who.field(f"field_{i}") for i in range(3)]
    columns += [before.field("field_1").str.strip_suffix("] "), quoted.field("field_1"), after.field("field_1"), after.field("field_2")]
    columns += [quoted.field("field_3"), quoted.field("field_5")]
    return pl.DataFrame(dict(zip(_FIELDS, columns, strict=True)))


def _of_requests(requests: pl.Series) -> pl.DataFrame:
    """Return method, page and protocol of each request, null for a broken one. Each different request is divided once."""
    different, numbers = number_strings(requests)
    found = different.str.extract_groups(_REQUEST).struct.unnest().rename({"1": "method", "2": "page", "3": "protocol"})
    places = pl.Series(numbers)
    return found.select(pl.all().gather(places.set(places < 0, None).cast(pl.UInt32)))


def plain_addresses(written: pl.Series) -> pl.Series:
    """Return each address in canonical form: IPv6 in its short form, IPv4 inside IPv6 as IPv4, host names in lower case."""
    different = written.unique()
    odd = different.filter(~different.str.contains(_PLAIN_IPV4))
    return written.replace(odd, pl.Series([_plain(address) for address in odd.to_list()], dtype=pl.String))


def _plain(address: str) -> str:
    known = _ip(address)
    if known is None:
        return address.lower().rstrip(".")
    inside = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return str(inside or known).partition("%")[0]  # without the server's own interface


def _ip(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return None


def not_addresses(written: pl.Series) -> pl.Series:
    """Return which are neither IP addresses nor host names, such as an address with a port, or one of several that a proxy lists.

    Each connection, or each virtual host, would count as a person of its own.
    """
    different = written.drop_nulls().unique()
    odd = different.filter(~different.str.contains(_PLAIN_IPV4)).to_list()
    wrong = [address for address in odd if _ip(address) is None and (_NUMBERS.fullmatch(address) or not _HOST.fullmatch(address))]
    return written.is_in(wrong).fill_null(False)


def moved_fields(fields: pl.DataFrame) -> pl.Series:
    """Return which lines have a further field in front, as with virtual hosts: where ident belongs is an address, or `-` before a user."""
    ident = fields["ident"].drop_nulls().unique()
    addresses = [name for name in ident.to_list() if _ip(name) is not None]
    return (fields["ident"].is_in(addresses) | fields["auth"].str.starts_with("- ")).fill_null(False)
