"""Ledgers balance, or they are not made."""

from __future__ import annotations

import pytest

from helpers.errors import refuses
from shoal.data.accounting import Accounting, Ledger, Part, changed, gone, kept
from shoal.errors import ShoalError


def test_a_ledger_that_does_not_balance_is_refused() -> None:
    with refuses("accounting-unbalanced"):
        Ledger(3, {"published": kept(2)})
    with refuses("accounting-unbalanced"):
        Ledger(1, {"published": kept(2), "withheld": gone(-1)})
    assert Ledger(0).as_dict() == {"in": 0}


def test_a_part_told_apart() -> None:
    ledger = Ledger(10, {"published": kept(7), "withheld": gone(3)})
    finer = ledger.split("withheld", {"withheld: empty": gone(1), "withheld: rare": gone(2)})
    assert finer.as_dict() == {"in": 10, "published": 7, "withheld: empty": 1, "withheld: rare": 2}
    assert finer["withheld"] == 0
    with refuses("accounting-unbalanced"):
        ledger.split("withheld", {"withheld: empty": gone(1)})


def test_a_part_split_into_one_that_is_there_adds_up() -> None:
    assert Ledger(5, {"a": kept(2), "b": gone(3)}).split("b", {"a": kept(3)}).as_dict() == {"in": 5, "a": 5}


def test_a_larger_whole() -> None:
    ledger = Ledger(4, {"published": kept(4)})
    assert ledger.widened("unreadable", 0) is ledger
    assert ledger.widened("unreadable", 2).as_dict() == {"in": 6, "published": 4, "unreadable": 2}
    with pytest.raises(ShoalError):
        ledger.widened("unreadable", -1)


def test_the_account_for_the_manifest() -> None:
    account = Accounting({"occurrences": Ledger(2, {"kept": kept(2)}), "records": Ledger(1, {"published": kept(1), "withheld": gone(0)})})
    assert account.as_dict() == {"records": {"in": 1, "published": 1}, "occurrences": {"in": 2, "kept": 2}}
    with_rows = account.updated(rows=Ledger(3, {"read": kept(3)}), words=None)
    assert list(with_rows.as_dict()) == ["rows", "records", "occurrences"]
    assert with_rows.as_dict()["rows"] == {"in": 3, "read": 3}
    with refuses("unknown-account"):
        with_rows["words"]


def test_parts_have_a_fate() -> None:
    ledger = Ledger(6, {"kept": kept(1), "replaced": changed(2), "suppressed": gone(3)})
    assert (ledger.of_fate("kept", "changed"), ledger.of_fate("gone")) == (3, 3)
    assert ledger.widened("unreadable", 2).parts["unreadable"] == Part(2, "gone")
