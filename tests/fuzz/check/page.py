"""The report of a release: it is HTML whose elements are closed, loads nothing, and has the numbers of the manifest."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "col"}
LOADS = {"script", "link", "iframe", "object", "embed", "form"}


@dataclass
class Element:
    """An element with its attributes and content."""

    tag: str
    attributes: dict[str, str]
    content: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, with single blanks."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> list[str]:
        return [text for one in self.content for text in ([one] if isinstance(one, str) else one._texts())]

    def all(self, tag: str, kind: str = "") -> list[Element]:
        """The elements in it with this tag and this class."""
        inside = [one for one in self.content if isinstance(one, Element)]
        here = [one for one in inside if one.tag == tag and (not kind or kind in one.attributes.get("class", "").split())]
        return here + [found for one in inside for found in one.all(tag, kind)]


class _Reader(HTMLParser):
    """Reads a page, in which every element must be closed where it began."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if len(self.open) > 1 and self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.wrong.append(f"the page closes {tag} where {self.open[-1].tag or 'nothing'} is open")

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def wrong_page(page: str, manifest: dict[str, Any]) -> list[str]:
    """What is wrong with the page of a release."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    root, *unclosed = reader.open
    wrong = reader.wrong[:3] + [f"{element.tag} is never closed" for element in unclosed]
    wrong += [f"the page has an element {tag}" for tag in LOADS if root.all(tag)]
    if re.search(r"""(src|href)=["']?(https?:)?//""", page):
        wrong.append("the page refers to another place")
    return wrong or _claims(root, manifest) + _accounts(root, manifest) + _files(root, manifest)


def _claims(root: Element, manifest: dict[str, Any]) -> list[str]:
    shown = [claim.all("code")[0].text for claim in root.all("article", "claim")]
    stated = [" ".join(claim["model"].split()) for claim in manifest["claims"]]
    return [] if shown == stated or (not stated and shown == ["none"]) else [f"the page has the claims {shown}, not {stated}"]


def _accounts(root: Element, manifest: dict[str, Any]) -> list[str]:
    """Each account, by its total and its parts."""
    shown = Counter[tuple[int, tuple[int, ...]]]()
    for account in root.all("div", "ledger"):
        total = _number(account.all("header")[0].all("span")[0].text)
        parts = [_number(part.all("b")[0].text) for part in account.all("ul", "legend")[0].all("li")]
        shown[total, tuple(sorted(part for part in parts if part))] += 1
    stated = Counter[tuple[int, tuple[int, ...]]]()
    for account in manifest["accounting"].values():
        stated[account["in"], tuple(sorted(n for part, n in account.items() if part != "in" and n))] += 1
    return [] if shown == stated else [f"the page has the accounts {sorted(shown)}, not {sorted(stated)}"]


def _files(root: Element, manifest: dict[str, Any]) -> list[str]:
    rows = [[cell.text for cell in row.all("td")] for table in root.all("table") for row in table.all("tr")]
    shown = {row[0]: (row[1], row[2]) for row in rows if len(row) == 3 and re.fullmatch("[0-9a-f]{64}", row[2])}
    stated = {fact["name"]: (f"{fact['rows']:,}", fact["sha256"]) for fact in manifest["files"] if "table" in fact}
    return [] if stated.items() <= shown.items() else [f"the page has the files {shown}, not {stated}"]


def _number(text: str) -> int:
    found = re.match(r"[\d,]+", text)
    return int(found[0].replace(",", "")) if found else -1
