"""Excel workbooks. One of a release is written again and compared member by member; one of another tool is searched for texts outside of
cells: properties, page headers, defined names, further members, strings that no cell shows.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from shoal.io.canonical.findings import Finding, carries, different, short, styled
from shoal.io.canonical.workbook_members import APP, BOOK, CORE, LINKS, LOOKS, SHEET, STRINGS, TABLE, TYPES, Element, read_member
from shoal.io.canonical.zipped import Archive, ZipError, archive_of, zip_findings

PLAIN = frozenset({TYPES, *LINKS, APP, CORE, BOOK, *LOOKS, STRINGS, SHEET, TABLE})  # of a workbook of one sheet and nothing else
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_DATES = {"created", "modified"}
_CREATORS = {"openpyxl", "xlsxwriter"}
_SHEET_NAME = re.compile(r"records|(Sheet|Tabelle|Feuil|Hoja|Foglio|Arkusz|Munka|Blad|Ark|Planilha)? ?_?\d{0,3}|Sheet", re.ASCII)
_TABLE_NAME = re.compile(r"(Table|Frame|Tabelle)_?\d{0,4}", re.ASCII)
_PROGRAM = re.compile(
    r"Microsoft (Excel|Office)( Online)?( Compatible / Openpyxl \d{1,2}(\.\d{1,3}){1,2})?"
    r"|LibreOffice(/\d{1,2}(\.\d{1,3}){0,3}(\$(Linux|Windows|MacOSX)_(X86_64|x86|AARCH64|ARM64))?)?",
    re.ASCII,
)
_FACT = re.compile(r"[\d.]{0,12}|true|false", re.ASCII)
# What cells may hold, by the type that they say; those of other types hold texts.
_VALUES = {
    "n": re.compile(r"-?(\d{1,310}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?|", re.ASCII),
    "s": re.compile(r"\d{1,9}", re.ASCII),
    "b": re.compile(r"[01]|true|false"),
    "e": re.compile(r"#[A-Z0/!?]{2,12}", re.ASCII),
    "d": re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]{5,18}Z?)?", re.ASCII),
}
_CELL, _ROW, _AFTER_LAST = re.compile(r"([A-Z]{1,3})(\d{1,7})", re.ASCII), re.compile(r"\d{1,7}", re.ASCII), 1 << 20
_HIDDEN = carries(f"text:{SHEET}", f"values in the member {SHEET} that no cell shows")
_OFFICE = "http://schemas.openxmlformats.org"
_LINK_TYPES = frozenset(
    {
        *(f"{_OFFICE}/officeDocument/2006/relationships/{name}" for name in ("officeDocument", "extended-properties", "worksheet")),
        *(f"{_OFFICE}/officeDocument/2006/relationships/{name}" for name in ("styles", "theme", "sharedStrings", "table")),
        f"{_OFFICE}/package/2006/relationships/metadata/core-properties",
        f"{_OFFICE}/officedocument/2006/relationships/metadata/core-properties",
    }
)
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_CONTENT_TYPES = frozenset(
    {
        *(f"{_SPREADSHEET}.{name}+xml" for name in ("sharedStrings", "sheet.main", "styles", "table", "worksheet")),
        *(f"application/vnd.openxmlformats-officedocument.{name}+xml" for name in ("extended-properties", "theme")),
        *(f"application/vnd.openxmlformats-package.{name}+xml" for name in ("core-properties", "relationships")),
        *("application/xml", "image/png", "image/jpeg"),
    }
)
_Read = Callable[[Element], None]


def own_workbook_findings(content: bytes, canonical: bytes) -> tuple[Finding, ...]:
    """Return how a workbook of a release differs from the writer's output for its cells."""
    if content == canonical:
        return ()
    try:
        archive, wanted = archive_of(content), archive_of(canonical)
    except ZipError:
        return (carries("bytes:zip", "no plain zip archive"),)
    return different(_compared(archive, wanted))


def _compared(archive: Archive, wanted: Archive) -> Iterator[Finding]:
    yield from zip_findings(archive)
    here, there = archive.contents, wanted.contents
    for name in here.keys() - there.keys():
        yield carries(f"member:{short(name)}", f"a member {short(name)} that the writer does not make")
    for name in there.keys() - here.keys():
        yield carries(f"member:{name}", f"the member {name} is missing")
    for name in here.keys() & there.keys():
        if here[name] != there[name]:
            yield carries(f"member:{name}", f"the member {name} is not what the writer makes of the cells")
    if [member.name for member in archive.members] != [member.name for member in wanted.members]:
        yield carries("member:order", "members in another order")
    heads = {member.name: (member.head, member.extra) for member in wanted.members}
    for member in archive.members:
        if heads.get(member.name, (member.head, member.extra)) != (member.head, member.extra):
            yield carries(f"member:{short(member.name)}", f"another header of the member {short(member.name)}")


def workbook_findings(content: bytes) -> tuple[Finding, ...]:
    """Return what a workbook of any tool contains beyond its cells."""
    try:
        archive = archive_of(content, PLAIN)
    except ZipError:
        return (carries("bytes:zip", "no plain zip archive"),)
    return different(_findings(archive))


def _findings(archive: Archive) -> Iterator[Finding]:
    yield from zip_findings(archive)
    contents = archive.contents
    seen = _Seen(frozenset(contents))
    # Comparisons with the names of sheets and the texts of cells come after these.
    for name in sorted(contents, key=lambda one: (one not in (BOOK, STRINGS, SHEET), one)):
        if name not in PLAIN:
            yield carries(f"member:{short(name)}", f"the member {short(name)}")
            continue
        if name in LOOKS:
            yield styled("styles and themes, whose names are not judged")
        yield from read_member(name, contents[name], seen.reader_of(name))
    yield from seen.found
    yield from seen.of_whole()


@dataclass
class _Seen:
    """The content of the members, for comparison with each other."""

    members: frozenset[str]
    found: dict[Finding, None] = field(default_factory=dict)
    _sheets: list[str] = field(default_factory=list)
    _texts: set[str] = field(default_factory=set)
    _strings: int = 0
    _used: set[int] = field(default_factory=set)
    _place: tuple[int, int] = (0, 0)
    _values: list[str] = field(default_factory=list)

    def reader_of(self, member: str) -> _Read:
        """Return the handler for the elements of a member."""
        if member in LINKS:
            return lambda element: self._link(member, element)
        read: dict[str, _Read] = {
            CORE: self._of_core,
            APP: self._of_app,
            TABLE: self._of_table,
            BOOK: self._of_book,
            STRINGS: self._of_strings,
            SHEET: self._of_sheet,
            TYPES: self._of_types,
        }
        return read.get(member, lambda element: None)

    def of_whole(self) -> Iterator[Finding]:
        """Return findings that need all members."""
        if not self._used >= set(range(self._strings)):
            yield carries(f"unused:{STRINGS}", "strings that no cell shows")
        if len(self._sheets) > 1:
            yield carries("sheet:further", "further sheets")
        for name in self._sheets:
            if not _SHEET_NAME.fullmatch(name):
                yield carries(f"sheet:{short(name)}", "a name of the sheet")

    def _note(self, finding: Finding) -> None:
        self.found[finding] = None

    def _of_book(self, element: Element) -> None:
        if element.tag == "sheet":
            self._sheets.append(element.attributes.get("name", ""))

    def _of_core(self, element: Element) -> None:
        """Report properties, except for the times of writing and the names of programs."""
        name, value = element.tag, element.text.strip(" \t\r\n")
        if name in _DATES and _TIME.fullmatch(value):
            self._note(styled("the time at which the workbook was written"))
        elif value and not (name == "creator" and value in _CREATORS):
            self._note(carries(f"property:{short(name)}", f"the property {short(name)!r}"))

    def _of_app(self, element: Element) -> None:
        name, value = element.tag, element.text.strip(" \t\r\n")
        known = (
            _FACT.fullmatch(value)
            or (name == "lpstr" and value in (*self._sheets, "Worksheets", "Named Ranges"))
            or (name == "Application" and _PROGRAM.fullmatch(value))
        )
        if not known:
            self._note(carries(f"property:{short(name)}", f"the property {short(name)!r}"))

    def _of_types(self, element: Element) -> None:
        part, kind = element.attributes.get("PartName", ""), element.attributes.get("ContentType", "")
        here = not part or (part[0] == "/" and part[1:] in self.members)
        if not here or (kind and kind not in _CONTENT_TYPES):
            self._note(carries(f"link:{TYPES}", f"a link in {TYPES} that leads out of the workbook"))

    def _link(self, member: str, element: Element) -> None:
        """Report a link between members that leads elsewhere, or of an unknown kind."""
        if element.tag != "Relationship":
            return
        base = posixpath.dirname(posixpath.dirname(member))
        targets = {word for name in self.members for word in (f"/{name}", posixpath.relpath(name, base or "."))}
        held = element.attributes
        if "TargetMode" in held or held.get("Target") not in targets or held.get("Type") not in _LINK_TYPES:
            self._note(carries(f"link:{member}", f"a link in {member} that leads out of the workbook"))

    def _of_table(self, element: Element) -> None:
        """Check a table range, which repeats the names of its columns."""
        held = element.attributes
        names = {held[key] for key in ("name", "displayName") if key in held}
        if element.tag == "table":
            names = {name for name in names if not _TABLE_NAME.fullmatch(name)}
        if element.tag in ("table", "tableColumn") and not names <= self._texts:
            self._note(carries(f"member:{TABLE}", f"names in the member {TABLE} that no cell shows"))

    # -- cells

    def _of_strings(self, element: Element) -> None:
        self._strings += element.tag == "si"
        self._of_text(STRINGS, element)

    def _of_text(self, member: str, element: Element) -> None:
        """Check a text, which is one piece, or several formatted ones."""
        if element.tag == "t":
            self._texts.add(element.text)
        elif element.tag in ("si", "is", "r"):
            held = [tag for tag in element.inside if tag in ("t", "r")]
            if held.count("t") > 1 or ("t" in held and "r" in held):
                self._note(carries(f"text:{member}", f"texts outside of cells in the member {member}"))

    def _of_sheet(self, element: Element) -> None:
        self._of_text(SHEET, element)
        if element.tag == "f":
            self._note(carries("element:f", "formulas"))
        elif element.tag == "v":
            self._values.append(element.text)
        elif element.tag == "c":
            self._of_cell(element)
        elif element.tag == "row":
            self._end_of_row(element.attributes.get("r", ""))
        if element.attributes.get("hidden") in ("1", "true"):
            self._note(styled("hidden rows or columns"))

    def _of_cell(self, cell: Element) -> None:
        """Check that a cell has one value of its type, and occurs once."""
        kind, values = cell.attributes.get("t", "n"), self._values
        held = [tag for tag in cell.inside if tag != "f"]
        fits = held in ([], ["is"] if kind == "inlineStr" else ["v"])
        fits = fits and all(_VALUES[kind].fullmatch(value) for value in values if kind in _VALUES)
        if kind == "s" and fits:
            self._used.update(map(int, values))
        self._values = []
        if not fits or not self._follows(cell.attributes.get("r", "")):
            self._note(_HIDDEN)

    def _follows(self, place: str) -> bool:
        """Whether the position of a cell is after the previous one."""
        if not place:
            return True
        match = _CELL.fullmatch(place)
        if match is None:
            return False
        column = 0
        for letter in match[1]:
            column = 26 * column + ord(letter) - 64
        before, self._place = self._place, (int(match[2]), column)
        return self._place > before

    def _end_of_row(self, number: str) -> None:
        """Check that the cells of a row belong to it, and that the row occurs once."""
        row, column = self._place
        here = int(number) if _ROW.fullmatch(number) else row
        if here < row or (column < _AFTER_LAST and row and here != row):
            self._note(_HIDDEN)
        self._place = (max(here, row), _AFTER_LAST)
