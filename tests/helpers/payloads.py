"""Texts that would run a script, load something or change a page, if a page took them for markup; and what a page is made of."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

HIT = "window.hacked=1"
PAYLOADS = [
    f"<script>{HIT}</script>",
    f"</script><script>{HIT}</script>",
    f"</SCRIPT><SCRIPT>{HIT}</SCRIPT>",
    f"</ScRiPt ><sCrIpT >{HIT}</sCrIpT >",
    f"</script\t\n/><script\n>{HIT}</script\n>",
    f"<!--<script>{HIT}//-->",
    "<!--",
    "--><b>",
    "<![CDATA[x",
    f"]]><script>{HIT}</script>",
    f"</style><script>{HIT}</script>",
    f"</title><script>{HIT}</script>",
    f"</textarea><script>{HIT}</script>",
    f"</select></option><img src=x onerror={HIT}>",
    f"<img src=x onerror={HIT}>",
    f'"><img src="x" onerror="{HIT}">',
    f"'><img src='x' onerror='{HIT}'>",
    f'" onmouseover="{HIT}" autofocus onfocus="{HIT}" x="',
    f"' onload='{HIT}' x='",
    f"` onload=`{HIT}` x=`",
    f"<svg onload={HIT}>",
    f"<svg><animate onbegin={HIT} attributeName=x dur=1s>",
    f"</svg></text><iframe srcdoc='<script>parent.{HIT}</script>'>",
    f'<a href="javascript:{HIT}">click</a>',
    f"javascript:{HIT}",
    f"data:text/html,<script>{HIT}</script>",
    f"<body onload={HIT}>",
    f"<math><mtext></mtext><script>{HIT}</script></math>",
    f"<details open ontoggle={HIT}>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href='http://127.0.0.1:9/'>",
    "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>",
    "</style><style>*{display:none}</style>",
    "x;}*{background:url(http://127.0.0.1:9/x)}",
    "expression(alert(1)); color:red; @import 'http://127.0.0.1:9/x'",
    "{{ 7*7 }}{% raw %}{{ config }}{% endraw %}",
    "${" + HIT + "}`+" + HIT + "+`",
    f"\u2028{HIT}\u2029",
    f'\\";{HIT};//',
    f"';{HIT};//",
    f"\\u003c/script\\u003e\\u003cscript\\u003e{HIT}",
    f"&lt;script&gt;{HIT}&lt;/script&gt;",
    f"&#60;script&#62;{HIT}",
    f"+ADw-script+AD4-{HIT}+ADw-/script+AD4-",
    f"\x00<scr\x00ipt>{HIT}</script>",
    "\u202eevil\u2066txt.exe\u200b",
    "\x1b[31mred\x07\x08\x7f\x9b",
    "A" * 5000 + "<b>",
    "__proto__",
    "constructor",
    "\ufeff<b>\ufffe\uffff",
    "<\u017fcript>",
]
HALVES = ["\udc80<b>", "\ud800", "\udfff\ud800</SCRIPT>"]  # halves of surrogate pairs, as names of files have them
BROKEN = {"href", "src", "srcdoc", "srcset", "action", "formaction", "data", "background", "xlink:href"}


class Elements(HTMLParser):
    """The elements of a page with their attributes; the text of those that a browser does not read as markup; all other text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.raw: list[tuple[str, str]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = tuple(name for name, _ in attrs)
        assert not BROKEN & set(names), (tag, names)
        assert not any(name.startswith("on") for name in names), (tag, names)
        self.found[tag, names] += 1
        self._inside = tag if tag in {"script", "style"} else ""

    def handle_endtag(self, tag: str) -> None:
        self.found[f"/{tag}", ()] += 1
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw.append((self._inside, data))
        else:
            self.text += data

    def handle_comment(self, data: str) -> None:
        self.found["comment", ()] += 1

    def handle_decl(self, decl: str) -> None:
        self.found[f"declaration {decl}", ()] += 1

    def unknown_decl(self, data: str) -> None:
        self.found["unknown declaration", ()] += 1

    def handle_pi(self, data: str) -> None:
        self.found["instruction", ()] += 1


def harmless(texts: list[str]) -> list[str]:
    """As many texts of letters."""
    return [f"word{n}" for n, _ in enumerate(texts)]
