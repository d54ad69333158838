"""Parameters declared once: what they take, what they refuse, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import error, refuses
from shoal.errors import ParameterError
from shoal.parameters import Declared, param


@dataclass(frozen=True)
class Thing(Declared):
    """A thing to be tried.

    More about it.
    """

    name = "thing"

    k: int = param(5, minimum=2, help="people")
    h: float = param(0.8, minimum=0, maximum=1, help="share")
    way: str = param("left", choices=("left", "right"), help="which way")
    loud: bool = param(False, help="noise")
    limit: int | None = param(None, minimum=1, help="at most")


def test_defaults_values_and_text() -> None:
    thing = Thing()
    assert thing.values() == {"k": 5, "h": 0.8, "way": "left", "loud": False, "limit": None}
    assert str(thing) == "thing(k=5, h=0.8, way=left, loud=no)"
    assert Thing.summary() == "A thing to be tried."
    assert str(Thing(limit=3, loud=True)) == "thing(k=5, h=0.8, way=left, loud=yes, limit=3)"


def test_what_is_known_of_each() -> None:
    known = {p.name: p for p in Thing.parameters()}
    assert [known[n].type for n in known] == [int, float, str, bool, int]
    assert [known[n].optional for n in known] == [False, False, False, False, True]
    assert known["k"].range == "2 or more"
    assert known["h"].range == "0 to 1"
    assert known["way"].range == "left | right"
    assert known["loud"].range == "yes | no"
    assert all(p.help for p in known.values())


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"k": 1}, error("out-of-range", value=1, limit=2)),
        ({"k": 2.0}, "wrong-type"),
        ({"k": True}, "wrong-type"),
        ({"k": "5"}, "wrong-type"),
        ({"k": None}, "wrong-type"),
        ({"h": 1.5}, error("out-of-range", value=1.5, limit=1)),
        ({"h": -0.1}, error("out-of-range", value=-0.1, limit=0)),
        ({"h": float("nan")}, "wrong-type"),
        ({"h": float("inf")}, "not-finite"),
        ({"way": "up"}, error("unknown-choice", value="up")),
        ({"way": 3}, error("wrong-type", value=3)),
        ({"loud": 1}, error("wrong-type", value=1)),
        ({"limit": 0}, error("out-of-range", value=0, limit=1)),
    ],
)
def test_wrong_values_are_refused(values: dict[str, object], told: str) -> None:
    with refuses(told):
        Thing(**values)  # type: ignore[arg-type]


def test_whole_numbers_do_for_numbers_and_numpy_ones_for_plain_ones() -> None:
    thing = Thing(k=np.int64(7), h=1)  # type: ignore[arg-type]
    assert (type(thing.k), type(thing.h)) == (int, float)
    assert Thing(h=np.float64(0.5)).h == 0.5


def test_values_written_as_text() -> None:
    assert Thing.parse({"k": "7", "h": "0.25", "loud": "yes", "limit": "none"}) == Thing(k=7, h=0.25, loud=True)
    assert Thing.parse({"loud": "false", "limit": "3"}) == Thing(limit=3)
    for wrong in ({"k": "many"}, {"k": "2.5"}, {"loud": "maybe"}, {"h": "nan"}, {"k": ""}):
        with pytest.raises(ParameterError):
            Thing.parse(wrong)
    with refuses("unknown-option"):
        Thing.parse({"z": "1"})


@settings(deadline=None, max_examples=60)
@given(h=st.floats(0, 1), k=st.integers(2, 10**12))
def test_what_is_written_is_read_back_exactly(h: float, k: int) -> None:
    """A claim in a manifest that lost digits would be judged against another threshold."""
    text = str(Thing(h=h, k=k))
    inside = dict(piece.split("=") for piece in text.removeprefix("thing(").removesuffix(")").split(", "))
    assert Thing.parse(inside) == Thing(h=h, k=k)


def test_values_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Thing().k = 3  # type: ignore[misc]
