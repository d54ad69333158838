"""The fuzzers run on their first inputs and on kept findings: the programs in C++ once for each file, built without libFuzzer."""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from fuzzers.access_lines import batches, differences, split_by_hand
from fuzzers.seeds import LINES, seeds

HERE = Path(__file__).parent
KERNELS = HERE.parents[1] / "cpp"
SOURCES = {
    "times": ["text/times.cpp"],
    "utf8": [],
    "delimited": ["text/delimited.cpp", "text/text_column.cpp", "text/interner.cpp"],
}


@pytest.mark.parametrize("name", SOURCES)
def test_first_inputs_and_kept_findings(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    files = [HERE / f"{name}.cpp", HERE / "replay.cpp", *(KERNELS / source for source in SOURCES[name])]
    program = tmp_path / "program"
    command = [compiler, "-std=c++20", "-O0", "-pthread", f"-I{KERNELS}", f"-I{HERE}", *map(str, files), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    inputs = sorted((HERE / "kept" / name).glob("*"))
    for number, content in enumerate(seeds()[name]):
        inputs.append(tmp_path / str(number))
        inputs[-1].write_bytes(content)
    done = subprocess.run([program, *map(str, inputs)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{len(inputs)} files\n"), done.stderr


def test_lines_of_access_logs_are_split_as_by_hand() -> None:
    assert all(map(split_by_hand, LINES))
    kept = [path.read_text(encoding="utf-8") for path in sorted((HERE / "kept" / "access_lines").glob("*"))]
    assert differences([*LINES, *kept]) == []
    assert differences([line for lines in islice(batches(random.Random(1)), 1) for line in lines]) == []
