"""What a method asks of the place where its rows are worked on: four operations.

A method that follows this contract gives the same groups on every engine. For that it plans by content: how rows are cut into blocks
depends on the rows, never on threads, machines or the order of arrival; and what is made of a block depends on the rows of that block
alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from shoal import _kernels
from shoal.data.bags import Ints

Block = TypeVar("Block")
Answer = TypeVar("Answer")
Work = Callable[[Block, _kernels.Task], Answer]


class Kinds(NamedTuple):
    """Rows by content."""

    kind: Ints  # of each row; identical rows have the same, numbered from 0 in order of first appearance
    times: Ints  # how many rows are of each kind


@dataclass(eq=False)
class Things:
    """Records, or groups of them, that are cut into blocks of similar ones."""

    rows: _kernels.Rows
    lengths: Ints
    weights: Ints
    units: int
    coordinates: _kernels.Coordinates | None = field(default=None, init=False)  # an engine's own; the next cut needs them again


class Engine(ABC):
    """Rows counted, cut into blocks, worked on block by block, and the answers brought together."""

    @abstractmethod
    def count(self, rows: _kernels.Rows) -> Kinds:
        """How many rows there are of each content."""

    @abstractmethod
    def split(self, things: Things, chosen: Ints, size: int, cut: int = 0) -> list[Ints]:
        """The chosen things, whose numbers rise, in blocks of about `size` similar ones; another `cut` goes elsewhere."""

    @abstractmethod
    def map(self, work: Work[Block, Answer], blocks: Sequence[Block]) -> Iterable[Answer]:
        """What `work(block, task)` gives for each block, in the order of the blocks; it need not be here yet."""

    @abstractmethod
    def gather(self, answers: Iterable[Answer]) -> list[Answer]:
        """The answers of `map`, here, in the order of the blocks."""

    def expect(self, steps: int) -> None:
        """So much work is to come, for those who watch the progress."""
        del steps

    @property
    def watched(self) -> bool:
        """Whether anybody watches the progress, so that a remark is worth its price."""
        return False

    def remark(self, text: str) -> None:
        """How the work goes, to be shown beside the progress."""
        del text
