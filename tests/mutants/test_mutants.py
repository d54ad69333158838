"""The mutants of a small file, that a loaded module runs its changed code, and that a run tells a killed one from a survivor."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from mutants.change import changed, mutants
from mutants.equivalent import Equivalents
from mutants.judges import ROOT, all_mutants, judges, module_of
from mutants.kernels.build import kernel_mutants
from mutants.log import Log, ends_of, summary, survivors
from mutants.replace import LoadedFunctions, NotReplaced

SOURCE = """
def judge(k: int | None, people: list[int]) -> bool:
    return k is not None and all(n >= k for n in people) and not (1 + len(people) < 0)
"""
LOADED = """
from dataclasses import dataclass
LIMIT = 3
def small(n: int, least: int = 2) -> bool:
    return least <= n < LIMIT
@dataclass(frozen=True)
class Model:
    k: int = 5
    def holds(self, n: int) -> bool:
        return any(n >= self.k for _ in range(1))
"""
TESTS = """
from {module} import least
def test_the_least() -> None:
    assert least([2, 1, 3]) == 1
"""


def test_every_operator_is_changed_once() -> None:
    found = mutants(SOURCE)
    assert sorted(mutant.change.split(" -> ")[1] for mutant in found) == [
        "1",
        "1 + len(people) <= 0",
        "1 - len(people)",
        "2",
        "any((n >= k for n in people))",
        "k is None",
        "k is not None or all((n >= k for n in people)) or (not 1 + len(people) < 0)",
        "n > k",
        "not not 1 + len(people) < 0",
    ]
    assert len({ast.unparse(changed(SOURCE, mutant)) for mutant in found}) == len(found), "each is another file"


def test_annotations_and_decorators_stay() -> None:
    assert mutants("@dataclass(frozen=True)\nclass A:\n    a: int | None\n\ndef f(x: int | str) -> int | str: ...\n") == []


def test_wording_and_checks_of_lengths_stay() -> None:
    assert mutants('def f(n):\n    return f"{n + 1:,} {g(n == 2)}", "is" if n == 1 else "are", list(zip(n, n, strict=True))\n') == []
    assert [mutant.change for mutant in mutants('def f(n):\n    return "a" if n == 0 else "b"\n')] == ["n == 0 -> n != 0", "0 -> 1"]


def test_the_limit_of_work_stays() -> None:
    assert mutants('def f(n):\n    patience.spend(n * 20 + 1, "this")\n    patience.insist_on_room(2 * n, "that")\n') == []


def test_mutants_are_named_by_place_and_not_by_line() -> None:
    source = "LIMIT = 3\nclass Model:\n    k: int = 5\n    def judge(self, n):\n        return n + 1 > 1\n"
    named = [(mutant.where, mutant.change, mutant.number) for mutant in mutants(source)]
    assert named == [(mutant.where, mutant.change, mutant.number) for mutant in mutants("\n\n" + source)]
    assert sorted(named) == [
        ("LIMIT", "3 -> 4", 1),
        ("Model.judge", "1 -> 2", 1),
        ("Model.judge", "1 -> 2", 2),
        ("Model.judge", "n + 1 -> n - 1", 1),
        ("Model.judge", "n + 1 > 1 -> n + 1 >= 1", 1),
        ("Model.k", "5 -> 6", 1),
    ]


LISTED = """
[[mutant]]
file = "a"
where = "LIMIT"
change = "*"
reason = "a limit of work"
[[mutant]]
file = "a"
where = "judge"
change = "1 -> 2"
number = 1
reason = "half of it"
"""


def test_listed_mutants_are_not_run_and_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "listed.toml"
    path.write_text(LISTED)
    every = [("a", mutant) for mutant in mutants("LIMIT = 3\ndef judge(n):\n    return 1 + n + 1\n")]
    listed = Equivalents(path)
    assert [listed.reason(*one) is not None for one in every].count(True) == 2
    assert listed.unmatched(every) == []
    assert len(listed.unmatched([("b", mutant) for _, mutant in every])) == 2
    path.write_text(LISTED.replace("LIMIT", "judge").replace("1 -> 2", "3 -> 4"))
    assert len(Equivalents(path).unmatched(every)) == 2, "a star is for constants"


def test_every_listed_mutant_of_the_judges_exists() -> None:
    every = [*all_mutants(), *kernel_mutants()]
    assert Equivalents().unmatched([(name, mutant) for _, name, mutant in every]) == []


def test_later_lines_of_a_log_replace_earlier_ones(tmp_path: Path) -> None:
    source = "def judge(n):\n    return n > 1\ndef other(n):\n    return n\n"
    place, every = tmp_path / "log.jsonl", [("a", mutant) for mutant in mutants(source)]
    for end in ("survived", "killed"):
        Log(place).add(*every[0], end, 0.1)
    Log(place).add(*every[1], "survived", 0.1)
    log = Log(place)
    assert [log.end(*one, current=True) for one in every] == ["killed", "survived"]
    found = ends_of(log, every, Equivalents())
    assert "| `a` | 2 | 1 | 1 | 0 |" in summary(found)
    assert survivors(found) == "a:2 [survived] judge: 1 -> 2"
    moved = mutants("\n\n" + source.replace("return n\n", "return [n]\n"))
    assert log.end("a", moved[0], current=True) == "killed"
    changed_since = mutants(source.replace("n > 1", "n > 1 or n"))
    same = next(mutant for mutant in changed_since if mutant.change == every[0][1].change)
    assert (log.end("a", same, current=True), log.end("a", same)) == (None, "killed")


def test_every_mutant_runs_in_a_loaded_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators of functions, constants, defaults of arguments and of fields, also for those that have imported them before."""
    path = tmp_path / "loaded_judge.py"
    path.write_text(LOADED)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = import_module("loaded_judge")
    small, model = module.small, module.Model

    def answers() -> list[bool]:
        return [*(small(n) for n in range(6)), *(model().holds(n) for n in range(8)), model(k=3).holds(3)]

    before = answers()
    every = mutants(LOADED)
    assert len(every) == 8
    for mutant in every:
        LoadedFunctions([path]).replace("loaded_judge", path, changed(LOADED, mutant))
        after = answers()
        assert (after != before) == ("range" not in mutant.change and "1 ->" not in mutant.change), mutant.change
        monkeypatch.delitem(sys.modules, "loaded_judge")
        module = import_module("loaded_judge")
        small, model = module.small, module.Model
        assert answers() == before
    with pytest.raises(NotReplaced):
        LoadedFunctions([path]).replace("loaded_judge", path, ast.parse(LOADED))


def test_judges_can_be_imported() -> None:
    assert "shoal.privacy.k_anonymity" in {module_of(path) for path in judges()}
    assert "shoal.privacy.evidence" in {module_of(path) for path in judges()}


def test_killed_and_surviving_mutants_are_told_apart(tmp_path: Path) -> None:
    """In a process of its own, which has no threads of Polars."""
    path = tmp_path / "numbers_judge.py"
    path.write_text("def least(numbers):\n    if len(numbers) > 0:\n        return min(numbers)\n    return 7\n")
    (tmp_path / "test_numbers.py").write_text(TESTS.format(module="numbers_judge"))
    program = f"""
import sys; sys.path[:0] = [{str(ROOT / "tests")!r}, {str(tmp_path)!r}]
from pathlib import Path
import pytest, numbers_judge
from mutants import server, change
server.ROOT = path = Path({str(tmp_path)!r})
judge = path / "numbers_judge.py"
def work(made):
    for mutant in change.mutants(judge.read_text()):
        print(mutant.change, "|", made.outcome("numbers_judge", judge, mutant))
plugin = server.MutantServer([judge], path / "cache", work)
pytest.main(["-q", "-s", "--rootdir", str(path), "-p", "no:cacheprovider", str(path / "test_numbers.py")], plugins=[plugin])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    ends = dict(line.split(" | ") for line in done.stdout.splitlines() if " | " in line)
    assert ends == {
        "len(numbers) > 0 -> len(numbers) >= 0": "survived",
        "0 -> 1": "survived",
        "min(numbers) -> max(numbers)": "killed",
        "7 -> 8": "not reached",
    }, done.stdout + done.stderr
