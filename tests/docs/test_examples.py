"""Every example of the documentation, run to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.docs import ROOT, TAMPERS, Expectation, Reader, agrees, blocks, pages, typed

WITH_EXAMPLES = [page for page in pages() if any(b.kind in {"console", "pycon"} for b in blocks(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    wrong = []
    for block in blocks(page.read_text("utf-8")):
        if block.file:
            reader.save(block)
        elif block.kind == "console":
            every = []
            for one in typed(block):
                printed = reader.type(one.command)
                every += printed
                if not agrees(one.shown, printed):
                    wrong.append("\n".join([f"$ {one.command}", *printed]))
            unmet = block.expected.unmet(every) if block.expected else []
            wrong += [f"line {block.start}: {text}, as the comment above the example says" for text in unmet]
        elif block.kind == "pycon":
            wrong += reader.talk(block, page.name)
    told = "run `python scripts/refresh_docs.py` if what is printed now is right"
    assert not wrong, "\n\n".join([f"{page.name} shows something else than", *wrong, told])


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_failures_state_what_they_show(page: Path) -> None:
    """An example that tells an exit code, or changes a release, says in a comment what must come of it."""
    silent = [
        f"line {block.start}: {one.command}"
        for block in blocks(page.read_text("utf-8"))
        if block.kind == "console" and block.expected is None
        for one in typed(block)
        if TAMPERS.search(one.command)
    ]
    assert not silent, "\n".join([f'{page.name}: put a comment such as <!-- expect: exit 3, "DOES NOT HOLD" --> above', *silent])


@pytest.mark.parametrize(
    ("expected", "printed", "unmet"),
    [
        ('exit 3, "A CLAIM DOES NOT HOLD"', ["release: A CLAIM DOES", "NOT HOLD", "exit code 3"], 0),
        ('exit 3, "A CLAIM DOES NOT HOLD"', ["release: all claims hold", "exit code 0"], 2),
        ('not "all claims hold"', ["release: all claims hold"], 1),
        ("exit 1", ["exit code 10"], 1),
        ('"a, b", not "c"', ["a, b"], 0),
    ],
)
def test_what_an_expectation_wants(expected: str, printed: list[str], unmet: int) -> None:
    assert len(Expectation.read(expected).unmet(printed)) == unmet


@pytest.mark.parametrize("text", ["", "exit", "exit three", "DOES NOT HOLD", 'exit 3 "a" b', "exit 1, exit 3"])
def test_an_expectation_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(AssertionError):
        Expectation.read(text)


def test_the_readme_shows_the_way() -> None:
    """The first screen: what it is for, the two commands, what is needed; and a picture that exists."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 130
    first_screen = "\n".join(text.split("\n")[:30])
    for wanted in ("AOL", "make demo", "make test", "Python 3.11", "g++"):
        assert wanted in first_screen
    picture = ROOT / "docs" / "images" / "report.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 300_000


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a  "], ["a"], True),
        (["a", ""], ["a"], True),
        (["a"], ["a", "b"], False),
        (["a.c"], ["abc"], False),
        (["a", "...", "d"], ["a", "b", "c", "d"], True),
        (["..."], [], True),
        (["a", "...", "d"], ["b", "d"], False),
    ],
)
def test_what_agrees(shown: list[str], printed: list[str], same: bool) -> None:
    assert agrees(shown, printed) is same
