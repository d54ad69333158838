"""Triples from Turtle files, and so from N-Triples, which are a part of Turtle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.errors import TaxonomyError
from shoal.io.read.ontologies.rdf_xml import RDF, TYPE, Triple, resolved

_COMMENTS = r"(?:\s|#[^\n]*\n)*"
START = re.compile(
    _COMMENTS + r"(?:@prefix\s+[\w.-]*:\s*<|@base\s*<|PREFIX\s+[\w.-]*:\s*<|BASE\s*<|(?:<[^<>\"\s]+>|_:\w+)\s+<[^<>\"\s]+>\s+(?:<|_:|\"))",
    re.IGNORECASE,
)
_LOCAL = r"(?:[\w:%·-]|\\[^\w\s])"
_TOKEN = re.compile(
    rf"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<address><[^<>"{{}}|^`\x00-\x20]*>)
  | (?P<text>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
  | (?P<datatype>\^\^)
  | (?P<blank>_:\w(?:[\w·-]|\.(?=[\w·-]))*)
  | (?P<name>(?:[^\W\d_](?:[\w·-]|\.(?=[\w·-]))*)?:(?:{_LOCAL}(?:{_LOCAL}|\.(?={_LOCAL}|\.))*)?)
  | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>[A-Za-z]+)
  | (?P<mark>[;,.\[\]()])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
NIL, FIRST, REST = f"{RDF}nil", f"{RDF}first", f"{RDF}rest"
END = ("end", "")


def triples_of_turtle(text: str) -> Iterator[Triple]:
    """Parse the statements of a Turtle file."""
    try:
        yield from _Parser(text).statements()
    except RecursionError:
        raise TaxonomyError("the Turtle file is nested too deeply", code="nested-too-deeply") from None


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._start = 0
        self._prefixes: dict[str, str] = {}
        self._base = ""
        self._blank = 0
        self._found: list[Triple] = []
        self._kind, self._value = END
        self._next()

    def statements(self) -> Iterator[Triple]:
        while self._kind != "end":
            if self._kind == "at" and self._value in ("@prefix", "@base"):
                self._directive(self._value[1:])
                self._expect(".")
            elif self._kind == "word" and self._value.upper() in ("PREFIX", "BASE"):
                self._directive(self._value.lower())
            else:
                self._triples()
                self._expect(".")
            yield from self._found
            self._found.clear()

    def _directive(self, what: str) -> None:
        self._next()
        if what == "prefix":
            if self._kind != "name" or not self._value.endswith(":"):
                raise self._fault("a prefix has no name")
            name = self._value[:-1]
            self._next()
            self._prefixes[name] = self._address()
        else:
            self._base = self._address()

    def _address(self) -> str:
        if self._kind != "address":
            raise self._fault("an address in angle brackets is missing")
        found = resolved(self._base, self._unescaped(self._value[1:-1]))
        self._next()
        return found

    def _triples(self) -> None:
        if self._kind == "mark" and self._value == "[":
            subject = self._properties_of_blank()
            if self._kind == "mark" and self._value == ".":
                return
        elif self._kind == "mark" and self._value == "(":
            subject = self._collection()
        else:
            subject = self._resource()
        self._properties(subject)

    def _properties(self, subject: str) -> None:
        while True:
            if self._kind == "word" and self._value == "a":
                predicate = TYPE
                self._next()
            else:
                predicate = self._resource()
            self._objects(subject, predicate)
            if not self._passed(";"):
                return
            while self._passed(";"):
                pass
            if self._kind == "mark" and self._value in (".", "]"):
                return

    def _objects(self, subject: str, predicate: str) -> None:
        while True:
            value, language = self._object()
            self._found.append(Triple(subject, predicate, value, language))
            if not self._passed(","):
                return

    def _object(self) -> tuple[str, str | None]:
        if self._kind == "text":
            return self._literal()
        if self._kind == "number" or (self._kind == "word" and self._value in ("true", "false")):
            value = self._value
            self._next()
            return value, ""
        if self._kind == "mark" and self._value == "[":
            return self._properties_of_blank(), None
        return (self._collection(), None) if self._kind == "mark" and self._value == "(" else (self._resource(), None)

    def _literal(self) -> tuple[str, str]:
        quotes = 3 if self._value[:3] in ('"""', "'''") else 1
        value, language = self._unescaped(self._value[quotes:-quotes]), ""
        self._next()
        if self._kind == "at":
            language = self._value[1:]
            self._next()
        elif self._kind == "datatype":
            self._next()
            self._resource()
        return value, language

    def _resource(self) -> str:
        kind, value = self._kind, self._value
        if kind == "address":
            return self._address()
        if kind == "blank":
            self._next()
            return value
        if kind != "name":
            raise self._fault("a name or an address is missing")
        prefix, _, local = value.partition(":")
        if prefix not in self._prefixes:
            raise self._fault(f"the prefix {prefix!r} is not declared")
        self._next()
        return self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)

    def _properties_of_blank(self) -> str:
        self._expect("[")
        subject = self._fresh()
        if not self._passed("]"):
            self._properties(subject)
            self._expect("]")
        return subject

    def _collection(self) -> str:
        self._expect("(")
        values = []
        while not self._passed(")"):
            values.append(self._object())
        rest = NIL
        for value, language in reversed(values):
            node = self._fresh()
            self._found += [Triple(node, FIRST, value, language), Triple(node, REST, rest, None)]
            rest = node
        return rest

    # -- tokens

    def _next(self) -> None:
        """Go to the next token that is neither space nor a comment."""
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            self._start = self._at
            if found is None:
                raise self._fault("it has a character that no statement begins with")
            self._at = found.end()
            if found.lastgroup != "space":
                self._kind, self._value = str(found.lastgroup), found[0]
                return
        self._kind, self._value = END

    def _passed(self, mark: str) -> bool:
        """Go past a mark; whether it was there."""
        here = self._kind == "mark" and self._value == mark
        if here:
            self._next()
        return here

    def _expect(self, mark: str) -> None:
        if not self._passed(mark):
            raise self._fault(f"{mark!r} is missing")

    def _unescaped(self, value: str) -> str:
        return _ESCAPE.sub(self._character, value) if "\\" in value else value

    def _character(self, match: re.Match[str]) -> str:
        if match[3] is not None:
            return _CHARACTERS.get(match[3], match[3])
        number = int(match[1] or match[2], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise self._fault("an escape is not a character")
        return chr(number)

    def _fault(self, what: str) -> TaxonomyError:
        line = self._text.count("\n", 0, self._start) + 1
        return TaxonomyError(f"line {line} is not Turtle: {what}", code="taxonomy-line-invalid", line=line)

    def _fresh(self) -> str:
        self._blank += 1
        return f"_: {self._blank}"  # with a space, which no name in the file has
