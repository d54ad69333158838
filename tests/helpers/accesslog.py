"""Made-up lines of web access logs."""

from __future__ import annotations

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:24.0) Gecko/20100101 Firefox/24.0"
CHROME = "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36"


def line(
    address: str = "10.0.0.1",
    time: str = "17/May/2015:10:05:03 +0000",
    request: str = "GET /a HTTP/1.1",
    status: int = 200,
    size: str = "512",
    referrer: str | None = "-",
    agent: str | None = FIREFOX,
    auth: str = "-",
) -> str:
    """A line of the combined format, or of the common one where agent is None."""
    common = f'{address} - {auth} [{time}] "{request}" {status} {size}'
    return f"{common}\n" if agent is None else f'{common} "{referrer}" "{agent}"\n'


def visits(people: int, pages: int = 3, sessions: int = 1, agent: str | None = FIREFOX) -> str:
    """A log of so many addresses, each with so many sessions of so many pages; neighbours share most pages."""
    return "".join(
        line(
            f"10.0.{person // 200}.{person % 200 + 1}",
            f"{17 + session}/May/2015:{person % 24:02}:{page:02}:00 +0000",
            f"GET /shop/{(person + page + session) % 7}/index.html HTTP/1.1",
            referrer="http://example.org/shop/",
            agent=agent if agent is None or person % 3 else CHROME,
        )
        for person in range(people)
        for session in range(sessions)
        for page in range(pages)
    )
