"""Differential privacy: the participation of one person changes the probability of any release only slightly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data import patience
from shoal.data.claims import Verdict
from shoal.data.noise_record import COUNTS, DIVISIONS, EQUAL, GAUSSIAN, GUIDE, LAPLACE, POLICY, SELECTION, WHOLE, NoisyStep
from shoal.data.release import Release
from shoal.data.tables.counts import COUNT, CountTable
from shoal.parameters import param
from shoal.privacy.evidence.cluster_judging import JudgesNoise
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import LogOriginal


# -- privacy loss of the recorded noise
#
# Added up from the record alone, and written apart from what methods calculate their noise with. docs/methods/dp-queries.md has the
# proofs.


Floats = npt.NDArray[np.float64]

FINE = 2.0**36  # grid points of a standard deviation, from which noise in whole numbers is as good as Gaussian noise
WHOLE_NUMBERS = 4e-9  # what is still lost by that, of epsilon and of delta as a share
CELLS = 512
MOST_NUMBERS, STEPS_A_NUMBER = 10_000_000, 20
ROUNDED_POLICY = 1 + 2.0**-10  # the sensitivity of a policy whose weights are rounded


def faults(step: NoisyStep) -> list[str]:
    """Return what is invalid or missing in a record, so that no guarantee follows from this noise."""
    name = f"the {step.purpose} of {step.table}"
    if step.purpose != GUIDE and (step.cap is None or step.cap < 1):
        return [f"{name} has no cap: nothing limits what one person adds"]
    least = _least_sensitivity(step)
    if least is None:
        return [f"{name} has {step.noise} noise and {step.weights} weights, for which there is no proof"]
    found = []
    if step.sensitivity is None or step.sensitivity < least * (1 - 1e-12):
        found.append(f"{name} has a sensitivity below {least:g}, the largest change that one person can cause")
    if step.purpose == SELECTION and (step.threshold is None or step.threshold < 1):
        found.append(f"{name} has no threshold of at least 1")
    if step.scale <= 0 or (step.noise == GAUSSIAN and step.scale * 2.0**step.grid < FINE):
        found.append(f"{name} has too little noise, or on too coarse a grid")
    return found


def _least_sensitivity(step: NoisyStep) -> float | None:
    """Return the maximum influence of one person on the numbers, in the norm of the noise; None if no proof is known."""
    cap = step.cap or 0
    return {
        (GUIDE, GAUSSIAN, EQUAL): 1.0,
        (SELECTION, GAUSSIAN, POLICY): ROUNDED_POLICY,
        (SELECTION, GAUSSIAN, EQUAL): 1.0,
        (COUNTS, GAUSSIAN, WHOLE): math.sqrt(cap),
        (SELECTION, LAPLACE, WHOLE): float(cap),
        (COUNTS, LAPLACE, WHOLE): float(cap),
        (DIVISIONS, LAPLACE, WHOLE): float(cap),
    }.get((step.purpose, step.noise, step.weights))


def spent_budget(steps: Sequence[NoisyStep], epsilon: float) -> tuple[float, float]:
    """Return the total epsilon and delta of all steps of a valid record; with Gaussian noise, delta at this epsilon."""
    if {step.noise for step in steps} == {LAPLACE}:
        return sum(step.sensitivity / step.scale for step in steps if step.sensitivity), _laplace_delta(steps)
    return epsilon, _gaussian_delta(steps, epsilon)


# -- Laplace noise


def _laplace_delta(steps: Sequence[NoisyStep]) -> float:
    """Return the probability that a selection publishes a value of one person only, who contributes `cap` in total."""
    return min(1.0, sum(_passing(step) for step in steps if step.purpose == SELECTION))


def _passing(step: NoisyStep) -> float:
    assert step.cap is not None
    return max(_laplace_tail(step, step.cap), step.cap * _laplace_tail(step, 1))


def _laplace_tail(step: NoisyStep, count: int) -> float:
    """Return the exact probability that discrete Laplace noise lifts this count above the threshold: a ** (n + 1) / (1 + a)."""
    assert step.threshold is not None
    points = math.ceil(step.threshold * 2**step.grid) - count * 2**step.grid
    if points < 0:
        return 1.0
    rate = -1 / (step.scale * 2.0**step.grid)
    return math.exp(rate * (points + 1)) / (1 + math.exp(rate))


# -- Gaussian noise


def _gaussian_delta(steps: Sequence[NoisyStep], epsilon: float) -> float:
    """Return the delta of all steps composed. If a selection comes first, values of one person only are treated separately."""
    total = sum((step.sensitivity / step.scale) ** 2 for step in steps if step.sensitivity)
    first, *rest = steps
    if first.purpose == SELECTION:
        found = _with_first(first, total, epsilon - WHOLE_NUMBERS)
    else:
        found, rest = _profile(epsilon - WHOLE_NUMBERS, total), list(steps)
    found += sum(_worst_tail(step) for step in rest if step.purpose == SELECTION)
    return min(1.0, found * (1 + WHOLE_NUMBERS))


def _with_first(step: NoisyStep, total: float, epsilon: float) -> float:
    """Return the maximum over all shares q of a person's squared weight on values of nobody else."""
    assert step.cap is not None
    _insist_on_patience(step.cap, CELLS // 2)
    worst = 0.0
    for cell in range(CELLS):
        low, high = cell / CELLS, (cell + 1) / CELLS
        alone = np.arange(1, math.floor(step.cap * high + 1e-6) + 1)
        published = _tail(step, alone, np.sqrt(high / alone)).max(initial=0.0)
        worst = max(worst, _profile(epsilon, max(total - low / step.scale**2, 0.0)) + float(published))
    return worst


def _insist_on_patience(cap: int, times: int) -> None:
    """Raise if a person may contribute to more numbers than can be enumerated this many times."""
    what = f"adding up the noise of {patience.large(cap)} numbers a person"
    patience.insist_on_room(cap, what, MOST_NUMBERS)
    patience.spend(cap * times * STEPS_A_NUMBER, what)


def _worst_tail(step: NoisyStep) -> float:
    assert step.cap is not None
    _insist_on_patience(step.cap, 1)
    alone = np.arange(1, step.cap + 1)
    return float(_tail(step, alone, 1 / np.sqrt(alone)).max())


def _tail(step: NoisyStep, values: npt.NDArray[np.int64], weights: Floats) -> Floats:
    """Return the probability that one of this many values with these weights reaches the threshold."""
    from scipy.special import log_ndtr

    assert step.threshold is not None
    below = log_ndtr((step.threshold - weights) / step.scale)
    return np.asarray(-np.expm1(values * below))


def _profile(epsilon: float, squared: float) -> float:
    """Return the delta of the Gaussian mechanism at this epsilon for this squared ratio of sensitivity and noise."""
    from scipy.special import log_ndtr

    if squared <= 0:
        return 0.0
    mu = math.sqrt(squared)
    first, second = log_ndtr(mu / 2 - epsilon / mu), log_ndtr(-mu / 2 - epsilon / mu)
    return max(0.0, math.exp(first) - math.exp(epsilon + second))


# -- the model


# Origin of published values: a mechanism that selects among values of people publishes nothing that is not in the original.


WORDS = r"[\p{L}\p{M}\p{N}]+"
FIRST, SECOND = "first", "second"
ITEMS = "items"  # the column of sets of items
STEP = "step1"  # the first column of a run of rows
OF_WORDS = frozenset({"term", FIRST, SECOND})  # columns that hold words of texts, and not whole texts


def words_wanted(column: str, kind: str) -> str | None:
    """Return the pattern whose matches in the texts of a log are the values of a column; None if they are whole payloads."""
    return WORDS if kind == "text" and column in OF_WORDS else None


def invented(strange: int, column: str) -> str:
    """Return the message about published values that do not occur in the original."""
    return f"{counted(strange, 'published value')} of {column!r} not in the original"


def apart(keys: pl.DataFrame, original: LogOriginal) -> Iterator[str]:
    """Return pairs that nobody has together: a query and a URL in one row, two words in one query, two items of one person, and runs of
    rows that nobody has one after another.
    """
    log = original.log
    if keys.columns == ["query", "url"] and "url" in log.frame.columns:
        together = log.frame.select(query="payload", url="url")
    elif keys.columns == [FIRST, SECOND]:
        texts = log.kind == "text"
        values = pl.col("payload").str.extract_all(WORDS) if texts else pl.concat_list("payload")
        held = log.frame.with_row_index("row").select("row" if texts else pl.col("owner").alias("row"), value=values).explode("value")
        wanted = held.join(_values(keys), on="value", how="semi").unique()
        together = wanted.join(wanted, on="row", suffix="_other").select(pl.col("value").alias(FIRST), pl.col("value_other").alias(SECOND))
    elif keys.columns[0] == STEP:
        together = _consecutive(log.frame, keys.columns)
    else:
        return
    if strange := len(keys.join(together.unique(), on=keys.columns, how="anti")):
        yield f"{counted(strange, 'published pair' if len(keys.columns) == 2 else 'published run')} never together in the original"


def _consecutive(frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Return the runs of this many rows that some user has one after another, by time and else as in the log.

    The same query of a user at the same time, as after several clicks, is one row.
    """
    when = pl.col("time").cast(pl.Int64).fill_null(-(2**62)) if "time" in frame.columns else pl.int_range(pl.len())
    rows = frame.filter(pl.col("payload").str.strip_chars() != "").select("owner", "payload", when=when)
    rows = rows.unique(maintain_order=True).with_columns(rank=pl.col("when").rank("ordinal").over("owner"))
    found = rows.select("owner", "rank", pl.col("payload").alias(columns[0]))
    for place, name in enumerate(columns[1:], 1):
        later = rows.select("owner", pl.col("rank") - place, pl.col("payload").alias(name))
        found = found.join(later, on=["owner", "rank"])
    return found.select(columns)


def _values(keys: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"value": pl.concat([keys[FIRST], keys[SECOND]]).unique()})


NOT_RECORDED = "the noise that was added is not recorded, and noise cannot be seen in published numbers"
# the steps of a table, in their order
PROVED = {(SELECTION,), (SELECTION, COUNTS), (GUIDE, SELECTION), (GUIDE, SELECTION, COUNTS), (DIVISIONS, COUNTS)}


@dataclass(frozen=True)
class DifferentialPrivacy(JudgesNoise):
    """With or without one person, the probability of any set of releases is at most e^epsilon times as large plus delta."""

    name = "differential-privacy"
    protects = (
        "A person with all their activity, whatever an attacker knows about that person and everyone else: the release would have "
        "been almost as likely without the person."
    )
    does_not_protect = (
        "What is true of many people is published and may reveal something about each of them. With probability delta, something of a "
        "single person is published. Budgets add up: further releases of the same people increase epsilon and delta. People are "
        "identified by their user IDs: someone with several accounts is protected per account."
    )
    limits = "It does not hide what is true of many people, and the budgets of further releases of the same people add up."
    judges = frozenset({"counts"})
    safe_numbers = frozenset()  # any exact number would be one that noise does not cover
    level_words = {  # noqa: RUF012 (never changed)
        "epsilon": "privacy loss, as the exponent of e",
        "delta": "probability that something of a single person is published, recomputed from the recorded noise",
    }
    level_sentences = {"epsilon": "epsilon is {n}", "delta": "delta is {n}"}  # noqa: RUF012 (never changed)

    epsilon: float = param(1.0, minimum=0.001, maximum=20, help="privacy loss: probabilities differ by a factor of at most e^epsilon")
    delta: float = param(1e-6, minimum=0, maximum=0.01, help="what may be added to the larger probability, for every set of releases")

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: noise is not visible in a number, but values must occur in the original."""
        keys = {} if with_original else dict.fromkeys((name for name in table.columns if name != COUNT), "")
        keys |= {ITEMS: "only that the taxonomy has them: noise publishes sets that nobody has"} if ITEMS in table.columns else {}
        return {**keys, COUNT: "numbers with noise cannot be checked"}

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        """Add up the privacy loss of the recorded noise; with the original, also verify that all published values occur in it."""
        strange = [*_unlike_noise(release), *(() if original is None else _invented(release, original))]
        return self.judge_noise(release.mechanism, tuple(release.tables), strange)

    def judge_noise(self, steps: tuple[NoisyStep, ...], tables: tuple[str, ...], strange: Iterable[str] = ()) -> Verdict:
        """Do the same for tables of these names, wherever their counts are; `strange` describes values that the original lacks."""
        if not steps:
            return Verdict(str(self), "not checkable", {}, unchecked=NOT_RECORDED)
        broken = [*(fault for step in steps for fault in faults(step)), *_unfit(steps, tables)]
        if broken:
            return Verdict(str(self), "fails", {}, tuple(broken))
        epsilon, delta = spent_budget(steps, self.epsilon)
        if epsilon > self.epsilon:
            broken.append(f"the recorded noise gives an epsilon of {epsilon:.6g}, more than {self.epsilon:g}")
        if delta > self.delta:
            broken.append(f"the recorded noise gives a delta of {delta:.6g}, more than {self.delta:g}")
        broken += strange
        return Verdict(str(self), "fails" if broken else "by construction", {"epsilon": epsilon, "delta": delta}, tuple(broken))


def _unfit(steps: tuple[NoisyStep, ...], tables: tuple[str, ...]) -> Iterator[str]:
    """Return faults if the record does not match the tables: each is selected once, before it is counted at most once."""
    if len({step.noise for step in steps}) > 1:
        yield "the record mixes kinds of noise, whose composition is not computed here"
    by_table: dict[str, list[str]] = {}
    for step in steps:
        by_table.setdefault(step.table, []).append(step.purpose)
    for table in tables:
        if table not in by_table:
            yield f"no noise is recorded for the table {table!r}"
    for table, purposes in by_table.items():
        if tuple(purposes) not in PROVED:
            yield f"the record of the table {table!r} is not one selection, perhaps with a guide and counts, and not divisions with counts"


def _unlike_noise(release: Release) -> Iterator[str]:
    """Return numbers that are not in the form of noisy ones: counts are integers, weights have one decimal digit."""
    for name, table in zip(release.tables, release.tables_of(CountTable), strict=True):
        counted = any(step.purpose == COUNTS and step.table == name for step in release.mechanism)
        if counted and table.columns[COUNT] != "integer":
            yield f"the counts of the table {name!r} are not whole numbers"
        elif not counted and table.columns[COUNT] == "number" and (table.frame[COUNT].round(1) != table.frame[COUNT]).any():
            yield f"the weights of the table {name!r} have more than one digit after the point"


def _invented(release: Release, original: LogOriginal) -> Iterator[str]:
    """Return published values that do not occur in the original."""
    payloads = original.log.frame["payload"]
    for table in release.tables_of(CountTable):
        if ITEMS in table.columns:
            yield from _not_in_taxonomy(table.frame[ITEMS], original)
            continue
        for column in table.frame.drop(COUNT).columns:
            known = original.log.frame[column] if column in original.log.further else payloads
            if (pattern := words_wanted(column, original.log.kind)) is not None:
                known = payloads.str.extract_all(pattern).explode()
            texts = known.cast(pl.String).unique()
            if strange := int((~table.frame[column].cast(pl.String).is_in(texts.implode())).sum()):
                yield invented(strange, column)
        yield from apart(table.frame.drop(COUNT), original)


def _not_in_taxonomy(sets: pl.Series, original: LogOriginal) -> Iterator[str]:
    """Return published sets that no division along the taxonomy gives: with other names, the root, a name twice, or no name."""
    if original.taxonomy is None:
        yield "sets of items need the taxonomy that people were divided along"
        return
    flat = sets.explode(empty_as_null=True)
    if strange := int((original.taxonomy.names.codes(flat.fill_null("")) <= 0).sum()):
        yield f"{counted(strange, 'published item')} not below the root of the taxonomy"
    if repeated := int((sets.list.n_unique() != sets.list.len()).sum()):
        yield f"{counted(repeated, 'published set')} with an item twice"
