"""Tables of named parts, and instances from text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helpers.errors import error, refuses
from shoal.methods import METHODS
from shoal.privacy import MODELS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.registry import LazyTable


def test_a_table_looks_like_a_mapping() -> None:
    assert MODELS["k-anonymity"] is KAnonymity
    assert "k-anonymity" in MODELS
    assert "nothing" not in MODELS
    assert len(MODELS) == len(list(MODELS))
    with refuses("unknown-model", value="nothing"):
        MODELS["nothing"]


@pytest.mark.parametrize("table", [METHODS, MODELS], ids=lambda table: table.kind)
def test_every_entry_loads_under_its_own_name(table: LazyTable[type]) -> None:
    for name in table:
        assert table[name].name == name  # type: ignore[attr-defined]


def test_instances_from_text() -> None:
    assert MODELS.make("k-anonymity(k=7)") == KAnonymity(k=7)
    assert MODELS.make("  k-anonymity ( k = 7 ) ") == KAnonymity(k=7)
    assert MODELS.make("k-anonymity") == MODELS.make("k-anonymity()") == KAnonymity()
    assert MODELS.make(str(KAnonymity(k=9))) == KAnonymity(k=9)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "unreadable-value"),
        ("k-anonymity(k=7", "unreadable-value"),
        ("k-anonymity(7)", "unreadable-value"),
        ("k-anonymity(k=1)", error("out-of-range", value=1, limit=2)),
        ("k-anonymity(k=x)", error("unreadable-value", value="x")),
        ("k-anonymity(z=1)", "unknown-option"),
        ("k-anonymity(k=7, k=2)", "duplicate-key"),
        ("nothing(k=1)", error("unknown-model", value="nothing")),
        ("k-anonymity(k=7)(k=8)", "unreadable-value"),
    ],
)
def test_text_that_is_no_instance_is_refused(text: str, told: str) -> None:
    with refuses(told):
        MODELS.make(text)


def test_listing_costs_no_import() -> None:
    look = "print('shoal.methods.clump' in sys.modules)"
    code = f"import sys; from shoal.methods import METHODS; list(METHODS); {look}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
