"""The page on adding a method, followed to the letter in a copy of the sources: a file, a line of the table and a page are all it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helpers.docs import ROOT, blocks
from helpers.source_copy import Copy, file_blocks, fresh_copy

PAGE = (ROOT / "docs" / "adding-a-method.md").read_text("utf-8")
ADDED = ("chop", "brief")
TABLE = "src/shoal/methods/__init__.py"


def table_line(name: str) -> str:
    (line,) = re.findall(rf'^        "{name}": "shoal\.methods\.{name}:\w+",$', PAGE, re.MULTILINE)
    return str(line)


def add(root: Path, name: str, given: dict[str, str]) -> None:
    """The three steps of the page, and no other."""
    (root / "src/shoal/methods" / f"{name}.py").write_text(given[f"{name}.py"], "utf-8")
    (root / "docs/methods" / f"{name}.md").write_text(given[f"{name}.md"], "utf-8")
    table = (root / TABLE).read_text("utf-8")
    end = table.index("    },\n)\n", table.index("METHODS: "))
    (root / TABLE).write_text(f"{table[:end]}{table_line(name)}\n{table[end:]}", "utf-8")


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Copy]:
    """The files as they were, and the copy with both methods added."""
    copy, given = Copy(tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("home")), file_blocks(PAGE)
    fresh_copy(copy.root)
    before = copy.files()
    for name in ADDED:
        add(copy.root, name, given)
    for name in ("baskets.txt", "log.csv"):
        (copy.home / name).write_text(given[name], "utf-8")
    return before, copy


@pytest.fixture
def copy(before_and_after: tuple[dict[str, bytes], Copy]) -> Copy:
    return before_and_after[1]


def test_the_commands_of_the_page_work(copy: Copy) -> None:
    (commands,) = [block.lines for block in blocks(PAGE) if block.kind == "sh"]
    printed = {line: copy.type(line) for line in commands}
    for name in ADDED:
        assert "this documentation" in printed[f"shoal methods {name}"]
        assert "--k" in printed[f"shoal anonymize --method {name} --help"]
    assert "--words" in printed["shoal anonymize --method brief --help"]
    assert "--words" not in printed["shoal anonymize --method chop --help"]
    assert [line for line in commands if line.startswith("shoal audit") and "all claims hold" not in printed[line]] == []
    groups, rows = (json.loads((copy.home / out / "manifest.json").read_text("utf-8")) for out in ("groups", "rows"))
    assert [manifest["method"] for manifest in (groups, rows)] == ["chop", "brief"]
    assert rows["accounting"]["rows"] == {"in": 4, "published": 2, "dropped: too many words": 1, "dropped: fewer than k people": 1}
    assert (copy.home / "rows" / "log.csv").read_text("utf-8").split() == ["query", "rain", "rain"]


def test_a_changed_release_of_a_new_method_fails_its_audit(copy: Copy) -> None:
    copy.type("shoal anonymize log.csv --method brief --k 2 --to csv --out changed")
    (copy.home / "changed" / "log.csv").write_text("query\nrain\nben miller\n", "utf-8")
    assert copy.run("shoal", "audit", "changed", "--original", "log.csv").returncode == 3


def test_the_contract_tests_find_both_and_they_keep_the_contract(copy: Copy) -> None:
    printed = copy.test("-v", "--everything", "tests/contract", "-k", "chop or brief")
    for name, file in (("chop", "test_methods"), ("brief", "test_rows_contract"), ("brief", "test_rows_methods")):
        assert len(re.findall(rf"^tests/contract/{file}\.py::.*\[{name}.*PASSED", printed, re.MULTILINE)) >= 5


def test_the_tests_on_tables_options_and_sources_pass(copy: Copy) -> None:
    files = ("tests/test_registry.py", "tests/test_shared_names.py", "tests/test_house.py", "tests/cli/test_method_options.py")
    copy.test(*files, "-k", "chop or brief or registry or shared_names or (house and methods) or completes or plain_help or takes_a_name")


def test_the_script_lists_the_pages_and_the_documentation_is_complete(copy: Copy) -> None:
    lists = [copy.root / "docs" / "methods.md", copy.root / "docs" / "README.md"]
    old = [(ROOT / page.relative_to(copy.root)).read_text("utf-8").split("\n") for page in lists]
    for _ in range(2):  # the second time there is nothing to add
        done = copy.run("refresh_docs", *(f"docs/methods/{name}.md" for name in ADDED), at=copy.root)
        assert done.returncode == 0, done.stderr
        for page, lines in zip(lists, old, strict=True):
            fresh = page.read_text("utf-8").split("\n")
            assert [line for line in fresh if line in lines] == lines
            assert len(fresh) == len(lines) + len(ADDED)
    copy.test("tests/docs/test_coverage.py", "tests/docs/test_links.py", "-k", "chop or brief or README")


def test_nothing_else_was_changed(before_and_after: tuple[dict[str, bytes], Copy]) -> None:
    before, copy = before_and_after
    after = copy.files()
    assert set(after) - set(before) == {f"src/shoal/methods/{name}.py" for name in ADDED} | {f"docs/methods/{name}.md" for name in ADDED}
    by_script = {"docs/methods.md", "docs/README.md"}
    assert {name for name in before if after.get(name) != before[name]} - by_script == {TABLE}
    old, now = (files[TABLE].decode().split("\n") for files in (before, after))
    assert [line for line in now if line not in old] == [table_line(name) for name in ADDED]
    assert len(now) == len(old) + len(ADDED)
