"""The mutants of a small kernel: which they are, that none is active at first, and that each does what its change says."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mutants.equivalent import Equivalents
from mutants.kernels.build import kernel_mutants, switch
from mutants.kernels.sources import marked

SOURCE = """#include <vector>
constexpr int kLimit = 3;
extern "C" int counted(int, int, bool);
int counted(int from, int to, bool even) {
    int total = 0;
    for (int i = from; i < to; ++i) {
        if (even && i % 2 == 1) continue;
        ++total;
    }
    work.add(2);
    return total;
}
"""
FIRST = 5
CHANGES = {  # and what `counted(1, 6, True)` returns with it
    "int total = 0;: 0 -> 1": 3,
    "for (int i = from; i < to; ++i) {: < -> <=": 3,
    "if (even && i % 2 == 1) continue;: left side of && only": 0,
    "if (even && i % 2 == 1) continue;: % -> *": 5,
    "if (even && i % 2 == 1) continue;: 2 -> 3": 3,
    "if (even && i % 2 == 1) continue;: == -> !=": 3,
    "if (even && i % 2 == 1) continue;: 1 -> 2": 5,
    "if (even && i % 2 == 1) continue;: condition negated": 3,
    "if (even && i % 2 == 1) continue;: skipped": 5,
    "++total;: skipped": 0,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The small kernel with all of its mutants."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if not compiler:
        pytest.skip("there is no C++ compiler")
    place = tmp_path_factory.mktemp("kernel")
    text, found = marked(SOURCE.replace("work.add(2);", ""), FIRST)
    (place / "kernel.cpp").write_text(text, encoding="utf-8")
    (place / "switch.cpp").write_text(switch(FIRST + len(found)), encoding="utf-8")
    include = Path(__file__).with_name("kernels")
    files = ["-o", str(place / "kernel.so"), str(place / "kernel.cpp"), str(place / "switch.cpp")]
    subprocess.run([compiler, "-std=c++20", "-O0", "-shared", "-fPIC", f"-I{include}", *files], check=True)
    return ctypes.CDLL(str(place / "kernel.so"))


def counted(library: ctypes.CDLL, mutant: int) -> int:
    library.shoal_activate(mutant)
    counted: Callable[[int, int, bool], int] = library.counted
    return counted(1, 6, True)


def test_every_place_is_changed() -> None:
    _, found = marked(SOURCE, FIRST)
    assert {mutant.change for mutant in found} == CHANGES.keys()
    assert [mutant.node for mutant in found] == list(range(FIRST, FIRST + len(CHANGES)))
    assert {mutant.where for mutant in found} == {"counted"}


def test_each_mutant_does_what_it_says(library: ctypes.CDLL) -> None:
    _, found = marked(SOURCE, FIRST)
    assert counted(library, -1) == 2
    assert {mutant.change: counted(library, mutant.node) for mutant in found} == CHANGES


def test_places_that_were_reached_are_known(library: ctypes.CDLL) -> None:
    library.shoal_reached.restype = ctypes.POINTER(ctypes.c_char * (FIRST + len(CHANGES)))
    reached = library.shoal_reached().contents
    ctypes.memset(reached, 0, len(reached))
    library.counted(6, 6, True)
    assert [number for number, mark in enumerate(reached.raw) if mark] == [FIRST, FIRST + 1]


def test_the_mutants_of_all_kernels_have_names_of_their_own() -> None:
    every = kernel_mutants()
    keys = {(name, mutant.where, mutant.change, mutant.number) for _, name, mutant in every}
    assert len(every) == len(keys) > 500
    assert all(mutant.where for _, _, mutant in every)
    equivalents = Equivalents()
    assert not [mutant for _, name, mutant in every if equivalents.reason(name, mutant) == ""]
