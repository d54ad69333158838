"""Some faults of a random command, of which nightly runs try many, and that the checks after a fault can fail."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from faults.children import Ended
from faults.cluster_workers import LOG, failing_audit, left_behind, wrong_records
from faults.commands import Beside, Work, works
from faults.trials import RELEASE, Befallen, Trial
from fuzz.case import Case

TRIALS = 3
PARTIAL = ".release.0123abcd.0123abcd.partial"


@pytest.mark.skipif(sys.platform != "linux", reason="calls are made to fail by a library that is loaded first, as Linux can")
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler for the library of failing calls")
def test_a_random_command_survives_random_faults() -> None:
    words = [sys.executable, "-m", "tests.faults", "--trials", str(TRIALS), "--seed", "1"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2], env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{TRIALS} trials" in done.stdout


@pytest.fixture
def befallen(tmp_path: Path) -> Befallen:
    """A command whose files are there, without any process."""
    one = Befallen.__new__(Befallen)
    one.place, one.directory = tmp_path, tmp_path / "here"
    (tmp_path / "tmp").mkdir()
    one.directory.mkdir()
    (one.directory / "input.csv").touch()
    one.inputs, one.case = {"input.csv"}, Case(0, "km", "table", ["input.csv"])
    one.usual, one.aside, one.number, one.rng = 0, tmp_path / "aside", 0, random.Random(0)
    one.aside.mkdir()
    return one


def trial(fault: str, *, replacing: bool = False) -> Trial:
    return Trial(0, "km", fault, "", replacing)


REFUSED, DONE, KILLED = Ended(1, "", "shoal: interrupted", 1), Ended(0, "", "", 1), Ended(-9, "", "", 1)


def test_nothing_may_be_left_behind(befallen: Befallen) -> None:
    assert befallen._left(trial("interrupt"), REFUSED) == []
    (befallen.directory / PARTIAL).mkdir(mode=0o700)
    assert befallen._left(trial("kill"), KILLED) == []
    assert befallen._left(trial("interrupt"), REFUSED)
    (befallen.directory / PARTIAL).chmod(0o755)
    assert befallen._left(trial("kill"), KILLED), "others may read it"
    (befallen.directory / PARTIAL).rmdir()
    (befallen.place / "tmp" / "spilled").touch(mode=0o600)
    assert befallen._left(trial("kill"), KILLED), "a later run would not know it"


def test_an_older_release_may_not_vanish(befallen: Befallen) -> None:
    assert befallen._left(trial("disk full", replacing=True), REFUSED)
    assert befallen._left(trial("kill", replacing=True), KILLED) == []


def test_a_run_ends_with_a_clear_line(befallen: Befallen) -> None:
    def wrong(fault: str, ended: Ended) -> list[str]:
        one = trial(fault)
        one.message = ended.err
        return befallen._wrong_end(one, ended)

    assert wrong("read error", REFUSED) == []
    assert wrong("read error", DONE), "no release"
    (befallen.directory / RELEASE).mkdir()
    assert wrong("read error", DONE) == []
    assert wrong("read error", KILLED)
    assert wrong("read error", Ended(3, "", "shoal: a claim does not hold", 1))
    assert wrong("read error", Ended(1, "", "shoal: an unexpected error of kind OSError", 1))
    assert wrong("read error", Ended(1, "", "Traceback", 1))


def test_another_command_leaves_a_whole_output_or_none_and_its_inputs_as_they_are(befallen: Befallen) -> None:
    one = Beside(befallen, Work(("generate", "made.tsv"), "made.tsv", ("--force",)))
    (one.aside / "made.tsv").write_text("a\nb\n")
    assert one._left(trial("interrupt"), REFUSED) == []
    (one.directory / "made.tsv").write_text("a\n")
    assert one._left(trial("kill"), KILLED), "half of the output"
    (one.directory / "made.tsv").write_text("a\nb\n")
    assert one._left(trial("kill"), KILLED) == []
    (one.directory / "input.csv").write_text("changed")
    assert one._left(trial("kill"), KILLED), "the input was changed"


def test_files_of_an_output_directory_are_compared(befallen: Befallen) -> None:
    one = Beside(befallen, Work(("reconstruct", "release", "--out", "drawn"), "drawn"))
    for place in (one.aside, one.directory):
        (place / "drawn").mkdir()
        (place / "drawn" / "reconstruction_1.csv").write_text("record,item\n1,a\n")
    assert one._left(trial("kill"), KILLED) == []
    (one.directory / "drawn" / "reconstruction_1.csv").write_text("record,item\n")
    assert one._left(trial("kill"), KILLED), "half of a file"


def test_a_comparison_that_was_stopped_may_stay_for_the_next_run(befallen: Befallen) -> None:
    one = Beside(befallen, Work(("compare", "input.csv", "--out", "page"), "page", resumes=True))
    (one.directory / "page").mkdir(mode=0o755)
    assert one._left(trial("interrupt"), REFUSED) == []
    assert (one.directory / "page").is_dir()
    (one.directory / "other").mkdir()
    assert one._left(trial("interrupt"), REFUSED)


def test_commands_are_those_that_fit_the_release() -> None:
    names = {work.name for work in works(Case(0, "km", "table", ["input.csv"], said={"sep": ";", "k": "3"}))}
    assert {"look", "audit", "measure", "bound", "attack", "advise", "compare", "taxonomy learn", "generate", "doctor"} <= names
    assert "mask" not in names
    assert any(
        "--sep" in work.words and "--k" not in work.words
        for work in works(Case(0, "km", "t", ["i"], said={"sep": ";", "k": "3"}))
        if work.name == "look"
    )


def test_the_checks_after_killed_workers_can_fail(tmp_path: Path) -> None:
    here, reference, temporary = (tmp_path / name for name in ("here", "reference", "tmp"))
    for path in (here, reference, temporary):
        path.mkdir()
    shoal.generate(users=60, seed=1).write_csv(here / LOG, separator="\t")
    for place, k in ((here, 3), (reference, 10)):
        shoal.anonymize(here / LOG, "coherence", k=k, p=1, per="event", taxonomy="none").write(place / RELEASE)
    assert wrong_records(here, reference), "other records"
    assert left_behind(here, temporary) == []
    assert failing_audit(here) == []
    (temporary / "spilled").touch()
    assert left_behind(here, temporary)
    manifest = here / RELEASE / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"k": 3', '"k": 30'))
    assert failing_audit(here)
