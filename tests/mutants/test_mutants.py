"""The mutants of a small file, and that a run tells a killed one from a survivor."""

from __future__ import annotations

import os
import subprocess
import sys

from mutants.change import mutants
from mutants.run import JUDGES, ROOT, judges, own_tests

SOURCE = """
def judge(k: int | None, people: list[int]) -> bool:
    return k is not None and all(n >= k for n in people) and not (1 + len(people) < 0)
"""


def test_every_operator_is_changed_once() -> None:
    assert sorted(mutant.change.split(" -> ")[1] for mutant in mutants(SOURCE)) == [
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
    assert len({mutant.source for mutant in mutants(SOURCE)}) == len(mutants(SOURCE)), "each is another file"


def test_annotations_and_decorators_stay() -> None:
    assert mutants("@dataclass(frozen=True)\nclass A:\n    a: int | None\n\ndef f(x: int | str) -> int | str: ...\n") == []


def test_own_tests_a_judge_and_of_its_parts() -> None:
    own = own_tests(JUDGES / "microdata_k_anonymity.py")
    assert own[0].startswith("tests/privacy/")
    assert set(own) <= set(own_tests(JUDGES / "evidence" / "microdata_evidence.py"))


def test_every_judge_has_tests() -> None:
    assert all(own_tests(judge) for judge in judges())
    assert "tests/privacy/test_kkm.py" in own_tests(JUDGES / "kkm_anonymity.py"), "it names the model alone"


def test_a_changed_judge_is_noticed() -> None:
    """In a process of its own, since forks may not have threads of Polars."""
    program = (
        "from mutants.run import *; load_packages(); judge = JUDGES / 'public_k_anonymity.py'; tests = ['tests/mutants/noticed.py'];"
        "print([outcome(judge, source, tests) for source in (None, judge.read_text() + '\\nCHANGED = True')])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "SHOAL_TEST_TURN": "0"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout == "['survived', 'killed']\n", done.stderr
