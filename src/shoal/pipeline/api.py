"""The Python interface: what the command line does, under the same names, on files and on frames.

>>> import shoal
>>> log = shoal.generate(users=200, seed=1)
>>> result = shoal.anonymize(log, k=5, taxonomy="wordnet")
>>> result
<Result of shoal: k-anonymity(k=5) verified; 200 records>
>>> manifest = result.write("release")
>>> shoal.audit("release").holds
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, Unpack

import polars as pl

from shoal.api.advice import advised
from shoal.api.data_options import Column, Columns, DataOptions, asked_of_data, prepared_as
from shoal.api.taxonomy_argument import GivenTaxonomy, Hierarchy
from shoal.auditing.audit import Audit, gathered
from shoal.auditing.earlier_releases import CROSSING, Series
from shoal.data.items import Items
from shoal.data.log import Per
from shoal.errors import ParameterError
from shoal.evaluate.attack import Attacked, Draw, attacked
from shoal.evaluate.attack.before_release import Attempt, Readied, Wanted, readied, unsure, withstood
from shoal.evaluate.attack.scenario import Beside
from shoal.evaluate.decode import decode as decoded
from shoal.evaluate.measure import measured, recorded
from shoal.io.read.dispatch import Reading
from shoal.io.read.dispatch import read as read_data
from shoal.io.read.options import ReadOptions
from shoal.io.rules_file import read_rules
from shoal.methods import Method
from shoal.names import did_you_mean
from shoal.parameters import Param
from shoal.pipeline.announcements import announced, doubts
from shoal.pipeline.consent import insist_on_consent
from shoal.pipeline.further import Claims, claims_for
from shoal.pipeline.keywords import in_python, spoken_in_python, using
from shoal.pipeline.look import Look
from shoal.pipeline.look import look as see
from shoal.pipeline.manifest import Published
from shoal.pipeline.memory_limit import Memory
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.request import original_options, own_parameters, wanted_method
from shoal.pipeline.result import Result, log
from shoal.pipeline.reuse_rules import method_under
from shoal.pipeline.run import anonymize as judged_release
from shoal.privacy import Model
from shoal.report.alarms import alarms
from shoal.report.attack_summary import ATTACKS
from shoal.synthetic.querylog import QueryLog
from shoal.taxonomy.bound import Bound, loss_lower_bound
from shoal.taxonomy.place_terms import Scope, Unknown

__all__ = ["anonymize", "audit", "bound", "decode", "generate", "look", "measure", "read"]

_BOUNDED = (Param("k", int, 5, "", minimum=2), Param("seed", int, 0, "", minimum=0))
OF_SERIES = ("previous", "crossing", "exposed")
OF_ATTACKS = ("attack", "targets", "control")
_OF_RELEASES = ("claim", "rules", "bound", "no_guarantee", *OF_SERIES, *OF_ATTACKS)
NOT_OF_DATA = frozenset({"data", "method", "k", "seed", "effort", "threads", "memory", "patience", "parameters", *_OF_RELEASES})


def read(data: str | Path | Any, **options: Any) -> Reading:
    """Read a file, a frame or lists of items, with options as in `ReadOptions`; `anonymize` does this itself.

    >>> shoal.read([["Apple", "Milk"], ["Beer"]]).data
    Bags(2 records, 2 owners, 3 occurrences)
    """
    with spoken_in_python():
        known = [one.name for one in fields(ReadOptions)]
        for name in options:
            if name not in known:
                raise ParameterError(f"there is no option {name!r}", hint=did_you_mean(name, known), value=name)
        return read_data(data, ReadOptions(**options))


def anonymize(
    data: str | Path | Any,
    method: Method | str | None = None,
    *,
    k: int | None = None,
    seed: int | None = None,
    effort: Literal["fast", "balanced", "thorough"] | None = None,
    taxonomy: GivenTaxonomy | None = None,
    levels: Iterable[str] | None = None,
    per: Per | Literal["owner", "row"] | None = None,
    gap: str | None = None,
    bag: bool | None = None,
    node_loss: str | None = None,
    unknown: Unknown | None = None,
    terms: int | None = None,
    tree: Scope | None = None,
    floor: int | str | Sequence[str] | None = None,
    format: str | None = None,
    user: Column | None = None,
    time: Column | None = None,
    text: Column | None = None,
    item: Column | None = None,
    record: Column | None = None,
    count: Column | None = None,
    rank: Column | None = None,
    url: Column | None = None,
    quasi: Columns | None = None,
    keep_column: Columns | None = None,
    drop_column: Columns | None = None,
    nominal: Columns | None = None,
    ordinal: Columns | None = None,
    hierarchy: Columns | None = None,
    owners: Literal["exact", "folded"] | None = None,
    sep: str | None = None,
    header: bool | None = None,
    strict: bool | None = None,
    malformed: float | None = None,
    claim: Claims = (),
    rules: str | Path | None = None,
    bound: bool = False,
    no_guarantee: bool = False,
    previous: str | Path | Sequence[str | Path] = (),
    crossing: int = CROSSING,
    exposed: int = 0,
    attack: Wanted = None,
    targets: int | None = None,
    control: float | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    patience: float | None = None,
    **parameters: Any,
) -> Result:
    """A release of `data` that passed all its claims; raises `GuaranteeNotMet` rather than giving one that fails.

    `data` is a path, a frame (Polars, pandas, Arrow, Spark), a column of lists, or lists of items. `method` is a name, or a value such as
    `shoal.Clump(k=5)`; its parameters are keywords too. All other keywords are the options of the program `shoal anonymize`.
    >>> shoal.anonymize([["Apple"], ["Apple"], ["Pear"]], k=3, taxonomy={"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}})
    <Result of shoal: k-anonymity(k=3) verified; 3 records>
    """
    return _released(data, method, dict(locals()))


def bound(data: str | Path | Any, k: int = 5, *, seed: int = 0, threads: int | None = None, **options: Unpack[DataOptions]) -> Bound:
    """How much any k-anonymous release of `data` must lose, whoever makes it and however.

    >>> taxonomy = {"Food": {"Fruit": ["Apple", "Pear"], "Dairy": ["Milk", "Butter"]}}
    >>> shoal.bound([["Apple"], ["Pear"]], k=2, taxonomy=taxonomy).normalised  # any release says Fruit at best
    1.0
    """
    with spoken_in_python(), using(threads):
        k, seed = (declared.check(value) for declared, value in zip(_BOUNDED, (k, seed), strict=True))
        records = _prepared(data, options, Preparation()).records
        return loss_lower_bound(records.bags, records.tree, k, seed=seed)


def look(data: str | Path | Any, *, whole: bool = False, threads: int | None = None, **options: Unpack[DataOptions]) -> Look:
    """How `data` is read and what is in it, before anything is made of it; of a large file the first part, unless the `whole` is wanted.

    Its examples are records as they were parsed, without owners: for you, not for publication.

    >>> found = shoal.look([["Apple", "Milk"], ["Beer"]], taxonomy="none")
    >>> found.format, found.people, found.items
    ('transactions', 2, 3)
    """
    with spoken_in_python(), using(threads):
        how, given = prepared_as(options)
        found = see(data, how, whole=whole, given=given.tree)
        _tell((*given.notes, *found.notes), [f"left out: {line}" for line in found.defects])
        return found


def audit(
    release: str | Path,
    claims: Claims = (),
    *,
    original: str | Path | Any = None,
    release_format: str | None = None,
    release_sep: str | None = None,
    allow_column: Sequence[str] = (),
    sensitive: str | Path | Items | None = None,
    release_user: str | None = None,
    strength: int | None = None,
    no_guarantee: bool = False,
    threads: int | None = None,
    patience: float | None = None,
    **options: Unpack[DataOptions],
) -> Audit:
    """Judge a release directory or a file of records by these claims, or by those of its manifest.

    With the `original`, a file or a frame, more strictly; `options` say how to read it, on top of what the manifest tells. With `strength`,
    or where nothing is claimed, it also says the largest k at each m, and the largest m at that k. A release that guarantees nothing does
    not hold, unless `no_guarantee` says that this is known. Nor does a claim hold that takes too long to verify: `patience` is how much
    work that may be, as a multiple of the default.
    """
    with spoken_in_python(), using(threads, patience):
        how, given = _of_original(Published.at(Path(release)), original, options)
        found = (release_format, release_sep, allow_column, sensitive, given.tree, release_user)
        material = gathered(release, claims, original, how, *found)
        _tell((*given.notes, *material.notes))
        return material.judged(strength, no_guarantee=no_guarantee)


def decode(release: str | Path) -> pl.DataFrame:
    """The queries of a release directory of shares that enough people asked, with the people and rows of each; the others stay sealed.

    >>> log = pl.DataFrame({"user": ["ann", "ben", "ben"], "query": ["weather", "weather", "ben miller"]})
    >>> manifest = shoal.anonymize(log, "secret-sharing", k=2, no_guarantee=True).write("shares")
    >>> shoal.decode("shares").rows()
    [('weather', 2, 2)]
    """
    with spoken_in_python():
        return decoded(release).queries


def measure(
    release: str | Path,
    original: str | Path | Any = None,
    metrics: Sequence[str] | str = (),
    *,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> dict[str, float]:
    """Numbers about a release directory, by the names of `shoal metrics`: those it recorded, or, with the `original`, measured anew."""
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    with spoken_in_python(), using(threads):
        place = Published.at(Path(release))
        how, given = _of_original(place, original, options)
        return recorded(place, names, _tell) if how is None else measured(place, original, how, names, _tell, given.tree)


def attack(
    original: str | Path | Any,
    release: str | Path,
    attacks: Sequence[str] | str = (),
    *,
    targets: int = 1000,
    control: float = 0.1,
    seed: int = 0,
    remakes: int | None = None,
    other_releases: Sequence[str | Path] = (),
    sensitive: Items | Iterable[str] | str | Path | None = None,
    reference: str | Path | None = None,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> Attacked:
    """What somebody could find out from a release directory who knows a little of people in its `original`, a file or a frame.

    The named attacks, or all, on so many `targets`; a share of the people is left out as a `control` group. Some attacks make the release
    again for each person: `remakes` says for how many. `other_releases` of the same original may be held beside it; `sensitive` items are
    looked for; a `reference` log can be read where words are hashed.
    """
    names = (attacks,) if isinstance(attacks, str) else tuple(attacks)
    with spoken_in_python(), using(threads):
        place = Published.at(Path(release))
        how, given = _of_original(place, original, options)
        assert how is not None
        beside = Beside.of(tuple(map(Path, other_releases)), sensitive, None if reference is None else Path(reference))
        return attacked(place, original, how, names, Draw(targets, control, seed, remakes), _tell, given.tree, beside)


def generate(users: int = 10_000, seed: int = 0, **parameters: Any) -> pl.DataFrame:
    """A synthetic query log in AOL's columns, of people who never lived; the parameters are the options of `shoal generate`.

    >>> shoal.generate(users=3, seed=1).columns
    ['AnonID', 'Query', 'QueryTime', 'ItemRank', 'ClickURL']
    """
    with spoken_in_python():
        QueryLog.refuse_unknown(parameters)
        return pl.concat([rows for rows, _ in QueryLog(users=users, seed=seed, **parameters).blocks()])


# -- steps


def _released(data: Any, method: Method | str | None, asked: Mapping[str, Any]) -> Result:
    """The release that `anonymize` was asked for, with these keywords."""
    with spoken_in_python(), using(asked["threads"], asked["patience"]):
        return _made(data, method, asked)


def _made(data: Any, method: Method | str | None, asked: Mapping[str, Any]) -> Result:
    said = {name: value for name, value in asked.items() if name not in NOT_OF_DATA}
    own = own_parameters(method, said)
    given = {name: asked[name] for name in ("k", "seed", "effort")} | own | asked["parameters"]
    found = None if asked["rules"] is None else read_rules(asked["rules"])
    chosen = wanted_method(method, given, said) if found is None else method_under(found, method, given)
    _accepted(chosen, asked["no_guarantee"])
    if type(data).__module__.partition(".")[0] == "pyspark":
        released: Result = _on_cluster(data, chosen, said, asked)
        return released
    further = claims_for(chosen, asked["claim"])
    series = Series.of(*(asked[name] for name in OF_SERIES))
    earlier = series.earlier(chosen.claims())
    attempt = Attempt.asked(*(asked[name] for name in OF_ATTACKS))
    if attempt is not None:
        attempt.refuse(chosen)
    start = replace(Preparation.default_for(chosen), memory=Memory.asked(asked["memory"]))
    ready = _readied(data, said, start, chosen.claims(), attempt)
    prepared = ready.prepared
    wanted = (["bound"] if asked["bound"] else [], further, found)
    judged = judged_release(prepared, chosen, *wanted, no_guarantee=asked["no_guarantee"])
    for compared in series.compare(judged, earlier):
        _tell(() if compared.exposed else compared.told, compared.told if compared.exposed else ())
    judged = withstood(attempt, judged, ready, chosen, found, _tell)
    _tell((), unsure({ATTACKS: judged.attacks}))
    return _told(Result(judged, prepared.notes, lambda: advised(data, prepared, chosen, said)))


def _on_cluster(frame: Any, method: Method, said: Mapping[str, Any], asked: Mapping[str, Any]) -> Any:
    """A frame of Spark is worked on where it is: what is given writes the release. What is for one machine is refused."""
    from shoal.cluster.result import ClusterRelease
    from shoal.cluster.run import insist_on_support

    for name in ("claim", "rules", "bound", "previous", "threads", "attack", "memory", "patience"):
        if asked[name]:
            raise ParameterError(f"{name} is for one machine, and this is a frame of Spark", hint="leave it out")
    how, given = prepared_as(said, Preparation.default_for(method))
    if given.tree is not None:
        raise ParameterError("a taxonomy for a frame of Spark is wordnet or a file", hint="write it to a file first")
    insist_on_support(how, method)
    return ClusterRelease(frame, how, method)


def _prepared(data: Any, said: Mapping[str, Any], base: Preparation) -> Prepared:
    """The data, read and put on its taxonomy as was said."""
    return _readied(data, said, base).prepared


def _readied(
    data: Any, said: Mapping[str, Any], base: Preparation, claims: Sequence[Model] = (), attempt: Attempt | None = None
) -> Readied:
    """The same, with the data itself where attacks are to be made; what was understood is told before the work."""
    how, given = prepared_as(said, base)
    ready = readied(attempt, data, how, given.tree)
    told = announced(ready.prepared, claims)
    _tell((*given.notes, *told.notes), (*told.warnings, *told.left_out))
    return replace(ready, prepared=replace(ready.prepared, notes=(*given.notes, *told.notes)))


def _accepted(method: Method, no_guarantee: bool) -> None:
    """Before the work: a method that guarantees nothing must have been asked for, and what may not be meant is told."""
    insist_on_consent(method, no_guarantee)
    _tell((), doubts(method))


def _of_original(place: Published, original: Any, said: Mapping[str, Any]) -> tuple[Preparation | None, Hierarchy]:
    """How an original is to be read, on top of what the manifest tells; where there is none, nothing may be said of it."""
    options, given = asked_of_data(said)
    how = original_options(options, original, place.manifest)
    return None if how is None else given.settled(how), given


def _told(result: Result) -> Result:
    """The result, after warnings: of what makes it dangerous, and where hardly a word is left."""
    _tell((), alarms(result.manifest))
    if result.headline.warning:
        _tell((), [result.headline.warning, *(f"this may keep more words: {line}" for line in result.advice)])
    return result


def _tell(notes: Iterable[str], warnings: Iterable[str] = ()) -> None:
    """Notes and warnings go to the log `shoal`, in the words of Python."""
    for note in notes:
        log.info(in_python(note))
    for warning in warnings:
        log.warning(in_python(warning))
