"""Who may ask for what: every request passes here before anything else sees it.

- The `Host` must be one that this server is known by, so that a foreign name that is made to lead to this machine is refused.
- The `Origin`, and what a browser says about where a request comes from, must be this server. A change must have an `Origin`.
- A request needs the cookie of a session. The address that the server prints has a token, which is exchanged for such a cookie.
- A change needs the token of its session against forged requests, in a header or a field of its form.
- The end of a request must be clear, so that no second one is hidden in it. Bodies are limited in size and time.
- Responses are never cached, load nothing from elsewhere, and are never inside a foreign page.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE = ("GET", "HEAD")
CHANGE_HEADER = "x-shoal-change"
MOST_SESSIONS = 20
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A page of a release inside a page of ours: its own styles, no script, nothing loaded, an origin of its own.
FRAMED = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
)
FRAMED_KEY = "shoal.framed"  # in the scope of a request whose response is such a page
COMMON = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, browsers send no origin with a form
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


@dataclass
class Sessions:
    """The token of the address, and the sessions that were opened with it."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookies: list[str] = field(default_factory=list)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def admit(self, token: str) -> str | None:
        """Return the cookie of a new session; None if the token is wrong. The oldest session ends if there are too many."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.cookies.append(secrets.token_urlsafe(32))
        del self.cookies[:-MOST_SESSIONS]
        return self.cookies[-1]

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is of an open session."""
        return any(hmac.compare_digest(cookie.encode(), one.encode()) for one in self.cookies)

    def change_token(self, cookie: str) -> str:
        """Return what a change must carry in this session."""
        return hmac.new(self._key, cookie.encode(), hashlib.sha256).hexdigest()

    def may_change(self, cookie: str, token: str) -> bool:
        """Whether this is the token of the session."""
        return hmac.compare_digest(self.change_token(cookie).encode(), token.encode())


@dataclass(frozen=True)
class Guard:
    """The outermost layer of the server.

    Attributes:
        app: The application that receives accepted requests.
        sessions: The open sessions.
        hosts: The names by which this server may be called, with the port.
        cookie_name: The name of the cookie; another one for each port, as browsers share cookies among the ports of a host.
        first: The page that is shown first.
    """

    app: Application
    sessions: Sessions
    hosts: frozenset[str]
    cookie_name: str
    first: str = "/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # web sockets are not used
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in COMMON.items():
                    headers[name] = value
                headers["content-security-policy"] = FRAMED if scope.get(FRAMED_KEY) else POLICY
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request is not passed on, as the response to it; None if it may pass."""
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and "content-length" in headers:  # where this body ends is a matter of opinion
            return PlainTextResponse("shoal studio: the length of this request is not clear\n", 400, {"connection": "close"})
        if len(headers.getlist("host")) != 1 or headers.get("host", "").lower() not in self.hosts:
            return _refused("this server is not known by this name", 421)
        change = scope["method"] not in SAFE
        if change and scope["method"] != "POST":
            return _refused("only GET and POST are understood", 405)
        if not self._from_here(headers, change):
            return _refused("this request comes from another page", 403)
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if "token" in query and not change:
            return self._opened(query["token"][-1])
        cookie = self._cookie(headers)
        if cookie is None:
            return _refused("open the address that shoal studio printed in your terminal", 403)
        if change and CHANGE_HEADER in headers and not self.sessions.may_change(cookie, headers[CHANGE_HEADER]):
            return _refused("this page is out of date; load it again", 403)
        scope["shoal.cookie"] = cookie
        scope["shoal.change_token"] = self.sessions.change_token(cookie)
        scope["shoal.may_change"] = change and CHANGE_HEADER in headers
        return None

    def _from_here(self, headers: Headers, change: bool) -> bool:
        """Whether a request was made by a page of this server, or typed by the user."""
        origins = headers.getlist("origin")
        if len(origins) > 1 or (change and not origins):
            return False
        if origins and origins[0].lower() not in {f"http://{host}" for host in self.hosts}:
            return False
        site = headers.get("sec-fetch-site", "none")
        # A browser names the site that a link was on. A page of ours, or a frame, may only be requested by us or by the user.
        return site in {"same-origin", "none"}

    def _opened(self, token: str) -> Response:
        """Exchange the token of the address for a cookie, so that it does not stay in the address."""
        cookie = self.sessions.admit(token)
        if cookie is None:
            return _refused("this address is not valid any more; use the one that shoal studio printed last", 403)
        response = RedirectResponse(self.first, status_code=303)
        response.set_cookie(self.cookie_name, cookie, httponly=True, samesite="strict", path="/")
        return response

    def _cookie(self, headers: Headers) -> str | None:
        """Return the cookie of an open session, if the request has one."""
        found = SimpleCookie()
        try:
            for line in headers.getlist("cookie"):
                found.load(line)
        except CookieError:
            return None
        morsel = found.get(self.cookie_name)
        return morsel.value if morsel is not None and self.sessions.knows(morsel.value) else None


def _refused(why: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(f"shoal studio: {why}\n", status)
