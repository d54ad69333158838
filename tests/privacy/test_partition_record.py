"""The judge of differential privacy on sets of items: what it accepts as a record of divisions, and which sets it objects to."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from helpers.cli import Shell, failed
from shoal.data.log import Log
from shoal.data.noise_record import NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.data.taxonomy import Taxonomy
from shoal.methods.diffpart import DiffPart
from shoal.privacy.differential_privacy import DifferentialPrivacy

STEPS = DiffPart(epsilon=1.0).noisy_steps()
CLAIM = DifferentialPrivacy(epsilon=1.0, delta=0.0)
FOOD = Taxonomy.from_parents({"food": None, "fruit": "food", "apple": "fruit", "beer": "food"})
ORIGINAL = LogOriginal(Log(pl.DataFrame({"owner": [1], "payload": ["apple"]}), "item"), FOOD)


def judged(sets: list[list[str]], steps: tuple[NoisyStep, ...] = STEPS, original: LogOriginal | None = ORIGINAL) -> tuple[str, ...]:
    frame = pl.DataFrame({"items": sets, "count": range(1, len(sets) + 1)}, schema={"items": pl.List(pl.String), "count": pl.Int64})
    return CLAIM.check(Release({"counts": CountTable(frame)}, mechanism=steps), original).witnesses


def test_sets_of_the_taxonomy_are_accepted_also_such_as_nobody_has() -> None:
    assert judged([["apple"], ["apple", "beer"], ["fruit"]]) == ()
    assert judged([]) == ()


@pytest.mark.parametrize("strange", [["pear"], ["apple", "ann"], ["food"], ["apple", "apple"], []])
def test_other_names_the_root_and_repeated_items_are_objected_to(strange: list[str]) -> None:
    assert judged([["apple"], strange])


def test_without_a_taxonomy_sets_cannot_be_compared() -> None:
    assert judged([["apple"]], original=LogOriginal(ORIGINAL.log))
    assert judged([["pear"]], original=None) == ()


@pytest.mark.parametrize(
    "steps",
    [
        STEPS[:1],
        STEPS[1:],
        STEPS[::-1],
        (STEPS[0], *STEPS),
        (replace(STEPS[0], scale=STEPS[0].scale * 0.999), STEPS[1]),
        (STEPS[0], replace(STEPS[1], scale=STEPS[1].scale / 2)),
        (replace(STEPS[0], cap=2), STEPS[1]),
        (replace(STEPS[0], cap=None), STEPS[1]),
        (replace(STEPS[0], sensitivity=0.5), STEPS[1]),
        (replace(STEPS[0], noise="gaussian"), STEPS[1]),
        (replace(STEPS[0], table="clicks"), STEPS[1]),
    ],
)
def test_every_other_record_fails(steps: tuple[NoisyStep, ...]) -> None:
    assert judged([["apple"]], steps)


def test_epsilon_is_that_of_both_steps_and_delta_is_none() -> None:
    table = CountTable(pl.DataFrame({"items": [["apple"]], "count": [3]}))
    for counts in (0.05, 0.5, 0.95):
        release = Release({"counts": table}, mechanism=DiffPart(epsilon=1.0, counts=counts).noisy_steps())
        achieved = CLAIM.check(release).achieved
        assert achieved["epsilon"] == pytest.approx(1.0)
        assert achieved["epsilon"] <= 1.0
        assert achieved["delta"] == 0


@pytest.mark.parametrize("taxonomy", ["generated", "generated:3", "paths"])
def test_a_taxonomy_of_the_data_is_refused(shell: Shell, taxonomy: str) -> None:
    shell.file("baskets.txt", "a b\na\n")
    words = ("--format", "transactions", "--taxonomy", taxonomy, "--method", "diffpart", "--out", "release")
    failed(shell("anonymize", "baskets.txt", *words), "taxonomy-not-public")
    assert not (shell.directory / "release").exists()


def test_topics_of_the_data_are_refused(shell: Shell) -> None:
    shell.file("baskets.txt", "a b\na\n")
    words = ("--format", "transactions", "--taxonomy", "topics", "--method", "diffpart", "--out", "release")
    assert shell("anonymize", "baskets.txt", *words).code == 1


def test_a_release_in_every_format_is_read_back(shell: Shell) -> None:
    pytest.importorskip("opendp")
    shell.file("tree.csv", 'child,parent\n"a;b",all\n"say ""x""",all\nplain,all\n')
    shell.file("baskets.csv", "user,item\n" + "".join(f'{i},"{["a;b", "plain"][i % 2]}"\n{i},"say ""x"""\n' for i in range(200)))
    words = ("--taxonomy", "tree.csv", "--method", "diffpart", "--epsilon", "8", "--force", "--out", "release")
    for format in ("csv", "jsonl", "parquet"):
        answer = shell("anonymize", "baskets.csv", "--format", "table", *words, "--to", format)
        assert answer.code == 0, answer.everything
        audited = shell("audit", "release", "--original", "baskets.csv", "--taxonomy", "tree.csv")
        assert audited.code == 0, audited.everything
