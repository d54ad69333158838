"""Tasks of a cluster: what was loaded is no work for the garbage collector any more, and what a task leaves still is."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType

import pytest

from shoal import kernels
from shoal.cluster.spark import working


@pytest.fixture(autouse=True)
def nothing_spared() -> Iterator[None]:
    yield
    gc.unfreeze()
    sys.modules.pop("a_module_of_a_task", None)


class Ring:
    """Holds itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.me = self


def test_what_a_task_loads_is_spared_once() -> None:
    with working():
        sys.modules["a_module_of_a_task"] = ModuleType("a_module_of_a_task")
        assert kernels.threads() == 1
    spared = gc.get_freeze_count()
    assert spared > 10_000
    with working():
        left = Ring()
        ring = weakref.ref(left)
        del left
    assert gc.get_freeze_count() <= spared
    gc.collect()
    assert ring() is None
