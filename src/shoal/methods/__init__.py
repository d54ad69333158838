"""Methods: how a release is made. Adding one is a file here, a line in `METHODS` and a page in the docs.

The class of every method can be imported from here, and is loaded when it is first used: `from shoal.methods import Clump`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.data.accounting import FATES, Fate
from shoal.data.input_shapes import Shape
from shoal.errors import ParameterError
from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    import polars as pl

    from shoal.data.claims import Model
    from shoal.data.noise_record import NoisyStep
    from shoal.data.release import Release
    from shoal.data.tables.column_types import Slots


Hashes = Literal["", "words", "queries"]
"""What of a log is published as tokens."""


class Method(Declared, ABC):
    """Frozen parameters and one step: an original in, a release out.

    `takes` are the shapes of input that it can work on; `publishes` is the kind of its tables, where `sets` are bags in which no item is
    repeated; `fates` are those of parts of its account that are published in a form of the method's own, `ledgers` what it accounts for
    beyond what it was given; `varies` says why another run may give another release, where that is so. The pipeline holds a method to all
    it says here. A method that `guarantees_nothing` makes no claim, says in `does_not_protect` what it leaves open, and works only where
    its user asked for no guarantee. A method of logs that `takes_baskets` is given them as a log with a row for each item. A comparison for
    which no methods are named takes those `worth_comparing`, each at the settings `compared_at`; `known_items` is the parameter that says
    how many items an attacker may know.
    """

    paper: ClassVar[str]
    must_tell: ClassVar[tuple[str, ...]] = ("name", "paper")
    takes: ClassVar[frozenset[Shape]] = frozenset({"sets", "bags"})
    publishes: ClassVar[str] = "bags"
    guarantees_nothing: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = ""
    takes_baskets: ClassVar[bool] = False
    fates: ClassVar[Mapping[str, Fate]] = {}
    ledgers: ClassVar[tuple[str, ...]] = ()
    known_items: ClassVar[str | None] = None
    worth_comparing: ClassVar[bool] = False
    compared_at: ClassVar[tuple[Mapping[str, str], ...]] = (MappingProxyType({}),)
    varies: ClassVar[str] = "the result depends on the machine and its time limit: another run may give another release"

    @property
    def hashes(self) -> Hashes:
        """What it publishes as tokens, the same for the same text; nothing unless a method says so."""
        return ""

    @classmethod
    def summary(cls) -> str:
        """The first line of the class's docstring, marked where nothing is guaranteed."""
        told = super().summary()
        return f"No guarantee: {told[:1].lower()}{told[1:]}" if cls.guarantees_nothing else told

    @property
    def not_protected(self) -> str:
        """What is left open with these parameters, where nothing is guaranteed; otherwise the claims say it."""
        return self.does_not_protect

    @property
    def caution(self) -> str:
        """What a user should know about these parameters before the work starts; empty where there is nothing to say."""
        return ""

    @property
    def needs_taxonomy(self) -> bool:
        """Whether records must be put on a taxonomy. Otherwise names stay as they were typed."""
        return True

    @property
    def reads_clicks(self) -> bool:
        """Whether the clicks of a query log are needed, row by row."""
        return False

    @property
    def reads_times(self) -> bool:
        """Whether the times of a log are needed: then a row whose time cannot be read is malformed."""
        return False

    @property
    def deterministic(self) -> bool:
        """Whether the same input and parameters give the same release on every machine."""
        return True

    @property
    def holds_one_range(self) -> bool:
        """Whether the records of many people can be worked on one range at a time, so that memory can be bounded."""
        return False

    @property
    def reads_names(self) -> bool:
        """Whether the names of people are needed, because they are hashed with a key; otherwise they are forgotten when a log is read."""
        return False

    @abstractmethod
    def claims(self) -> tuple[Model, ...]:
        """The models that every release of this method promises to satisfy."""

    def noisy_steps(self) -> tuple[NoisyStep, ...]:
        """The noise that a release of this method holds, which depends on the parameters alone; none unless the method says so."""
        return ()

    def columns_of(self, table: str) -> Slots | None:
        """The columns that a table of this name has with these parameters; None where the kind of the table, or a claim, decides."""
        return None

    @abstractmethod
    def apply(self, original: Any) -> Release:
        """A release of this original, which is of a shape that the method takes. The input is not changed."""

    def decoded(self, release: Release) -> pl.DataFrame:
        """What anybody can read of a release with the decoder that belongs to the method; an error where it is read as it stands."""
        raise ParameterError(f"a release of the method {self.name} is not encoded: there is nothing to decode", code="nothing-to-decode")


METHODS: Table[type[Method]] = Table(
    "method",
    {
        "shoal": "shoal.methods.shoal:Shoal",
        "clump": "shoal.methods.clump:Clump",
        "partition": "shoal.methods.partition:Partition",
        "coherence": "shoal.methods.coherence:Cohesion",
        "km": "shoal.methods.km:Km",
        "apriori": "shoal.methods.apriori:Apriori",
        "direct": "shoal.methods.direct:Direct",
        "optimal": "shoal.methods.optimal:Optimal",
        "local": "shoal.methods.local:Local",
        "vertical": "shoal.methods.vertical:Vertical",
        "hghs": "shoal.methods.hghs:HgHs",
        "disassociation": "shoal.methods.disassociation:Disassociation",
        "suppress-control": "shoal.methods.suppress_control:SuppressControl",
        "td-control": "shoal.methods.td_control:TDControl",
        "cahd": "shoal.methods.cahd:CAHD",
        "tds": "shoal.methods.tds:TopDownSpecialization",
        "ssc": "shoal.methods.ssc:SSC",
        "k-delta": "shoal.methods.k_delta:KDelta",
        "infrequent": "shoal.methods.infrequent:Infrequent",
        "threshold": "shoal.methods.threshold:Threshold",
        "mdav": "shoal.methods.mdav:MDAV",
        "microaggregation": "shoal.methods.microaggregation:Microaggregation",
        "accesslog-mdav": "shoal.methods.accesslog_mdav:AccessLogMDAV",
        "user-microaggregation": "shoal.methods.user_microaggregation:UserMicroaggregation",
        "category-microaggregation": "shoal.methods.category_microaggregation:CategoryMicroaggregation",
        "dp-queries": "shoal.methods.dp_queries:DPQueries",
        "document-vectors": "shoal.methods.document_vectors:DocumentVectors",
        "old-remedies": "shoal.methods.old_remedies:OldRemedies",
        "secret-sharing": "shoal.methods.secret_sharing:SecretSharing",
        "split-personality": "shoal.methods.split_personality:SplitPersonality",
    },
)


def __getattr__(name: str) -> Any:
    return METHODS.class_called(name, __name__)


def fate_of(part: str, method: str) -> Fate:
    """What became of a part of an account, as this method says, or as any run may have it."""
    own = METHODS[method].fates if method in METHODS else {}
    return own.get(part, FATES.get(part, "gone"))


def ledgers_of(method: str) -> tuple[str, ...]:
    """What this method accounts for beyond what it was given."""
    return METHODS[method].ledgers if method in METHODS else ()
