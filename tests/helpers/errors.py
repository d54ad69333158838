"""Errors by their codes and facts, which stay the same when the wording changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from shoal.errors import ShoalError


class Expected(NamedTuple):
    """An expected error: its code, and some of its facts."""

    code: str
    facts: Mapping[str, object]


def error(code: str, /, **facts: object) -> Expected:
    """An expected error with this code, whose facts include these; for tables of cases."""
    return Expected(code, facts)


@contextmanager
def refuses(expected: str | Expected, /, **facts: object) -> Iterator[pytest.ExceptionInfo[ShoalError]]:
    """Expect an error with this code, whose facts include these."""
    code, wanted = expected if isinstance(expected, Expected) else error(expected, **facts)
    with pytest.raises(ShoalError) as caught:
        yield caught
    assert caught.value.code == code, caught.value
    assert wanted.items() <= caught.value.facts.items(), caught.value.facts
