"""What keeps shoal from Windows is known: docs/releasing.md names every file that uses something which only POSIX systems have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "shoal"
MODULES = {"fcntl", "grp", "pwd", "pty", "resource", "termios", "tty"}
CALLS = {
    *(
        "chown",
        "chroot",
        "fchmod",
        "fchown",
        "fork",
        "geteuid",
        "getegid",
        "getgid",
        "getpgid",
        "getuid",
        "killpg",
        "lchown",
        "mkfifo",
        "nice",
    ),
    *(
        "openpty",
        "posix_fallocate",
        "pread",
        "preadv",
        "pwrite",
        "pwritev",
        "register_at_fork",
        "sched_getaffinity",
        "setsid",
        "statvfs",
        "umount",
    ),
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK"),
}

ANY_NAME = re.compile(rf"\b({'|'.join(MODULES | CALLS)})\b")  # most files have none and need not be parsed


def posix_names(text: str) -> Iterator[str]:
    """Names that Windows lacks, except where `hasattr` asks for them first."""
    if not ANY_NAME.search(text):
        return
    tree = ast.parse(text)
    asked = {node.args[1].value for node in ast.walk(tree) if is_question(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ({name.name for name in node.names} & MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield node.module
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in CALLS - asked:
            yield node.attr


def is_question(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "hasattr"
        and isinstance(node.args[1], ast.Constant)
    )


def test_documentation_names_every_file_that_needs_posix() -> None:
    page = (ROOT / "docs" / "releasing.md").read_text("utf-8")
    section = page[page.index("**Windows** is not supported") : page.index("## Publishing a version")]
    files = sorted(SOURCES.rglob("*.py"))
    used = {str(file.relative_to(SOURCES)) for file in files if any(posix_names(file.read_text("utf-8")))}
    assert used == set(re.findall(r"`(\S+\.py)`", section))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import fcntl", ["fcntl"]),
        ("from pwd import getpwuid", ["pwd"]),
        ("import os\nos.pread(3, 1, 0)", ["pread"]),
        ("import os\nif hasattr(os, 'nice'):\n    os.nice(1)", []),
    ],
)
def test_search_for_names(text: str, names: list[str]) -> None:
    assert list(posix_names(text)) == names
