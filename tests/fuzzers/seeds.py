"""Write the first inputs of the fuzzers: `python -m fuzzers.seeds DIRECTORY`. They are the kinds of text that the tests use."""

from __future__ import annotations

import sys
from pathlib import Path

TIMES = [
    *("2006-03-01 07:17:12", "2006/03/01T07:17:12.250Z", "2006-03-01", "20060301", "970916105432", "20060301071712", "1141197432.5"),
    *("1141197432123", "10/Oct/2000:13:55:36 -0700", "[10/Oct/2000:13:55:36 +0530]", "Tue, 10 Oct 2000 13:55:36 GMT", "1-Jan-1969"),
    *("10.10.2000 13:55:36", "1.2.1970, 0:00", "0000-01-01 00:00:00 +23:59", "9999-12-31 23:59:59 -2359", "2016-12-31 23:59:60"),
]
TEXTS = ["plain", "é", "e\u0301", "山田", "𐍈🦀", "\u0000", "\ufeff", "\U0010ffff"]
BROKEN = [b"\xe9", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf8\x88\x80\x80\x80"]
DELIMITED = [
    *("a\tb\tc\n", "a,b\r\nc,d", '"a ""b""",c\n"x\ny",z\n', '"open,\nb,c\n', 'a"b,c\n', '"a"b,c\n'),
    *(" a , b \n\n\n", "a b  c\t d\n", ',,\n"",""\n'),
]
LINES = [
    '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326',
    '2001:db8::1 - - [01/Mar/2020:10:00:00 +0000] "POST /c?q=1 HTTP/1.1" 404 - "http://x/\\"y" "Mozilla/5.0 (X11)"',
    'host.example - john doe [01/Mar/2020:10:00:00 +0000] "-" 400 0 "-" "-"',
    '1.2.3.4 - - [31/Feb/2020:10:00:00 +0000] "OPTIONS * HTTP/1.1" 200 17 "-" "a\\\\"',
    '1.2.3.4 - - [01/Mar/2020:10:00:00 +0000] "CONNECT a:443" 200 1',
]

READERS = {
    "table": [b"user,item\nann,milk\nbob,bread\n", b'user;item;count\r\n"ann";"a ""b""";2\r\n', b"\xef\xbb\xbfuser\titem\nann\t\xc3\xa9\n"],
    "log": [
        b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\thot dog\t2006-03-01 07:17:12\t1\thttp://a.b\n2\tcat\t2006-03-01 07:17:13\t\t\n"
    ],
    "lines": [b"a,b,c\nb\n\nc,a\n", b"1 2 3\n2 3\n", b"a;a;b\n"],
    "access": [("\n".join(LINES) + "\n").encode()],
    "rows": [
        b'{"user": "ann", "item": "milk"}\n{"user": 1, "item": ["a", "b"]}\n',
        b'{"user": null, "item": 1.5e3, "item": 2}\n{"user": NaN}\n',
    ],
    "array": [b'[{"user": "ann", "item": "milk"}, {"user": "bob", "item": ["x", null]}]', b'{"a": [1]}'],
    "prompts": [
        b'{"user": "ann", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}\n',
        b'{"conversation_id": 1, "user": "a", "prompt": "x", "time": "2024-01-01T00:00:00Z"}\n',
    ],
    "microdata": [b"age,income\n30,1.5\n31,-2e3\n33,0\n", b"age;date\n1,5;01.02.2003\n"],
    "documents": [b'{"id": 1, "text": "a text about cats"}\n{"text": "dogs"}\n'],
    "detected": [b"user,query\n1,cat\n", b"a b c\n", b"[]", b"\x1f\x8b\x08", b"PK\x03\x04", b"PAR1"],
    "edges": [b"child,parent\nApple,Fruit\nPear,Fruit\nFruit,Food\n", b"a\tb\nb\tc\n"],
    "paths": [b"Apple;Fruit;Food\nBeef;Meat;Food\n", b"item,level1,level2\nx,y,*\n"],
    "json": [b'{"Food": {"Fruit": ["Apple"], "Meat": {"Beef": {}}}}', b'{"name": "Food", "children": [{"name": "Apple"}]}'],
    "skos": [
        b'@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<a> a skos:Concept ; skos:prefLabel "Apple"@en ; skos:broader <b> .\n'
        b'<b> a skos:Concept ; skos:prefLabel "Fruit" .\n',
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"><skos:Concept '
        b'rdf:about="a"><skos:prefLabel>Apple</skos:prefLabel><skos:broader rdf:resource="b"/></skos:Concept>'
        b'<skos:Concept rdf:about="b"><skos:prefLabel>Fruit</skos:prefLabel></skos:Concept></rdf:RDF>',
    ],
    "obo": [b"[Term]\nid: A:1\nname: apple\nis_a: A:2 ! fruit\n\n[Term]\nid: A:2\nname: fruit\n"],
    "rules": [
        b'{"shoal": "0.1.0", "method": "km", "parameters": {"k": 2}, "taxonomy": "t.json", "published_parents": {"a": "x'
        b'"}, "items": ["a", "b"], "nodes": ["x"], "sha256": "6f0699a33db939253b0840c11a4af28f6b07f4bd3ada73bd9ff3939a771b2e0c"}',
    ],
}


def seeds() -> dict[str, list[bytes]]:
    """The first inputs by fuzzer. The first two bytes of delimited text choose the dialect and the size of chunks."""
    return {
        "times": [text.encode() for text in TIMES],
        "utf8": [text.encode() for text in TEXTS] + BROKEN,
        "delimited": [bytes([way, 5]) + text.encode() for text in DELIMITED for way in (32, 49, 17, 40)] + [b"\x31\x05" + BROKEN[0]],
        "access_lines": [line.encode() for line in LINES],
    }


def main() -> None:
    """Write a file for each."""
    for name, contents in seeds().items():
        place = Path(sys.argv[1]) / name
        place.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(contents):
            (place / str(number)).write_bytes(content)


if __name__ == "__main__":
    main()
