"""Options for masking an access log, and what masking leaves unprotected. The options are shown without loading polars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.errors import ParameterError, option
from shoal.keyed.keys import SecretKey
from shoal.parameters import Declared, param

TRUNCATE, KEYED, REMOVE, KEEP, FAMILY = "truncate", "keyed", "remove", "keep", "family"
SECOND, MINUTE, HOUR, DAY = "second", "minute", "hour", "day"
NO_ADDRESS, NO_HOST, NOTHING, OTHER, ROBOT = "0.0.0.0", "host.invalid", "-", "Other", "Robot"
# The families that are published. The name of any other agent may be that of its only user, so it is `Other`, or `Robot`.
FAMILIES = frozenset(
    """
    Amazon Silk|Android|Chrome|Chrome Mobile|Chrome Mobile WebView|Chrome Mobile iOS|Chromium|DuckDuckGo Mobile|Edge|Edge Mobile|Facebook|
    Firefox|Firefox Mobile|Firefox iOS|HeadlessChrome|IE|IE Mobile|Instagram|Iron|Konqueror|Links|Lynx|Maxthon|MiuiBrowser|Mobile Safari|
    Mobile Safari UI/WKWebView|Opera|Opera Mini|Opera Mobile|Pale Moon|QQ Browser|Safari|Samsung Internet|SeaMonkey|UC Browser|Vivaldi|
    Whale|Yandex Browser|Java|Python Requests|Wget|curl|libwww-perl|AhrefsBot|Applebot|Baiduspider|bingbot|DotBot|DuckDuckBot|
    FacebookBot|Googlebot|Googlebot-Image|Googlebot-Mobile|MJ12bot|PetalBot|SemrushBot|Twitterbot|Yahoo! Slurp|YandexBot|msnbot
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


@dataclass(frozen=True)
class Masking(Declared):
    """Masks addresses, times, query strings, user names and user agents of an access log."""

    name: ClassVar[str] = "mask"

    addresses: str = param(
        TRUNCATE, choices=(TRUNCATE, KEYED, REMOVE), help="truncate addresses, replace them by keyed ones from fd00::/8, or remove them"
    )
    ipv4_bits: int = param(24, minimum=0, maximum=32, help="leading bits of an IPv4 address to keep")
    ipv6_bits: int = param(48, minimum=0, maximum=128, help="leading bits of an IPv6 address to keep")
    times: str = param(HOUR, choices=(SECOND, MINUTE, HOUR, DAY), help="precision of times, which are written in UTC")
    queries: str = param(REMOVE, choices=(REMOVE, KEEP), help="query strings and path parameters of pages and referrers")
    users: str = param(REMOVE, choices=(REMOVE, KEYED), help="user names")
    agents: str = param(FAMILY, choices=(FAMILY, KEEP, REMOVE), help="user agents: the browser family, as they are, or removed")
    key: SecretKey | None = param(None, help="key file; the same key gives the same tokens (default: a random key)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.key is not None and KEYED not in (self.addresses, self.users):
            raise ParameterError(
                "a key is given, but nothing is keyed",
                code="option-not-applicable",
                hint=f"add {option('addresses', KEYED)} or {option('users', KEYED)}",
            )

    @property
    def not_protected(self) -> str:
        """Return what a masked log leaves unprotected."""
        return "; ".join(self._left_open())

    def _left_open(self) -> Iterator[str]:
        yield "visitors whose pages, taken together or in their order, identify them; names in the paths of pages"
        if self.addresses == TRUNCATE and (self.ipv4_bits, self.ipv6_bits) != (0, 0):
            yield "visitors who are alone in their network"
        if self.addresses == KEYED:
            yield "visitors of whom one request is known, because one address links all their requests"
        if self.queries == KEEP:
            yield "everything that people typed into query strings"
        if self.users == KEYED:
            yield "users of whom one request is known, because one token links all their requests"
        if self.agents == KEEP:
            yield "visitors with a rare browser"
        if self.key is not None:
            yield "anything from an attacker who gets the key and hashes guesses with it"
