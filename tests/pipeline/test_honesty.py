"""The pipeline writes nothing that fails its claim, whatever a method or a writer does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from helpers.cli import Shell, last_line, one_line
from shoal.data.accounting import Ledger, kept
from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.methods import METHODS
from shoal.methods.clump import Clump
from shoal.pipeline import run as pipeline
from shoal.privacy.k_anonymity import KAnonymity

Forge = Callable[[Release, Bags], Release]


def rows_of(release: Release) -> np.ndarray[Any, np.dtype[np.int64]]:
    assert release.secret is not None
    return release.secret.rows().copy()


def groups_below_k(release: Release, bags: Bags) -> Release:
    """Every record in a group of its own, published as it is."""
    rows = np.arange(len(bags))
    return replace(release.republished(bags, np.ones(len(bags), np.int64)), secret=Secret(rows))


def no_generalization(release: Release, bags: Bags) -> Release:
    """k-anonymous, but of things that nobody did: everything that there is, for all."""
    n = len(bags.vocabulary)
    everything = Bags.from_rows([0, n], np.arange(n), np.ones(n, np.int32), bags.vocabulary)
    copies = np.array([len(bags)], np.int64)
    return replace(release.republished(everything, copies), secret=Secret(np.zeros(len(bags), np.int64)))


def a_record_lost(release: Release, bags: Bags) -> Release:
    """One record is not published, and the account says that it was."""
    rows = rows_of(release)
    copies = release.copies.copy()
    crowded = int(np.argmax(copies))
    copies[crowded] -= 1
    rows[np.flatnonzero(rows == crowded)[0]] = -1
    return replace(release.republished(release.published, copies), secret=Secret(rows))


def a_record_lost_with_its_account(release: Release, bags: Bags) -> Release:
    """One record is not published, and the account knows nothing of it."""
    lost = a_record_lost(release, bags)
    account = lost.accounting
    assert account is not None
    fewer = Ledger(account.records.total - 1, {"published": kept(lost.n_records)})
    return lost.accounted(account.updated(records=fewer))


def a_copy_more(release: Release, bags: Bags) -> Release:
    copies = release.copies.copy()
    copies[0] += 1
    return release.republished(release.published, copies)


def no_account(release: Release, bags: Bags) -> Release:
    return replace(release, accounting=None)


def no_claim(release: Release, bags: Bags) -> Release:
    return replace(release, claims=())


def a_weaker_claim(release: Release, bags: Bags) -> Release:
    return replace(release, claims=(KAnonymity(k=2),))


FORGERIES: dict[str, tuple[Forge, str]] = {
    "groups below k": (groups_below_k, "fails k-anonymity(k=3): "),
    "a record that generalizes nobody's": (no_generalization, "do not generalize their original"),
    "a record lost": (a_record_lost, "publishes another number of records than it declares"),
    "a record lost with its account": (a_record_lost_with_its_account, "does not account for all records"),
    "a copy more": (a_copy_more, "publishes another number of records than it declares"),
    "no account": (no_account, "does not account for all records"),
    "no claim": (no_claim, "does not make the method's claims"),
    "a weaker claim": (a_weaker_claim, "does not make the method's claims"),
}


def dishonest(forge: Forge) -> type[Clump]:
    @dataclass(frozen=True)
    class Dishonest(Clump):
        """A method that lies."""

        name = "dishonest"

        def claims(self) -> tuple[Model, ...]:
            return (KAnonymity(k=self.k),)

        def apply(self, original: Original) -> Release:
            return forge(Clump.apply(self, original), original.bags)

    return Dishonest


def anonymized(shell: Shell, *words: str) -> Any:
    return shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--floor", "1", "--k", "3", "--out", "new", *words)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_dishonest_method(kitchen: Shell, monkeypatch: pytest.MonkeyPatch, name: str):
    forge, said = FORGERIES[name]
    monkeypatch.setattr("shoal.methods.clump.Clump", dishonest(forge))
    before = kitchen.names()
    line = one_line(anonymized(kitchen, "--method", "clump"), code=3)
    assert said in line
    assert "nothing was written" in line
    assert kitchen.names() == before


def test_an_honest_method_in_the_same_clothes(kitchen: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shoal.methods.clump.Clump", dishonest(lambda release, bags: release))
    assert METHODS["clump"].name == "dishonest"
    assert anonymized(kitchen, "--method", "clump").code == 0


Write = Callable[[Release], Release]


def one_changed(release: Release) -> Release:
    return Release.of_bags(release.published, np.where(np.arange(len(release.copies)) == 0, release.copies - 1, release.copies))


def all_changed(release: Release) -> Release:
    """As k-anonymous as the release, but not the release: every record becomes the longest one."""
    longest = int(np.argmax(release.published.lengths))
    return Release.of_bags(release.published.select([longest]), np.array([release.n_records]))


def none_written(release: Release) -> Release:
    return Release.of_bags(release.published.select([0]), np.array([int(release.copies[0])]))


@pytest.mark.parametrize("change", [one_changed, all_changed, none_written], ids=["one less", "others", "one group only"])
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "transactions"])
def test_a_file_that_is_not_the_release(kitchen: Shell, monkeypatch: pytest.MonkeyPatch, change: Write, form: str):
    write = pipeline.write_release
    monkeypatch.setattr(pipeline, "write_release", lambda release, *where: write(change(release), *where))
    before = kitchen.names()
    line = one_line(anonymized(kitchen, "--to", form), code=3)
    assert "the release as written fails" in line
    assert kitchen.names() == before


def test_a_replaced_release_survives_a_dishonest_one(kitchen: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shoal.methods.clump.Clump", dishonest(groups_below_k))
    before = (kitchen.directory / "release" / "records.csv").read_bytes()
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--method", "clump", "--k", "3", "--out", "release", "--force"]
    one_line(kitchen(*words), code=3)
    assert (kitchen.directory / "release" / "records.csv").read_bytes() == before


@pytest.mark.parametrize("fault", [ValueError, KeyError, MemoryError, RuntimeError, ZeroDivisionError])
def test_a_method_that_breaks_says_nothing_of_the_data(kitchen: Shell, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]):
    def breaks(release: Release, bags: Bags) -> Release:
        raise fault("Apple and Beef of owner 17")

    monkeypatch.setattr("shoal.methods.clump.Clump", dishonest(breaks))
    before = kitchen.names()
    answer = anonymized(kitchen, "--method", "clump")
    assert answer.code == 1
    last_line(answer.err)
    assert "Apple" not in answer.everything
    assert "17" not in answer.everything
    assert kitchen.names() == before
