"""User agents of web access logs: browser and system with their versions, parsed with ua-parser, and their generalizations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

NONE = "-"  # what a log says where it has no value

_PRODUCT = re.compile(r"[^/(;]+")


class Agent(NamedTuple):
    """A browser and its system, as families and major versions; empty if unknown."""

    browser: str
    version: str = ""
    system: str = ""
    system_version: str = ""


@lru_cache(maxsize=100_000)
def agent_of(text: str) -> Agent:
    """Parse a user agent. One that ua-parser does not know has the name of its first product."""
    if text in {NONE, ""}:
        return Agent("")
    from ua_parser import parse

    found = parse(text.replace('\\"', '"'))
    browser, system = found.user_agent, found.os
    first = _PRODUCT.match(text)
    name = browser.family if browser else first[0] if first else ""
    version = (browser.major or "") if browser else ""
    return Agent(name.strip(), version, system.family if system else "", (system.major or "") if system else "")


def browser_of(text: str | None) -> str:
    """Return the browser family, `-` if there is none."""
    return agent_of(text or NONE).browser or NONE


@lru_cache(maxsize=100_000)
def agent_levels(text: str) -> tuple[str, ...]:
    """Return the generalizations of an agent, itself first: browser, version and system; browser and version; browser; nothing.

    A level that would be read as another browser is left out.
    """
    known = agent_of(text)
    if not known.browser:
        return (NONE,)
    versioned = f"{known.browser}/{known.version}.0" if known.version else known.browser
    system = f"{known.system} {known.system_version}".strip()
    levels = [f"{versioned} ({system})" if system else versioned, versioned, known.browser]
    return tuple(dict.fromkeys([text, *(level for level in levels if agent_of(level).browser == known.browser), NONE]))


def agent_nodes(text: str) -> tuple[str, ...]:
    """Return the four levels on which two agents may differ: browser, its version, system, its version."""
    known = agent_of(text)
    return (
        f"browser {known.browser}",
        f"browser {known.browser}/{known.version}",
        f"system {known.system}",
        f"system {known.system}/{known.system_version}",
    )
