"""Masks lines of an access log: each line becomes one line of the same format, in the same order.

Method, protocol, status and size are kept. The ident field is always removed, and so is a malformed request, because its content is
unknown.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache

import polars as pl

from shoal.io.read.access_logs.access_log_lines import BROKEN
from shoal.keyed.keys import SecretKey, token_of
from shoal.masking.options import (
    DAY,
    FAMILIES,
    HOUR,
    KEEP,
    KEYED,
    MINUTE,
    NO_ADDRESS,
    NO_HOST,
    NOTHING,
    OTHER,
    REMOVE,
    ROBOT,
    SECOND,
    TRUNCATE,
    Masking,
)

MOST_REMEMBERED = 200_000  # different addresses, users and agents
UNITS = {SECOND: "1s", MINUTE: "1m", HOUR: "1h", DAY: "1d"}
_TIME = "%d/%b/%Y:%H:%M:%S +0000"
_QUERY = r"(?i)(?:[?#;]|%3f|%23|%3b).*$"
_SIGNED_IN = r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/]*@"  # a name, and perhaps a password, in front of a host
_ROBOT = re.compile("bot|crawl|spider|slurp", re.IGNORECASE)
_ADDRESSES, _USERS = b"mask:addresses", b"mask:users"


class LineMasker:
    """Masks lines according to the options. Without a key file, a random key is used and discarded."""

    def __init__(self, options: Masking) -> None:
        self._options = options
        self._key = options.key or SecretKey.fresh()
        self._address = _remembered({TRUNCATE: self._truncated, KEYED: self._keyed, REMOVE: lambda _: NO_ADDRESS}[options.addresses])
        self._user = _remembered(self._user_token if options.users == KEYED else lambda _: NOTHING)
        self._agent = _remembered(family_of)

    def masked(self, fields: pl.DataFrame) -> pl.Series:
        """Return the masked lines. Every line has a time; lines in the common format have neither referrer nor agent."""
        common = pl.format('{} - {} [{}] "{}" {} {}', "address", "auth", "time", "request", "status", "size")
        combined = pl.format('{} "{}" "{}"', common, "referrer", "agent")
        line = pl.when(pl.col("agent").is_null()).then(common).otherwise(combined)
        return self.table(fields).select(line.alias("line")).to_series()

    def table(self, fields: pl.DataFrame) -> pl.DataFrame:
        """Return the masked fields of each line."""
        options = self._options
        return fields.select(
            _mapped(fields["address"], self._address),
            _mapped(fields["auth"], self._user),
            pl.col("time").dt.truncate(UNITS[options.times]).dt.strftime(_TIME),
            self._request(),
            "status",
            pl.col("size").cast(pl.String).fill_null(NOTHING),
            self._without_query("referrer"),
            self._agents(fields["agent"]),
        )

    def _request(self) -> pl.Expr:
        """Return method, page and protocol; empty for a malformed request."""
        protocol = pl.when(pl.col("protocol").is_null()).then(pl.lit("")).otherwise(pl.lit(" ") + pl.col("protocol"))
        whole = pl.format("{} {}{}", "method", self._without_query("page"), protocol)
        return pl.when(pl.col("page") == BROKEN).then(pl.lit(NOTHING)).otherwise(whole).alias("request")

    def _without_query(self, column: str) -> pl.Expr:
        """Return a page or referrer without a user name in front of its host, and without its query string unless that is kept."""
        place = pl.col(column).str.replace(_SIGNED_IN, "${1}")
        return place if self._options.queries == KEEP else place.str.replace(_QUERY, "")

    def _agents(self, agents: pl.Series) -> pl.Series:
        if self._options.agents == KEEP:
            return agents
        if self._options.agents == REMOVE:
            return pl.select(pl.when(agents.is_not_null()).then(pl.lit(NOTHING)).alias("agent")).to_series()
        return _mapped(agents, self._agent)

    def _truncated(self, address: str) -> str:
        """Return the network of an address; nothing for a host name, which often contains a person's name."""
        known = _parsed(address)
        if known is None:
            return NO_HOST
        bits = self._options.ipv4_bits if known.version == 4 else self._options.ipv6_bits
        return str(ipaddress.ip_network(f"{known}/{bits}", strict=False).network_address)

    def _keyed(self, address: str) -> str:
        """Return the keyed address in fd00::/8; all spellings of an address give the same."""
        known = _parsed(address)
        plain = str(known) if known is not None else address.lower().rstrip(".")
        return str(ipaddress.IPv6Address(b"\xfd" + self._key.code(_ADDRESSES, plain.encode())[:15]))

    def _user_token(self, user: str) -> str:
        return NOTHING if user == NOTHING else token_of(user, self._key, _USERS)


def family_of(agent: str) -> str:
    """Return the browser family of a user agent, if it is a common one."""
    from ua_parser import parse_user_agent

    if agent == NOTHING:
        return NOTHING
    found = parse_user_agent(agent.replace('\\"', '"'))
    family = found.family if found else ""
    return family if family in FAMILIES else ROBOT if _ROBOT.search(agent) else OTHER


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address as a number; IPv4 inside IPv6 as IPv4. None for a host name."""
    try:
        known = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    inside = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return inside or known


def _remembered(mask: Callable[[str], str]) -> Callable[[str], str]:
    return lru_cache(maxsize=MOST_REMEMBERED)(mask)


def _mapped(column: pl.Series, mask: Callable[[str], str]) -> pl.Series:
    """Mask every value, each distinct one once; null stays null."""
    different = column.unique().drop_nulls()
    masked = pl.Series([mask(value) for value in different.to_list()], dtype=pl.String)
    return column.replace_strict(different, masked, default=None, return_dtype=pl.String)
