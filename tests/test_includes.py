"""The kernels' folders include one another in one direction only, as cpp/README.md draws it."""

from __future__ import annotations

import re
from pathlib import Path

CPP = Path(__file__).parents[1] / "cpp"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)[^;]*$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)/` \| (.*?) \|", re.MULTILINE)


def allowed() -> dict[str, set[str]]:
    """The folders each folder may include, from the table of cpp/README.md."""
    rows = ROW.findall((CPP / "README.md").read_text())
    folders = {folder for folder, _ in rows}
    return {folder: folders if names == "all" else {folder, *re.findall(r"`(\w+)`", names)} for folder, names in rows}


def test_the_table_names_every_folder() -> None:
    assert set(allowed()) == {path.name for path in CPP.iterdir() if path.is_dir()}


def test_the_table_has_no_cycle() -> None:
    open_folders = {folder: names - {folder} for folder, names in allowed().items()}
    while open_folders:
        bottom = {folder for folder, names in open_folders.items() if not names & set(open_folders)}
        assert bottom, f"folders include one another: {sorted(open_folders)}"
        open_folders = {folder: names for folder, names in open_folders.items() if folder not in bottom}


def test_a_file_includes_only_what_lies_below() -> None:
    below = allowed()
    includes = [(file, name) for file in CPP.glob("*/*.[hc]pp") for name in INCLUDE.findall(file.read_text())]
    assert len(includes) > 100
    assert not [f"{file}: {name}" for file, name in includes if name.split("/")[0] not in below[file.parent.name]]


def test_the_judge_includes_base_alone() -> None:
    assert allowed()["judge"] == {"judge", "base"}


def test_no_two_headers_define_a_type_of_the_same_name() -> None:
    """The linker keeps one of two functions of the same name: two types of one name and different sizes would share their code."""
    defined = [name for file in CPP.glob("*/*.hpp") for name in TYPE.findall(file.read_text())]
    assert sorted(set(defined)) == sorted(defined)
