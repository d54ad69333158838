"""The fuzzers run on their first inputs and on kept findings: the programs in C++ once for each file, built without libFuzzer.

Those of readers run on some mutants too, and notice a reader that loses a line, raises what is no error of ours, or depends on compression.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fuzzers import readers
from fuzzers.access_lines import batches, differences, split_by_hand
from fuzzers.readers import TARGETS, Fuzzer, Target, first_inputs, mutants, read, wrong
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


def inputs_of_readers() -> list[bytes]:
    kept = [path.read_bytes() for path in sorted((HERE / "kept" / "readers").glob("*"))]
    return [*kept, *first_inputs()]


def test_readers_hold_for_first_inputs_and_mutants(tmp_path: Path) -> None:
    inputs = inputs_of_readers()
    for data in [*inputs, *islice(mutants(random.Random(1), inputs), 100)]:
        assert wrong(data, tmp_path) == [], data


def test_first_inputs_are_read(tmp_path: Path) -> None:
    """Each reader takes at least one of its first inputs, so that fuzzing begins inside of it."""
    for number, target in enumerate(TARGETS):
        path = tmp_path / target.file
        outcomes = []
        for data in first_inputs():
            if data[0] == number:
                path.write_bytes(data[1:])
                outcomes.append(read(target, path))
        assert not all(isinstance(found, str) for found in outcomes), f"{target.name}: {outcomes}"


def test_a_line_that_is_lost_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = next(number for number, target in enumerate(TARGETS) if target.name == "lines")

    def loses_one(target: Target, path: Path) -> Any:
        return SimpleNamespace(rows=SimpleNamespace(total=1))

    monkeypatch.setattr(readers, "read", loses_one)
    assert wrong(bytes([at + len(TARGETS)]) + b"a b\nb c\n", tmp_path) == ["lines: 2 lines, of which 1 were counted"]


def test_another_result_of_a_compressed_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "read", lambda target, path: path.suffix)
    assert wrong(b"\x00user,item\n", tmp_path) == ["table gives something else if it is compressed"]


def test_an_error_that_is_none_of_ours_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(data: bytes, place: Path) -> list[str]:
        raise KeyError("user")

    monkeypatch.setattr(readers, "wrong", fails)
    fuzzer = Fuzzer(tmp_path, 60)
    fuzzer.one(b"\x00abc")
    fuzzer.close()
    assert (fuzzer.count, fuzzer.failures, (tmp_path / "1").read_bytes()) == (1, 1, b"\x00abc")
