"""The server of mutants for kernels: a place is the number of a mutant, and a mutant takes effect by a switch in the compiled module."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutants.change import Mutant
from mutants.judges import ROOT
from mutants.kernels.build import MarkedKernels
from mutants.server import MutantServer


class KernelServer(MutantServer):
    """Runs tests with the module that contains all mutants."""

    def __init__(self, kernels: MarkedKernels, mutants: Iterable[tuple[Path, Mutant]], *args: Any) -> None:
        super().__init__(*args)
        self._kernels = kernels
        self._file_of = {mutant.node: str(path.relative_to(ROOT)) for path, mutant in mutants}

    def _load(self) -> None:
        """Nothing to find: the module is loaded."""

    def _trace(self, item: pytest.Item, following: pytest.Item | None, lines: set[tuple[str, int]]) -> bool:
        self._kernels.forget()
        reports = runtestprotocol(item, log=False, nextitem=following)
        lines.update((self._file_of[number], number) for number in self._kernels.reached())
        return all(report.passed for report in reports)

    def _places(self, mutant: Mutant) -> Iterable[int]:
        return (mutant.node,)

    def _replace(self, module: str, path: Path, mutant: Mutant) -> None:
        self._kernels.activate(mutant.node)
