"""Methods: how a release is made. Adding one is a file here, a line in `METHODS` and a page in the docs."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.bags import Bags
    from shoal.data.release import Release
    from shoal.privacy import Model
    from shoal.taxonomy.tree import Taxonomy


class Method(Declared):
    """Frozen parameters and one step: data and taxonomy in, a release out."""

    paper: ClassVar[str]
    supports: ClassVar[frozenset[str]] = frozenset({"sets", "bags"})

    @abstractmethod
    def claims(self) -> tuple[Model, ...]:
        """The models that every release of this method promises to satisfy."""

    @abstractmethod
    def apply(self, bags: Bags, taxonomy: Taxonomy) -> Release:
        """A release of these records, which are bags of taxonomy nodes. The input is not changed."""


METHODS: Table[type[Method]] = Table(
    "method",
    {
        "shoal": "shoal.methods.shoal:Shoal",
        "clump": "shoal.methods.clump:Clump",
        "partition": "shoal.methods.partition:Partition",
        "coherence": "shoal.methods.coherence:Cohesion",
        "tds": "shoal.methods.tds:TopDownSpecialization",
        "ssc": "shoal.methods.ssc:SSC",
    },
)
