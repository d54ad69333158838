"""Web pages and PDF files as documents: what is read of them, and what is counted as malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.errors import refuses
from shoal import packages
from shoal.data.log import Log
from shoal.io.read.dispatch import read
from shoal.io.read.options import DOCUMENTS, ReadOptions
from shoal.io.read.page_text import text_of_page, text_of_pdf


def pdf(text: str) -> bytes:
    """A file with one page and one line of text."""
    shown = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, held in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, held)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(content)
    return content + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (table, start)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<title>Boats</title><p>A small <b>row</b>boat.</p><p>Two</p>", "Boats A small rowboat. Two"),
        ("<p>fish &amp; chips<br>salt&nbsp;now</p>", "fish & chips salt now"),
        ("<script>var secret = '<p>no</p>'</script><style>p { color: red }</style>yes<!-- no -->", "yes"),
        ("<table><tr><td>one</td><td>two</td></tr></table>", "one two"),
        ("<p>never closed <script>gone", "never closed"),
        ("</script>shown <template>hidden<p>too</p></template>again", "shown again"),
        ("", ""),
    ],
)
def test_the_visible_text_of_a_page(page: str, text: str) -> None:
    assert text_of_page(page) == text


def read_folder(folder: Path, **options: object) -> tuple[list[str], object]:
    found = read(folder, ReadOptions(format=DOCUMENTS, **options))  # type: ignore[arg-type]
    assert isinstance(found.data, Log)
    return found.data.frame["payload"].to_list(), found


def test_a_folder_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<p>plain text stays</p>")
    (tmp_path / "b.HTML").write_text("<html><body><h1>Boat</h1><p>and sail</p></body></html>")
    (tmp_path / "c.pdf").write_bytes(pdf("The river and the bridge"))
    texts, _ = read_folder(tmp_path)
    assert [" ".join(text.split()) for text in texts] == ["<p>plain text stays</p>", "Boat and sail", "The river and the bridge"]


def test_a_damaged_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("The river"))
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4\nnothing else")
    texts, found = read_folder(tmp_path, malformed=0.5)
    assert len(texts) == 1
    assert any("not a readable PDF file" in line for line in found.defects.described())  # type: ignore[attr-defined]
    assert text_of_pdf(b"%PDF-") is None


def test_without_the_extra_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.pdf").write_bytes(pdf("The river"))
    monkeypatch.setattr(packages, "is_installed", lambda extra: extra != "pdf")
    with refuses("missing-package", extra="pdf"):
        read_folder(tmp_path)
