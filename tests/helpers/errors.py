"""Errors by their codes and facts, which stay the same when the wording changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shoal.errors import ShoalError


@contextmanager
def refuses(code: str, /, **facts: object) -> Iterator[pytest.ExceptionInfo[ShoalError]]:
    """Expect an error with this code, whose facts include these."""
    with pytest.raises(ShoalError) as caught:
        yield caught
    assert caught.value.code == code, caught.value
    assert facts.items() <= caught.value.facts.items(), caught.value.facts
