"""The members of a workbook with one sheet, read by an XML parser: allowed elements and attributes, and elements with text.

Everything that is not listed here is reported, because it could carry free text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from shoal.io.canonical.findings import Finding, carries, short, styled

SHEET, STRINGS, BOOK = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"
CORE, APP, TABLE = "docProps/core.xml", "docProps/app.xml", "xl/tables/table1.xml"
TYPES, LINKS = "[Content_Types].xml", ("_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/worksheets/_rels/sheet1.xml.rels")
LOOKS = ("xl/styles.xml", "xl/theme/theme1.xml")
_BLANK = " \t\r\n"

_KINDS = {
    "flag": "0|1|true|false",
    "int": r"-?\d{1,10}",
    "num": r"-?\d{1,10}(\.\d{1,20})?([eE][+-]?\d{1,3})?",
    "ref": r"\$?[A-Z]{1,3}\$?\d{1,7}(:\$?[A-Z]{1,3}\$?\d{1,7})?",
    "refs": r"[A-Z]{1,3}\d{1,7}(:[A-Z]{1,3}\d{1,7})?( [A-Z]{1,3}\d{1,7}(:[A-Z]{1,3}\d{1,7})?){0,99}",
    "spans": r"\d{1,5}:\d{1,5}( \d{1,5}:\d{1,5}){0,99}",
    "link": r"rId\d{1,3}",
    "id": r"\{[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}",
    "color": r"[0-9A-Fa-f]{8}",
    "any": r"(?s:.*)",  # compared elsewhere
}
# Each line: an element (with `*` where it holds text), the elements that it may be in, and its attributes with the form of their values.
_WORKSHEET = """
worksheet < / | xr:uid=id
sheetPr < worksheet | filterMode=flag
outlinePr < sheetPr | summaryBelow=flag summaryRight=flag applyStyles=flag showOutlineSymbols=flag
pageSetUpPr < sheetPr | fitToPage=flag autoPageBreaks=flag
dimension < worksheet | ref=ref
sheetViews < worksheet |
sheetView < sheetViews | tabSelected=flag workbookViewId=int zoomScale=int zoomScaleNormal=int zoomScalePageLayoutView=int
 zoomScaleSheetLayoutView=int showGridLines=flag showFormulas=flag showRowColHeaders=flag showZeros=flag rightToLeft=flag
 showOutlineSymbols=flag defaultGridColor=flag view=normal|pageBreakPreview|pageLayout topLeftCell=ref colorId=int showRuler=flag
 showWhiteSpace=flag windowProtection=flag
pane < sheetView | xSplit=num ySplit=num topLeftCell=ref activePane=topLeft|topRight|bottomLeft|bottomRight
 state=split|frozen|frozenSplit
selection < sheetView | pane=topLeft|topRight|bottomLeft|bottomRight activeCell=ref activeCellId=int sqref=refs
sheetFormatPr < worksheet | baseColWidth=num defaultColWidth=num defaultRowHeight=num customHeight=flag zeroHeight=flag thickTop=flag
 thickBottom=flag outlineLevelRow=int outlineLevelCol=int x14ac:dyDescent=num
cols < worksheet |
col < cols | min=int max=int width=num style=int hidden=flag bestFit=flag customWidth=flag collapsed=flag outlineLevel=int phonetic=flag
sheetData < worksheet |
row < sheetData | r=int spans=spans s=int customFormat=flag ht=num hidden=flag customHeight=flag outlineLevel=int collapsed=flag
 thickTop=flag thickBot=flag ph=flag x14ac:dyDescent=num
c < row | r=ref s=int t=n|s|str|inlineStr|b|e|d cm=int vm=int ph=flag
v* < c | xml:space=preserve|default
f* < c | t=normal|shared|array|dataTable ref=ref si=int ca=flag aca=flag
is < c |
pageMargins < worksheet | left=num right=num top=num bottom=num header=num footer=num
pageSetup < worksheet | paperSize=int orientation=default|portrait|landscape horizontalDpi=int verticalDpi=int scale=int fitToHeight=int
 fitToWidth=int pageOrder=downThenOver|overThenDown blackAndWhite=flag draft=flag cellComments=none|asDisplayed|atEnd copies=int
 useFirstPageNumber=flag firstPageNumber=int usePrinterDefaults=flag errors=displayed|blank|dash|NA r:id=link
printOptions < worksheet | headings=flag gridLines=flag gridLinesSet=flag horizontalCentered=flag verticalCentered=flag
phoneticPr < worksheet si is | fontId=int type=noConversion|halfwidthKatakana|fullwidthKatakana|Hiragana
 alignment=noControl|left|center|distributed
sheetCalcPr < worksheet | fullCalcOnLoad=flag
tableParts < worksheet | count=int
tablePart < tableParts | r:id=link
ignoredErrors < worksheet |
ignoredError < ignoredErrors | sqref=refs numberStoredAsText=flag evalError=flag twoDigitTextYear=flag formula=flag formulaRange=flag
 unlockedFormula=flag emptyCellReference=flag listDataValidation=flag calculatedColumn=flag
autoFilter < worksheet | ref=ref xr:uid=id
mergeCells < worksheet | count=int
mergeCell < mergeCells | ref=ref
"""
_RICH = """
t* < si is r | xml:space=preserve|default
r < si is |
rPr < r |
b < rPr | val=flag
i < rPr | val=flag
u < rPr | val=single|double|singleAccounting|doubleAccounting|none
strike < rPr | val=flag
sz < rPr | val=num
color < rPr | rgb=color theme=int tint=num indexed=int auto=flag
family < rPr | val=int
charset < rPr | val=int
scheme < rPr | val=none|major|minor
vertAlign < rPr | val=baseline|superscript|subscript
rFont < rPr | val=Calibri|Arial|Cambria|Verdana|Tahoma|Helvetica|Consolas
"""
_SPECS = {
    SHEET: _WORKSHEET + _RICH,
    STRINGS: "sst < / | count=int uniqueCount=int\nsi < sst |\nphoneticPr < si | fontId=int type=noConversion\n" + _RICH,
    BOOK: """
workbook < / | conformance=strict|transitional
fileVersion < workbook | appName=xl|Calc lastEdited=int lowestEdited=int rupBuild=int
workbookPr < workbook | defaultThemeVersion=int backupFile=flag showObjects=all|placeholders|none date1904=flag filterPrivacy=flag
 hidePivotFieldList=flag codeName=ThisWorkbook
workbookProtection < workbook | lockStructure=flag lockWindows=flag
bookViews < workbook |
workbookView < bookViews | xWindow=int yWindow=int windowWidth=int windowHeight=int visibility=visible|hidden|veryHidden minimized=flag
 showHorizontalScroll=flag showVerticalScroll=flag showSheetTabs=flag tabRatio=int firstSheet=int activeTab=int
 autoFilterDateGrouping=flag xr2:uid=id
sheets < workbook |
sheet < sheets | name=any sheetId=int state=visible|hidden|veryHidden r:id=link
definedNames < workbook |
calcPr < workbook | calcId=int calcMode=auto|manual|autoNoTable fullCalcOnLoad=flag iterate=flag iterateCount=int iterateDelta=num
 refMode=A1|R1C1 concurrentCalc=flag calcOnSave=flag fullPrecision=flag calcCompleted=flag
fileRecoveryPr < workbook | autoRecover=flag crashSave=flag dataExtractLoad=flag repairLoad=flag
""",
    TABLE: """
table < / | id=int name=any displayName=any ref=ref totalsRowShown=flag totalsRowCount=int headerRowCount=int insertRow=flag
 headerRowDxfId=int dataDxfId=int totalsRowDxfId=int headerRowBorderDxfId=int tableBorderDxfId=int tableType=worksheet xr:uid=id
autoFilter < table | ref=ref xr:uid=id
tableColumns < table | count=int
tableColumn < tableColumns | id=int name=any dataDxfId=int headerRowDxfId=int totalsRowDxfId=int xr3:uid=id
tableStyleInfo < table | name=TableStyle(Light|Medium|Dark)\\d{1,2} showFirstColumn=flag showLastColumn=flag showRowStripes=flag
 showColumnStripes=flag
""",
    CORE: "coreProperties < / |\n"
    + "".join(
        f"{name}* < coreProperties | xsi:type=dcterms:W3CDTF\n"
        for name in (
            *("creator", "lastModifiedBy", "title", "subject", "description", "keywords", "category", "contentStatus", "language"),
            *("lastPrinted", "revision", "version", "identifier", "contentType", "created", "modified"),
        )
    ),
    APP: "Properties < / |\n"
    + "".join(
        f"{name}* < Properties |\n"
        for name in (
            *("Template", "Manager", "Company", "TotalTime", "Pages", "Words", "Characters", "CharactersWithSpaces", "Lines", "Paragraphs"),
            *("Application", "AppVersion", "DocSecurity", "ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged", "HyperlinkBase"),
            *("PresentationFormat", "Slides", "Notes", "HiddenSlides", "MMClips"),
        )
    )
    + """
HeadingPairs < Properties |
TitlesOfParts < Properties |
vector < HeadingPairs TitlesOfParts | size=int baseType=lpstr|variant
variant < vector |
lpstr* < vector variant |
i4* < variant |
""",
    TYPES: "Types < / |\nDefault < Types | Extension=rels|xml|png|jpeg|jpg|bin|vml|emf ContentType=any\n"
    "Override < Types | PartName=any ContentType=any\n",
    **dict.fromkeys(LINKS, "Relationships < / |\nRelationship < Relationships | Id=link Type=any Target=any TargetMode=any\n"),
}
_OFFICE, _MICROSOFT = "http://schemas.openxmlformats.org", "http://schemas.microsoft.com/office/spreadsheetml"
_MAIN = f"{_OFFICE}/spreadsheetml/2006/main"
_EXTENDED, _CORE = f"{_OFFICE}/officeDocument/2006/extended-properties", f"{_OFFICE}/package/2006/metadata/core-properties"
# The namespace prefixes of writers, and the namespaces each may denote.
_PREFIXES = {
    "": {_MAIN, _EXTENDED, _CORE, f"{_OFFICE}/package/2006/relationships", f"{_OFFICE}/package/2006/content-types"},
    "x": {_MAIN},
    "main": {_MAIN},
    "r": {f"{_OFFICE}/officeDocument/2006/relationships"},
    "mc": {f"{_OFFICE}/markup-compatibility/2006"},
    "xdr": {f"{_OFFICE}/drawingml/2006/spreadsheetDrawing"},
    "x14": {f"{_MICROSOFT}/2009/9/main"},
    "x14ac": {f"{_MICROSOFT}/2009/9/ac"},
    "x15": {f"{_MICROSOFT}/2010/11/main"},
    "x15ac": {f"{_MICROSOFT}/2010/11/ac"},
    "x16r2": {f"{_MICROSOFT}/2015/02/main"},
    "xr": {f"{_MICROSOFT}/2014/revision"},
    "xr2": {f"{_MICROSOFT}/2015/revision2"},
    "xr3": {f"{_MICROSOFT}/2016/revision3"},
    "xr6": {f"{_MICROSOFT}/2016/revision6"},
    "xr9": {f"{_MICROSOFT}/2016/revision9"},
    "xr10": {f"{_MICROSOFT}/2016/revision10"},
    "loext": {"http://schemas.libreoffice.org/"},
    "vt": {f"{_OFFICE}/officeDocument/2006/docPropsVTypes"},
    "ap": {_EXTENDED},
    "cp": {_CORE},
    "dc": {"http://purl.org/dc/elements/1.1/"},
    "dcterms": {"http://purl.org/dc/terms/"},
    "dcmitype": {"http://purl.org/dc/dcmitype/"},
    "xsi": {"http://www.w3.org/2001/XMLSchema-instance"},
}


@dataclass(frozen=True)
class _Rule:
    """The parents of an element, the form of its attributes, and whether it contains text."""

    parents: frozenset[str]
    attributes: dict[str, re.Pattern[str]]
    holds_text: bool


def _rules(spec: str) -> dict[str, _Rule]:
    found = {}
    for line in filter(None, spec.replace("\n ", " ").split("\n")):
        head, _, attributes = line.partition(" |")
        tag, _, parents = head.partition(" < ")
        forms = dict(one.split("=", 1) for one in attributes.split())
        found[tag.rstrip("*")] = _Rule(
            frozenset(parents.split()),
            {name: re.compile(_KINDS.get(form, form), re.ASCII) for name, form in forms.items()},
            tag.endswith("*"),
        )
    return found


_RULES = {member: _rules(spec) for member, spec in _SPECS.items()}


@dataclass
class Element:
    """An element: its local name, its attributes, the names of its children in order, and its own text."""

    tag: str
    attributes: dict[str, str]
    parent: str
    inside: list[str] = field(default_factory=list)
    text: str = ""


def read_member(member: str, content: bytes, seen: Callable[[Element], None]) -> Iterator[Finding]:
    """Read a member, pass on each element when it ends, and yield what it contains beyond the allowed elements."""
    try:
        content.decode("utf-8")
        reader = _Reader(member, seen)
        reader.parser.Parse(content, True)
    except (UnicodeDecodeError, expat.ExpatError, _Refused):
        yield carries(f"bytes:{member}", f"a member {member} that is no plain XML in UTF-8")
        return
    yield from reader.found.values()


class _Refused(Exception):
    """The member uses XML features that no writer of workbooks uses."""


class _Reader:
    """Compares a member with its rules; styles and themes have none."""

    def __init__(self, member: str, seen: Callable[[Element], None]) -> None:
        self.found: dict[str, Finding] = {}
        self._member, self._rules, self._seen = member, _RULES.get(member), seen
        self._open: list[Element] = []
        self.parser = parser = expat.ParserCreate("UTF-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.XmlDeclHandler = self._declared
        parser.CommentHandler = parser.StartCdataSectionHandler = parser.ProcessingInstructionHandler = self._odd
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = self._refuse

    def _carries(self, name: str, words: str) -> None:
        self.found.setdefault(name, carries(name, words))

    def _odd(self, *_: object) -> None:
        self._carries(f"comment:{self._member}", f"comments or instructions in the member {self._member}")

    def _refuse(self, *_: object) -> None:
        raise _Refused

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:
        if version != "1.0" or (encoding or "utf-8").lower() != "utf-8":
            raise _Refused

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        prefix, _, tag = name.rpartition(":")
        parent = self._open[-1].tag if self._open else "/"
        rule = self._rules.get(tag) if self._rules is not None else None
        if self._rules is not None and (rule is None or parent not in rule.parents or prefix not in _PREFIXES):
            known = rule is not None and prefix in _PREFIXES
            called = short(tag if prefix in _PREFIXES else name)
            where = f"in the member {self._member}" if not known else f"in another place of the member {self._member}"
            self._carries(f"element:{called}", f"an element {called!r} {where}")
        for key, value in attributes.items() if self._rules is not None else ():
            if not self._plain(rule, key, value):
                self._carries(
                    f"attribute:{short(key)}", f"an attribute {short(key)!r} in the member {self._member} that says more than a number"
                )
            elif key.endswith(":uid"):
                self.found.setdefault("uid", styled("identifiers of sheets and tables, as Excel makes them"))
        if self._open:
            self._open[-1].inside.append(tag)
        self._open.append(Element(tag, attributes, parent))

    @staticmethod
    def _plain(rule: _Rule | None, key: str, value: str) -> bool:
        """Whether an attribute has its required form; those of reported elements are not checked."""
        first, _, prefix = key.partition(":")
        if first == "xmlns":
            return value in _PREFIXES.get(prefix, ())
        if key == "mc:Ignorable":
            return all(word in _PREFIXES for word in value.split(" "))
        if rule is None:
            return True
        form = rule.attributes.get(key)
        return form is not None and form.fullmatch(value) is not None

    def _text(self, text: str) -> None:
        element = self._open[-1]
        rule = self._rules.get(element.tag) if self._rules is not None else None
        if rule is not None and rule.holds_text:
            element.text += text
        elif text.strip(_BLANK):
            self._carries(f"text:{self._member}", f"texts outside of cells in the member {self._member}")

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if element.tag != "sheetData":
            self._seen(element)
        if element.parent in ("sheetData", "sst"):  # which have many elements
            self._open[-1].inside.clear()
