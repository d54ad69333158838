"""One item is made while another is worked on: two cores are busy where one would wait for the other."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from typing import Any, TypeVar, cast

from shoal import kernels

Item = TypeVar("Item")
_END = object()


def ahead(items: Generator[Item, Any, Any]) -> Iterator[Item]:
    """The items in their order, each made in a thread beside while its user works on the one before; here, where there is one core.

    An error in making an item is raised where that item is asked for. Whoever stops early waits for the item that is being made.
    """
    if kernels.threads() == 1:
        yield from items
        return
    context = copy_context()  # kernels that make an item run as those of its user

    def make() -> Item | object:
        return context.run(next, items, _END)

    with closing(items), ThreadPoolExecutor(1, "shoal-ahead") as aside:
        coming = aside.submit(make)
        while (item := coming.result()) is not _END:
            coming = aside.submit(make)
            yield cast("Item", item)
