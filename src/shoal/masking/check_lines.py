"""Verifies from its file alone that a masked access log contains nothing that was to be removed. Shares no code with the masking."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address

import polars as pl

from shoal.masking.options import (
    DAY,
    FAMILIES,
    FAMILY,
    HOUR,
    KEYED,
    MINUTE,
    NO_ADDRESS,
    NO_HOST,
    NOTHING,
    OTHER,
    REMOVE,
    ROBOT,
    TRUNCATE,
    Masking,
)

KEYED_FIRST = 0xFD  # the first byte of a keyed address
SOMETHING_TYPED = r"(?i)[?#;]|%3f|%23|%3b"
SIGNED_IN = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*@"


def faults(fields: pl.DataFrame, options: Masking) -> dict[str, int]:
    """Count the lines that still contain what the options remove, by kind.

    Args:
        fields: The fields of the written lines, as the reader of access logs cuts them.
        options: What was to be masked.
    """
    return {
        "lines are not of an access log": int(fields["time"].is_null().sum()),
        "addresses are not masked": int((~_masked_addresses(fields["address"], options)).sum()),
        "ident fields are not empty": int((fields["ident"] != NOTHING).sum()),
        "user names are not masked": _user_names(fields["auth"], options),
        f"times are finer than a {options.times}": _finer_times(fields["time"], options),
        "query strings are left": _texts_with(fields, SOMETHING_TYPED) if options.queries == REMOVE else 0,
        "user names stand in URLs": _texts_with(fields, SIGNED_IN),
        "user agents are not masked": _agents(fields["agent"], options),
    }


_SECONDS: Mapping[str, int] = {MINUTE: 60, HOUR: 3600, DAY: 86_400}


def _masked_addresses(addresses: pl.Series, options: Masking) -> pl.Series:
    """Return whether each address has the requested form."""
    different = addresses.unique().drop_nulls()
    good = [_is_masked(address, options) for address in different.to_list()]
    return addresses.replace_strict(different, pl.Series(good, dtype=pl.Boolean), default=False, return_dtype=pl.Boolean)


def _is_masked(address: str, options: Masking) -> bool:
    if options.addresses == REMOVE:
        return address == NO_ADDRESS
    if options.addresses == TRUNCATE and address == NO_HOST:
        return True
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if options.addresses == KEYED:
        return found.version == 6 and found.packed[0] == KEYED_FIRST
    kept = options.ipv4_bits if found.version == 4 else options.ipv6_bits
    return int(found) % (1 << (found.max_prefixlen - kept)) == 0


def _finer_times(times: pl.Series, options: Masking) -> int:
    seconds = times.drop_nulls().dt.epoch("s")
    return int((seconds % _SECONDS.get(options.times, 1) != 0).sum())


def _user_names(users: pl.Series, options: Masking) -> int:
    """Return user names that are neither removed nor tokens."""
    tokens = users.str.contains(r"^[0-9a-f]{32}$") if options.users == KEYED else pl.repeat(False, len(users), eager=True)
    return int(((users != NOTHING) & ~tokens).sum())


def _texts_with(fields: pl.DataFrame, pattern: str) -> int:
    """Return requests and referrers that match a pattern."""
    request = fields["page"].str.contains(pattern).fill_null(False)
    referrer = fields["referrer"].str.contains(pattern).fill_null(False)
    return int((request | referrer).sum())


def _agents(agents: pl.Series, options: Masking) -> int:
    if options.agents == REMOVE:
        return int((agents.drop_nulls() != NOTHING).sum())
    known = pl.Series([*FAMILIES, OTHER, ROBOT, NOTHING])
    return int((~agents.drop_nulls().is_in(known.implode())).sum()) if options.agents == FAMILY else 0
