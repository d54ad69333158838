"""Numbers in words: shares are written in one place, and never rounded to nothing or to all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.util.wording import percent

SOURCES = sorted(Path(shoal.__file__).parent.rglob("*.py"))
OWN_FORMAT = re.compile(r"\.\d+%\}")  # as in f"{share:.1%}"


@given(st.floats(0, 1), st.integers(0, 3))
def test_only_nothing_is_written_as_0_and_only_all_as_100(share: float, digits: int) -> None:
    written = percent(share, digits)
    number = float(written.strip("<>%"))
    assert (written[0] not in "<>" and number == 0) == (share == 0)
    assert (written[0] not in "<>" and number == 100) == (share == 1)
    assert abs(number - 100 * share) <= 1.01 * 10.0**-digits


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(0.9996, 1, ">99.9%"), (0.0004, 1, "<0.1%"), (0.9994, 1, "99.9%"), (-0.0001, 1, ">-0.1%"), (1.0001, 1, ">100%"), (0.1, 0, "10%")],
)
def test_what_is_close_to_nothing_or_all_says_so(share: float, digits: int, text: str) -> None:
    assert percent(share, digits) == text


def test_no_other_code_writes_percentages() -> None:
    others = [file for file in SOURCES if file.name != "wording.py"]
    assert not [str(file) for file in others if OWN_FORMAT.search(file.read_text("utf-8"))]


def test_the_test_can_fail() -> None:
    assert OWN_FORMAT.findall('f"{share:.1%}"')
