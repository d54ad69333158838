"""The text of web pages and of PDF files, so that they can be documents.

Of a web page the visible text is read, and its title: no scripts, styles or comments. The text of a PDF file is read by pypdf (extra
`pdf`); a file of scanned pages has none.
"""

from __future__ import annotations

import io
import logging
from html.parser import HTMLParser
from pathlib import Path

from shoal.packages import insist_on_extra

PDF_START = b"%PDF-"
PAGES, PDF = (".html", ".htm", ".xhtml"), ".pdf"
NOT_READABLE = "not a readable PDF file"
_UNSEEN = frozenset({"script", "style", "template", "noscript"})
_WITHIN_WORDS = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "code", "em", "font", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u"}
)


def is_page(name: str) -> bool:
    """Whether a file is a web page, by its name without the ending of a compression."""
    return name.lower().endswith(PAGES)


def insist_on_pdf(files: list[Path]) -> None:
    """Raise, before anything is read, if there are PDF files but nothing to read them."""
    if any(file.name.lower().endswith(PDF) for file in files):
        insist_on_extra("pdf")


def text_of_page(page: str) -> str:
    """Return the visible text of a web page; what is not within a line of text is separated by spaces."""
    reader = _PageReader()
    reader.feed(page)
    reader.close()
    return " ".join("".join(reader.pieces).split())


def text_of_pdf(content: bytes) -> str | None:
    """Return the text of a PDF file; None if it cannot be read, for example because it is encrypted."""
    insist_on_extra("pdf")
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its messages may quote the document
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        return "\n".join(page.extract_text() for page in reader.pages)
    except Exception:  # whatever the library raises on a damaged file: the file is counted as malformed
        return None


class _PageReader(HTMLParser):
    """Collects the visible text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where invisible text begins."""
        self._unseen += tag in _UNSEEN
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note where invisible text ends."""
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._separate(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Separate the words around an element without content."""
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if not self._unseen:
            self.pieces.append(data)

    def _separate(self, tag: str) -> None:
        if tag not in _WITHIN_WORDS:
            self.pieces.append(" ")
