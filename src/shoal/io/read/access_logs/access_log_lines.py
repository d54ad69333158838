"""Lines of web access logs in the common and the combined format, split into fields.

A line is `address ident user [time] "request" status size`; the combined format adds `"referrer" "agent"`. Quoted fields may contain
backslash escapes, which are kept. A request that is not `method target protocol` is malformed, and kept as such.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

import polars as pl

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_LINE = rf'^(\S+) (\S+) ([^\["]+?) \[([^\]]+)\] {_QUOTED} ([1-9]\d\d) (\d{{1,18}}|-)(?: {_QUOTED} {_QUOTED})?$'
_REQUEST = r"^([A-Za-z][A-Za-z0-9_-]*) ((?:/|[A-Za-z][A-Za-z0-9+.-]*://).*?|\*|[^\s/:]+:\d+)(?: (HTTP/\d(?:\.\d)?))?$"
_FIELDS = ("address", "ident", "auth", "stamp", "request", "status", "size", "referrer", "agent")
_TIME = "%d/%b/%Y:%H:%M:%S %z"
_SOUND = re.compile(_LINE)

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN_IPV4 = rf"^(?:{_OCTET}\.){{3}}{_OCTET}$"  # canonical already, as nearly all addresses are

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
    names = {f"{i + 1}": name for i, name in enumerate(_FIELDS)}
    fields = lines.str.extract_groups(_LINE).struct.unnest().rename(names)
    parts = fields["request"].str.extract_groups(_REQUEST).struct.unnest().rename({"1": "method", "2": "page", "3": "protocol"})
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


def plain_addresses(written: pl.Series) -> pl.Series:
    """Return each address in canonical form: IPv6 in its short form, IPv4 inside IPv6 as IPv4, host names in lower case."""
    different = written.unique()
    odd = different.filter(~different.str.contains(_PLAIN_IPV4))
    return written.replace(odd, pl.Series([_plain(address) for address in odd.to_list()], dtype=pl.String))


def _plain(address: str) -> str:
    try:
        known = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return address.lower().rstrip(".")
    inside = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return str(inside or known)
