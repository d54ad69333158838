"""Methods, which make releases. Adding one takes a file here, a line in `METHODS` and a page in the docs.

The class of every method can be imported from here, and is loaded on first use: `from shoal.methods import Clump`.

A preset is a named set of parameters of a method. Presets are listed in `presets.toml`, each with what it does not protect.
"""

from __future__ import annotations

import math
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.data.accounting import FATES, Fate
from shoal.data.input_shapes import Shape
from shoal.errors import ParameterError
from shoal.packages import insist_on_extra
from shoal.parameters import Declared
from shoal.registry import LazyTable
from shoal.util.wording import there_are

if TYPE_CHECKING:
    import polars as pl

    from shoal.data.bags import Bags
    from shoal.data.claims import Model
    from shoal.data.noise_record import NoisyStep
    from shoal.data.release import Release
    from shoal.data.tables.column_types import Slots


PER_SET = 8  # bytes for a set of items that a method counts, with a margin


Hashes = Literal["", "words", "queries"]
"""What of a log is published as tokens."""


class Method(Declared, ABC):
    """A method: frozen parameters, and `apply`, which makes a release of an original.

    `takes` lists the accepted shapes of input; `publishes` is the kind of its tables, where `sets` are bags without repeated items; `fates`
    are outcomes in its accounting that only this method has, `ledgers` what it accounts for beyond its input; `varies` states why another
    run may give another release, if it may. The pipeline enforces these declarations.
    A method that `guarantees_nothing` makes no claim, states in `does_not_protect` what it leaves open, and runs only with the
    user's consent. A method for logs that `takes_baskets` receives baskets as a log with a row for each item. A comparison without named
    methods uses those `worth_comparing`, each at the settings `compared_at`; `known_items` is the parameter with the number of items that
    an attacker may know; `extra` names the optional packages that the method needs. A guarantee with a `public_taxonomy` does not cover
    what a taxonomy tells about the data, so one that is made from the data is refused.
    """

    paper: ClassVar[str]
    required_texts: ClassVar[tuple[str, ...]] = ("name", "paper")
    takes: ClassVar[frozenset[Shape]] = frozenset({"sets", "bags"})
    publishes: ClassVar[str] = "bags"
    guarantees_nothing: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = ""
    takes_baskets: ClassVar[bool] = False
    public_taxonomy: ClassVar[bool] = False
    fates: ClassVar[Mapping[str, Fate]] = {}
    ledgers: ClassVar[tuple[str, ...]] = ()
    known_items: ClassVar[str | None] = None
    worth_comparing: ClassVar[bool] = False
    compared_at: ClassVar[tuple[Mapping[str, str], ...]] = (MappingProxyType({}),)
    extra: ClassVar[str] = ""
    varies: ClassVar[str] = "the result depends on the machine and its time limit: another run may give another release"

    @property
    def hashes(self) -> Hashes:
        """What the method publishes as tokens, which are equal for equal texts; by default nothing."""
        return ""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the class's docstring, marked if nothing is guaranteed."""
        summary_line = super().summary()
        return f"No guarantee: {summary_line[:1].lower()}{summary_line[1:]}" if cls.guarantees_nothing else summary_line

    @property
    def not_protected(self) -> str:
        """What these parameters leave unprotected, if nothing is guaranteed; otherwise the claims describe it."""
        return self.does_not_protect

    @property
    def caution(self) -> str:
        """What a user should know about these parameters before the run; empty if nothing."""
        return ""

    @property
    def needs_taxonomy(self) -> bool:
        """Whether records must be placed on a taxonomy. Otherwise names stay as typed."""
        return True

    @property
    def reads_clicks(self) -> bool:
        """Whether the clicks of a query log are needed, row by row."""
        return False

    @property
    def reads_times(self) -> bool:
        """Whether the method needs the times of a log; a row with an unreadable time is then malformed."""
        return False

    @property
    def deterministic(self) -> bool:
        """Whether the same input and parameters give the same release on every machine."""
        return True

    @property
    def holds_one_range(self) -> bool:
        """Whether the records of many people can be processed one range at a time, so that memory can be limited."""
        return False

    def bytes_beyond_records(self, records: Bags) -> int:
        """Return the memory that the method needs beyond the records themselves: by default that of the sets of items that it counts.

        How many sets differ is known only when they have been counted, so each is taken to differ from those of all other records.
        """
        known = int(self.values()[self.known_items]) if self.known_items else 1
        return int(PER_SET * sum(records.n_sets(size) for size in range(2, known + 1)))

    @property
    def reads_names(self) -> bool:
        """Whether user IDs are needed, to be hashed with a key or to look up people; otherwise they are discarded when a log is read."""
        return False

    @abstractmethod
    def claims(self) -> tuple[Model, ...]:
        """Return the claims of every release of this method."""

    def noisy_steps(self) -> tuple[NoisyStep, ...]:
        """Return the noise in a release of this method, which depends on the parameters alone; by default none."""
        return ()

    def columns_of(self, table: str) -> Slots | None:
        """Return the columns of a table of this name with these parameters; None if the kind of table or a claim determines them."""
        return None

    def work_per_record(self, records: int) -> float:
        """Return the work per record for this many records, in units of the method; less if it searches large data less."""
        return 1.0

    def records_that_help(self, items: float) -> float:
        """Return the number of records up to which more data keeps more of each, for this many items per record; infinite if all do."""
        return math.inf

    @abstractmethod
    def apply(self, original: Any) -> Release:
        """Make a release of this original, which has a supported shape. The input is not changed."""

    def decoded(self, release: Release) -> pl.DataFrame:
        """Decode a release with the decoder of the method. Raises if the release needs no decoding."""
        raise ParameterError(f"a release of the method {self.name} is not encoded: there is nothing to decode", code="nothing-to-decode")


METHODS: LazyTable[type[Method]] = LazyTable(
    "method",
    {
        "shoal": "shoal.methods.shoal:Shoal",
        "clump": "shoal.methods.clump:Clump",
        "partition": "shoal.methods.partition:Partition",
        "coherence": "shoal.methods.coherence:Cohesion",
        "km": "shoal.methods.km:Km",
        "apriori": "shoal.methods.apriori:Apriori",
        "direct": "shoal.methods.apriori:Direct",
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
        "query-cores": "shoal.methods.query_cores:QueryCores",
        "mdav": "shoal.methods.mdav:MDAV",
        "microaggregation": "shoal.methods.microaggregation:Microaggregation",
        "kkm": "shoal.methods.kkm:KKm",
        "accesslog-mdav": "shoal.methods.accesslog_mdav:AccessLogMDAV",
        "user-microaggregation": "shoal.methods.user_microaggregation:UserMicroaggregation",
        "category-microaggregation": "shoal.methods.category_microaggregation:CategoryMicroaggregation",
        "dp-queries": "shoal.methods.dp_queries:DPQueries",
        "dp-ngrams": "shoal.methods.dp_ngrams:DPNGrams",
        "diffpart": "shoal.methods.diffpart:DiffPart",
        "document-vectors": "shoal.methods.document_vectors:DocumentVectors",
        "old-remedies": "shoal.methods.old_remedies:OldRemedies",
        "secret-sharing": "shoal.methods.secret_sharing:SecretSharing",
        "split-personality": "shoal.methods.split_personality:SplitPersonality",
        "perturbation": "shoal.methods.perturbation:Perturbation",
    },
)


def __getattr__(name: str) -> Any:
    return METHODS.class_called(name, __name__)


def insist_on_packages(method: Method | type[Method]) -> None:
    """Raise, before any work, if a method needs an extra that is not installed."""
    if method.extra:
        insist_on_extra(method.extra)


def fate_of(part: str, method: str) -> Fate:
    """Return the outcome of a part of the accounting, as declared by this method or for any run."""
    own = METHODS[method].fates if method in METHODS else {}
    return own.get(part, FATES.get(part, "gone"))


def ledgers_of(method: str) -> tuple[str, ...]:
    """Return what this method accounts for beyond its input."""
    return METHODS[method].ledgers if method in METHODS else ()


# -- presets


PRESET = "preset"  # what names one, on the command line, in Python and in files of options


@dataclass(frozen=True)
class Preset:
    """Named parameters of a method, their purpose, and what they do not protect."""

    name: str
    use: str
    does_not_protect: str
    values: Mapping[str, Any]

    @property
    def written(self) -> str:
        """The parameters in one line."""
        return ", ".join(f"{name} = {value}" for name, value in self.values.items())


def presets_of(method: str) -> Mapping[str, Preset]:
    """Return the presets of a method by name; most methods have none."""
    listed = _tables().get(method, {})
    return {name: Preset(name, preset["for"], preset["not"], preset["values"]) for name, preset in listed.items()}


def with_preset(method: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given parameters, completed by those of the named preset."""
    rest = {name: value for name, value in values.items() if name != PRESET}
    wanted = values.get(PRESET)
    if wanted is None:
        return rest
    known = presets_of(method)
    if not known:
        raise ParameterError(f"the method {method} has no presets", code="unknown-preset", value=wanted)
    if wanted not in known:
        raise ParameterError(
            f"no preset of {method} is called {wanted!r}", code="unknown-preset", hint=there_are(str(wanted), known), value=wanted
        )
    return {**known[wanted].values, **rest}


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("shoal.methods").joinpath("presets.toml").read_text("utf-8"))
