"""A release that was tampered with: every edit is caught, or what it changed is named as only stated.

Whoever edits a manifest can compute its digest anew, so all edits here do; that no edit passes without that is a test of its own.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from helpers.cli import FOOD, ITEMS, Shell, baskets, failed, one_line
from helpers.tampering import manifest_of, put, renew
from helpers.tamperings import CLAIM, REPRINTED, TAMPERING, OnlyStated, Outcome
from shoal.cli.main import run
from shoal.data.release import Release
from shoal.kinds import facts_of, render_report
from shoal.kinds.bags.read import read_records
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

BESIDE = ["--original", "baskets.txt", "--taxonomy", "food.csv"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with baskets.txt, food.csv and a release of them."""
    place = tmp_path_factory.mktemp("made")
    (place / "baskets.txt").write_text(baskets())
    (place / "food.csv").write_text(FOOD)
    words = ["anonymize", place / "baskets.txt", "--taxonomy", place / "food.csv", "--k", "3", "--to", "csv", "--out", place / "release"]
    assert run([str(word) for word in words]) == 0
    return place


@pytest.fixture
def copy(shell: Shell, made: Path) -> Shell:
    """The same, to be spoilt."""
    shutil.copytree(made, shell.directory, dirs_exist_ok=True)
    return shell


def check(shell: Shell, outcome: Outcome, words: list[str]) -> None:
    answer = shell("audit", "release", *words)
    assert not any(item in answer.everything for item in ITEMS)
    assert "Ann" not in answer.everything.replace("'Ann'", "")
    if isinstance(outcome, OnlyStated):
        assert answer.code == 0, answer.everything
        assert "statements cannot be verified from the files: -v lists" in answer.out
        assert json.loads(shell("audit", "release", *words, "--json").out)["manifest"][outcome.line] == "not verifiable"
    elif outcome.code == 1:
        assert outcome.words in one_line(answer)
    else:
        assert answer.code == 3, answer.everything
        assert outcome.words in " ".join(answer.out.split())
        told = json.loads(shell("audit", "release", *words, "--json").out)
        assert told["holds"] is False
        assert any(verdict.get("witnesses") for verdict in (*told["claims"], *told["checks"]) if not verdict["holds"])


@pytest.mark.parametrize("name", TAMPERING)
def test_the_release_alone(copy: Shell, name: str):
    tamper, alone, *_ = TAMPERING[name]
    tamper(copy.directory / "release")
    check(copy, alone, [])


@pytest.mark.parametrize("name", TAMPERING)
def test_with_the_original_beside_it(copy: Shell, name: str):
    tamper, *_, beside = TAMPERING[name]
    tamper(copy.directory / "release")
    check(copy, beside, BESIDE)


def print_again(release: Path) -> None:
    """The report that belongs to a manifest, whatever that says, as somebody who has the original could make it."""
    told = manifest_of(release)
    before = {key: value for key, value in told.items() if key != "sha256"} | {"files": told["files"][:1]}
    original = prepare("baskets.txt", Preparation(taxonomy="food.csv")).original
    published = original.aligned(Release.from_records(read_records(release / "records.csv", "csv", ";")[0]))
    (release / "report.html").write_text(render_report(facts_of(before, published, original)))
    renew(release)


@pytest.mark.parametrize("name", [name for name, (_, *outcomes) in TAMPERING.items() if outcomes[-1] is REPRINTED and len(outcomes) > 1])
def test_what_only_the_report_gave_away_is_named_where_the_report_is_forged_too(copy: Shell, name: str):
    tamper, alone, _ = TAMPERING[name]
    tamper(copy.directory / "release")
    print_again(copy.directory / "release")
    line = alone.line if isinstance(alone, OnlyStated) else ""
    if line == "the text of report.html":
        assert copy("audit", "release", *BESIDE).code == 0  # it is the true report again
    else:
        check(copy, OnlyStated(line), BESIDE)


@pytest.mark.parametrize("words", [[], BESIDE], ids=["alone", "with the original"])
@pytest.mark.parametrize("name", [name for name, (_, alone, *_) in TAMPERING.items() if isinstance(alone, OnlyStated)])
def test_without_a_new_digest_no_edit_passes(copy: Shell, name: str, words: list[str]):
    release = copy.directory / "release"
    digest = manifest_of(release)["sha256"]
    TAMPERING[name][0](release)
    told = manifest_of(release)
    (release / "manifest.json").write_text(json.dumps({**told, "sha256": digest}))
    answer = copy("audit", "release", *words)
    assert answer.code in {1, 3}
    if answer.code == 3:
        assert "sha256: the manifest says" in answer.out
    failed(copy("measure", "release"), "release-altered")


@pytest.mark.parametrize("name", ["no claims", "a claim that does not hold", "a weaker claim", "another length", "a file more"])
def test_a_claim_of_ones_own_does_not_excuse_the_manifest(copy: Shell, name: str):
    """The claim is judged instead of the manifest's; everything else is checked all the same."""
    claim = ["--claim", "k-anonymity(k=2)"]
    assert copy("audit", "release", *claim).code == 0
    tamper, outcome, *_ = TAMPERING[name]
    tamper(copy.directory / "release")
    check(copy, outcome, claim)


def test_there_are_enough_of_them():
    assert len(TAMPERING) >= 60


def test_an_untouched_copy_passes(copy: Shell):
    check(copy, OnlyStated("shoal"), [])
    check(copy, OnlyStated("shoal"), BESIDE)


def test_a_file_that_a_claim_names_is_not_opened(copy: Shell):
    """Not even a pipe, which would wait."""
    os.mkfifo(copy.directory / "pipe")
    put(CLAIM, "sensitive-share(h=0.5, items=pipe)")(copy.directory / "release")
    failed(copy("audit", "release"), "file-not-opened")
