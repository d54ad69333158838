"""The Makefile: which changes compile the kernels again."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMPILES = "cmake --build build/kernels"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A directory in which make finds that everything has been built already."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    for name in ("Makefile", "CMakeLists.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("cpp/base/rows.cpp", "src/shoal/kernels.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("")
    for file in tmp_path.rglob("*"):
        os.utime(file, (1_000, 1_000))
    (tmp_path / ".venv").mkdir()
    for n, stamp in enumerate(("tools", "package", "kernels", "installed", "tested", "linted")):
        (tmp_path / ".venv" / stamp).write_text("")
        os.utime(tmp_path / ".venv" / stamp, (2_000 + n, 2_000 + n))
    return tmp_path


def planned(directory: Path, target: str = "demo") -> str:
    """The commands that make would run."""
    clean = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    return subprocess.run(["make", "--dry-run", target], cwd=directory, env=clean, capture_output=True, text=True, check=True).stdout


def test_a_change_of_a_python_file_compiles_and_installs_nothing(built: Path):
    (built / "src/shoal/kernels.py").write_text("changed = True\n")
    assert planned(built).strip() == ".venv/bin/shoal demo"


def test_a_change_of_a_kernel_compiles_but_installs_no_package(built: Path):
    (built / "cpp/base/rows.cpp").write_text("// changed\n")
    assert COMPILES in planned(built)
    assert "--editable" not in planned(built)


def test_a_change_of_the_dependencies_installs_but_compiles_nothing(built: Path):
    (built / "pyproject.toml").write_text("# changed\n")
    assert "--editable ." in planned(built)
    assert COMPILES not in planned(built)


def test_every_folder_of_a_compilation_unit_exists():
    listed = next(line for line in (ROOT / "CMakeLists.txt").read_text().splitlines() if line.startswith("set(SHOAL_UNITS"))
    folders = listed.removeprefix("set(SHOAL_UNITS").rstrip(")").replace('"', " ").split()
    assert folders
    assert [folder for folder in folders if not (ROOT / "cpp" / folder).is_dir()] == []
    assert len(folders) == len(set(folders))


def test_the_stable_interface_is_not_set_for_editable_installs():
    """With `wheel.py-api` in pyproject.toml, an installation without kernels, as in the Makefile, fails; scripts/wheels.py sets it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert "--config-settings=wheel.cmake=false" in (ROOT / "Makefile").read_text()
    assert set(settings["scikit-build"]["wheel"]) == {"packages"}
    assert settings["cibuildwheel"]["config-settings"] == {"wheel.py-api": "cp312"}
