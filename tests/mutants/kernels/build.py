"""The module of kernels with the places of all mutants, and how to switch between them."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from mutants.change import Mutant
from mutants.judges import ROOT
from mutants.kernels.sources import marked

KERNELS = ROOT / "cpp" / "judge"
PLACE = ROOT / "build" / "mutants" / "kernels"
MODULE = "shoal._kernels"


def kernel_mutants() -> list[tuple[Path, str, Mutant]]:
    """All mutants of the kernels that judges count with, each with the path and the short name of its file."""
    return [(path, f"kernels/{path.stem}", mutant) for path, _, mutants in _marked_kernels() for mutant in mutants]


def _marked_kernels() -> list[tuple[Path, str, list[Mutant]]]:
    found: list[tuple[Path, str, list[Mutant]]] = []
    first = 0
    for path in sorted(KERNELS.glob("*.cpp")):
        text, mutants = marked(path.read_text(encoding="utf-8"), first)
        first += len(mutants)
        found.append((path, text, mutants))
    return found


def build() -> Path:
    """Compile a copy of the kernels with the places marked; the path of the module."""
    source, made = PLACE / "source", PLACE / "made"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "cpp", source / "cpp")  # with the times of files, so that little is compiled again
    shutil.copy(ROOT / "CMakeLists.txt", source)
    count = 0
    for path, text, mutants in _marked_kernels():
        (source / "cpp" / "judge" / path.name).write_text(text, encoding="utf-8")
        count += len(mutants)
    shutil.copy(Path(__file__).with_name("mutation.hpp"), source / "cpp")
    (source / "cpp" / "judge" / "mutation.cpp").write_text(switch(count), encoding="utf-8")
    nanobind = _output([sys.executable, "-m", "nanobind", "--cmake_dir"])
    configure = ["cmake", "-S", source, "-B", made, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-Dnanobind_DIR={nanobind}"]
    _output([*map(str, configure), f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_CXX_FLAGS=-w"])
    _output(["cmake", "--build", str(made)])
    return next(made.glob("_kernels*.so"))


def switch(count: int) -> str:
    """The source text of the switch between this many mutants."""
    return f"""#include "mutation.hpp"
namespace mutation {{
int active = -1;
char reached[{count + 1}];
}}
extern "C" __attribute__((visibility("default"))) void shoal_activate(int number) {{ mutation::active = number; }}
extern "C" __attribute__((visibility("default"))) char* shoal_reached() {{ return mutation::reached; }}
"""


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout.strip()


class MarkedKernels:
    """The loaded module: which mutant is active, and which places were reached."""

    def __init__(self, path: Path, count: int) -> None:
        if MODULE in sys.modules:
            raise RuntimeError("other kernels are loaded already")
        spec = importlib.util.spec_from_file_location(MODULE, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[MODULE] = module
        spec.loader.exec_module(module)
        self._library = ctypes.CDLL(str(path))  # the same library again, as it is loaded already
        self._library.shoal_reached.restype = ctypes.POINTER(ctypes.c_char)
        self._reached = ctypes.cast(self._library.shoal_reached(), ctypes.POINTER(ctypes.c_char * count)).contents

    def activate(self, number: int) -> None:
        """Make one mutant active."""
        self._library.shoal_activate(number)

    def forget(self) -> None:
        """Forget which places were reached."""
        ctypes.memset(self._reached, 0, len(self._reached))

    def reached(self) -> list[int]:
        """The numbers of the places that were reached."""
        return [number for number, mark in enumerate(self._reached.raw) if mark]
