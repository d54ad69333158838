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

from shoal.api.advice import NO_ADVICE, advised
from shoal.api.argument_types import checked
from shoal.api.data_options import Column, Columns, DataOptions, GivenItemsTable, options_and_taxonomy, prepared_as, reading_options
from shoal.api.messages import in_python, log_notes, spoken_in_python, using
from shoal.api.result import Result
from shoal.api.taxonomy_argument import GivenTaxonomy, TaxonomyArgument
from shoal.auditing import CROSSING
from shoal.auditing.audit import Audit, gather_material
from shoal.auditing.earlier_releases import Series
from shoal.data.items import Items
from shoal.data.log import Per
from shoal.errors import ParameterError, ReleaseWarning
from shoal.evaluate.attack import Attacked, Draw, attacked
from shoal.evaluate.attack.before_release import AttackOption, PlannedAttacks, release_checks, unsure
from shoal.evaluate.attack.scenario import OtherReleases
from shoal.evaluate.decode import decode as decoded
from shoal.evaluate.measure import insist_on_default_patterns, measured, recorded
from shoal.evaluate.reproduce import reproduced
from shoal.evaluate.reproduce.experiment_page import Experiment
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.io.read.dispatch import Reading
from shoal.io.read.dispatch import read as read_data
from shoal.io.read.options import ReadOptions
from shoal.io.rules_file import read_rules
from shoal.methods import Method
from shoal.parameters import Param
from shoal.pipeline.claims import Claims, claims_for
from shoal.pipeline.contract import insist_on_consent
from shoal.pipeline.disclosure import announced
from shoal.pipeline.events import Cancel, Events
from shoal.pipeline.job import Job
from shoal.pipeline.manifest import Published
from shoal.pipeline.options import Memory, Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.pipeline.request import method_from, original_options, own_parameters
from shoal.pipeline.reuse_rules import method_under
from shoal.report.attacks import ATTACKS
from shoal.synthetic.querylog import QueryLog
from shoal.taxonomy.bound import STEPS, Bound, loss_lower_bound
from shoal.taxonomy.place_terms import Scope, Unknown
from shoal.util.wording import did_you_mean

__all__ = ["anonymize", "attack", "audit", "bound", "decode", "generate", "measure", "read", "reproduce"]

_BOUNDED = (
    Param("k", int, 5, "", minimum=2),
    Param("seed", int, 0, "", minimum=0),
    Param("effort", str, "balanced", "", choices=tuple(STEPS)),
)
OF_SERIES = ("previous", "crossing", "exposed")
OF_ATTACKS = ("attack", "targets", "control")
_OF_RELEASES = ("claim", "rules", "bound", "no_guarantee", *OF_SERIES, *OF_ATTACKS)
NOT_OF_DATA = frozenset({"data", "method", "k", "threads", "memory", "patience", "events", "cancel", "parameters", *_OF_RELEASES})


@checked
def read(data: str | Path | Any, **options: Any) -> Reading:
    """Read a file, a frame or lists of items. `anonymize` does this itself; this function shows the result of reading alone.

    Args:
        data: A path, a frame (Polars, pandas, Arrow), a column of lists, or lists of items.
        **options: How to read it, all optional: format, user, time, text, item, record, count, rank, url, sep, encoding, header,
            strict, malformed, owners and site_links as in `shoal.anonymize`; quasi, keep, drop, nominal, ordinal, hierarchy,
            item_sets: columns of microdata.

    Returns:
        The data as records, log or table (`data`), its `format`, the `roles` of its columns, `notes` on what was detected, and the
        rows that were left out (`defects`).

    Raises:
        ParameterError: An option is unknown, or its value is not allowed.
        InputError: The data cannot be read.

    Example:
        >>> shoal.read([["Apple", "Milk"], ["Beer"]]).data
        Bags(2 records, 2 users, 3 occurrences)
    """
    with spoken_in_python():
        known = [one.name for one in fields(ReadOptions)]
        for name in options:
            if name not in known:
                raise ParameterError(f"there is no option {name!r}", code="unknown-option", hint=did_you_mean(name, known), value=name)
        return read_data(data, ReadOptions(**reading_options(options)))


# fmt: off
@checked
def anonymize(
    data: str | Path | Any,
    method: Method | str | None = None,
    *,
    k: int | None = None,
    taxonomy: GivenTaxonomy | None = None,
    levels: Iterable[str] | None = None,
    per: Per | Literal["owner", "row"] | None = None,
    gap: str | None = None,
    bag: bool | None = None,
    node_loss: str | None = None,
    unknown: Unknown | None = None,
    terms: int | str | None = None,
    tree: Scope | None = None,
    floor: int | str | Sequence[str] | None = None, min_support: int | str | None = None,
    items_table: GivenItemsTable | None = None,
    item_level: str | None = None,
    items_key: str | None = None,
    items_name: str | None = None,
    items_levels: Iterable[str] | None = None,
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
    item_sets: Columns | None = None,
    owners: Literal["exact", "folded"] | None = None, site_links: str | Path | None = None,
    sep: str | None = None,
    encoding: str | None = None,
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
    attack: AttackOption = None,
    targets: int | None = None,
    control: float | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    patience: float | None = None,
    events: Events | None = None,
    cancel: Cancel | None = None,
    **parameters: Any,
) -> Result:
    """Anonymize data, verify every claim of the release, and return it.

    Nothing is returned unless all claims hold. The release is not written: call `write` on the result.

    Args:
        data: A path, a frame (Polars, pandas, Arrow, Spark), a column of lists, or lists of items, each list the record of one person.
        method: The name of a method (`shoal.list_methods()` lists them), or a value such as `shoal.methods.Clump(k=5)`.
            Default: "shoal".

        Parameters of methods. Not every method has all of them; others are passed by keyword as `parameters`.

        k: Minimum number of people who share each published record. Default: 5.

        Taxonomy.

        taxonomy: "wordnet", "topics" (learned from the data), "topics+wordnet", "generated", "paths", "none", a path, nested dictionaries
            such as `{"Food": {"Fruit": ["Apple", "Pear"]}}`, a frame, or a `shoal.Taxonomy`.
        levels: Columns of a taxonomy that is a frame, from the highest level to the items.
        node_loss: Loss function for taxonomy nodes: "information" (default), "lm", "height" or "people".
        unknown: What happens to terms that are not in the taxonomy: "keep" (default), "drop" or "refuse".
        tree: "used" (default) reduces the taxonomy to the part that the data uses; "whole" keeps all of it.
        min_support: Leave out items that fewer people have: a number of people, or a share such as "0.1%". Default: none.
        floor: Most general level or node that may be published; the root is level 1. Default: 2.
        items_table: Product table, a path or a frame: a row for each item with its number as in the data, a readable name, and the
            levels above it. Its names replace the items, and its levels are the taxonomy.
        item_level: Level of the product table at which items are published, such as "product_type". Default: the items.
        items_key: Column of the product table with the items as in the data. Default: found by name or by content.
        items_name: Column of the product table with readable names. Default: found by content.
        items_levels: Levels of the product table, from fine to coarse. Default: the columns of which each determines the next.

        What makes up one record.

        per: "user" (default), "session" or "event". Some methods for logs have a parameter of this name: "owner" or "row".
        gap: Pause that ends a session, such as "30m" (default).
        bag: Whether to count repeated items. Default: False, so a record is a set.
        terms: Number of terms in the vector of a document, the most frequent first. Default: 50. For records, rules for words of
            texts: a list of "domains", "phrases", "collocations" or "collocations:PEOPLE", which become one term each, and "related"
            (WordNet places an adjective, verb or adverb by its related noun). Default: every word is a term.

        Reading the data. Anything not specified is detected.

        format: "querylog", "table", "transactions", "accesslog", "prompts", "microdata" or "documents".
        user: Column with the user ID. Columns are given by name, or by number from 1.
        time: Column with the time.
        text: Column with the query text.
        item: Column with the item, one in each row.
        record: Column that identifies the records of one person, such as a basket number.
        count: Column with quantities; implies `bag`.
        rank: Column with the rank of a clicked result, for methods that publish clicks.
        url: Column with the clicked result, for methods that publish clicks.
        quasi: Quasi-identifiers of microdata. Default: all columns of numbers.
        keep_column: Columns of microdata that are published unchanged and unprotected.
        drop_column: Columns of microdata to drop.
        nominal: Quasi-identifiers that are categories without an order.
        ordinal: Quasi-identifiers with an order: numbers, or "column=low|middle|high".
        hierarchy: Quasi-identifiers with a taxonomy in a file, as "column=file".
        item_sets: Column with a set of items per row, separated by a vertical bar, and the taxonomy of the items, as "column=file".
        owners: "folded" treats user IDs that differ only in spelling (ann, Ann) as one person, "exact" as different people.
        site_links: For access logs: a file of links between pages, or "referrers", used to separate the visitors behind one address.
        sep: Separator of fields or items.
        encoding: Encoding of text files, such as "latin-1". Default: UTF-8, or that of the byte order mark.
        header: Whether the first row contains column names.
        strict: Whether to reject data with malformed rows instead of skipping and counting them.
        malformed: Largest share of malformed rows to accept. Default: 0.1.

        Claims and checks.

        claim: Further claims to verify, as text such as "km-anonymity(k=5, m=2)" or as values such as
            `shoal.privacy.KAnonymity(k=5)`.
        rules: Recoding rules of an earlier release to reuse: its directory, or its rules.json.
        bound: Whether to compute a lower bound on the information loss of any release (slow).
        no_guarantee: Whether to allow a method without a guarantee.
        previous: Directories of earlier releases of the same people. The release is rejected if it exposes too much together with them.
        crossing: A query whose number of people changed by fewer than this between two releases counts as exposed.
        exposed: Number of exposed queries or people to accept.
        attack: Attacks to run on the release before it is returned: True, or names as in `shoal.attack`.
        targets: Number of people to attack. Default: 1000.
        control: Share of the people to leave out as a control group for the attacks. Default: 0.1.

        Running.

        threads: Number of threads. Default: all cores.
        memory: Memory limit, such as "2G"; larger logs are spilled to disk.
        patience: Effort limit for verifying a claim, as a multiple of the default. A claim that needs more is not verified.
        events: Receives stages, progress, notes and warnings; see `shoal.Events`.
        cancel: Cancels the run from another thread; see `shoal.Cancel`.
        **parameters: Further parameters of the method, such as `m=2` of "km", or `effort` of "shoal": how long it searches for a
            release with less information loss; `seed` of the random numbers that a method draws. `shoal.list_methods("km")` describes them.

    Returns:
        The verified release. For a Spark frame, an object whose `write` runs the work on the cluster.

    Raises:
        ParameterError: An argument is not allowed, or does not fit the others.
        InputError: The data cannot be read.
        TaxonomyError: The taxonomy is not a tree.
        Infeasible: No release of this data can satisfy the claims.
        GuaranteeNotMet: The release fails a claim.
        Cancelled: `cancel` was used.

    Example:
        >>> food = {"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}}
        >>> result = shoal.anonymize([["Apple"], ["Apple"], ["Pear"]], k=3, taxonomy=food)
        >>> result
        <Result of shoal: k-anonymity(k=3) verified; 3 records>
        >>> result.to_polars()["items"].to_list()
        [['Fruit'], ['Fruit'], ['Fruit']]
    """
    return _released(data, method, dict(locals()))


# fmt: on


@checked
def bound(
    data: str | Path | Any,
    k: int = 5,
    *,
    seed: int = 0,
    effort: str = "balanced",
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> Bound:
    """Compute a lower bound on the information loss of any k-anonymous release of the data.

    Args:
        data: A path, a frame, a column of lists, or lists of items, as in `shoal.anonymize`.
        k: Minimum number of people who share each published record.
        seed: Seed for drawing the sample of records that is examined if there are more than 100,000.
        effort: How long to search for a larger bound: "fast", "balanced" or "thorough".
        threads: Number of threads. Default: all cores.
        **options: How to read and prepare the data, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            per, gap, bag, taxonomy, levels, node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels.

    Returns:
        The bound: `normalised` is a lower bound on the metric `loss`, `value` on `ggd`. `exact` is False if only a sample of
        the records was examined; then the bound holds with the probability `confidence`.

    Raises:
        ParameterError: An argument is not allowed.
        InputError: The data cannot be read.
        TaxonomyError: The taxonomy is not a tree.

    Example:
        >>> taxonomy = {"Food": {"Fruit": ["Apple", "Pear"], "Dairy": ["Milk", "Butter"]}}
        >>> shoal.bound([["Apple"], ["Pear"]], k=2, taxonomy=taxonomy).normalised  # at best, both records are published as Fruit
        1.0
    """
    with spoken_in_python(), using(threads):
        k, seed, effort = (declared.check(value) for declared, value in zip(_BOUNDED, (k, seed, effort), strict=True))
        records = _prepared(data, options, Preparation()).records
        return loss_lower_bound(records.bags, records.tree, k, seed=seed, effort=effort)


@checked
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
    """Verify the claims of a release from its files, whichever tool made it.

    Args:
        release: A release directory, or a single file of records.
        claims: Claims to verify, as text such as "k-anonymity(k=5)" or as values. Default: the claims in the manifest.
        original: The original data, as a path or a frame. With it, more can be verified.
        release_format: Format of a single file. Default: detected.
        release_sep: Separator of items in a single file.
        allow_column: Columns to accept although no claim covers them.
        sensitive: Sensitive items for a claim that does not name them: a file, "under:NODE", or items.
        release_user: Column with the user ID, for a single file.
        strength: A value of k. Also report the largest k for each number m of known items, and the largest m for this k.
        no_guarantee: Whether to accept a release that guarantees nothing.
        threads: Number of threads. Default: all cores.
        patience: Effort limit for verifying a claim, as a multiple of the default. A claim that needs more does not hold.
        **options: How to read and prepare the original, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            per, gap, bag, taxonomy, levels, node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels. The manifest gives the defaults.

    Returns:
        The verdicts on the claims, further checks, and warnings; `holds` is True if no claim and no check fails.

    Raises:
        ParameterError: An argument is not allowed, or a claim cannot be parsed.
        InputError: The release or the original cannot be read.

    Example:
        >>> food = {"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}}
        >>> manifest = shoal.anonymize([["Apple"], ["Apple"], ["Pear"]], k=3, taxonomy=food).write("audited")
        >>> audit = shoal.audit("audited")
        >>> audit.holds, [verdict.claim for verdict in audit.claims]
        (True, ['k-anonymity(k=3)'])
        >>> shoal.audit("audited", "k-anonymity(k=4)").holds
        False
    """
    with spoken_in_python(), using(threads, patience):
        preparation, tree = _of_original(Published.at(Path(release)), original, options)
        settings = (release_format, release_sep, allow_column, sensitive, tree.tree, release_user)
        material = gather_material(release, claims, original, preparation, *settings)
        log_notes((*tree.notes, *material.notes))
        return material.judged(strength, no_guarantee=no_guarantee)


@checked
def decode(release: str | Path) -> pl.DataFrame:
    """Decode a release of the method "secret-sharing".

    Args:
        release: The release directory.

    Returns:
        The queries that enough people share, with the numbers of people and rows of each. All other queries stay encrypted.

    Raises:
        ParameterError: The release is not one that can be decoded.
        InputError: The release cannot be read.

    Example:
        >>> log = pl.DataFrame({"user": ["ann", "ben", "ben"], "query": ["weather", "weather", "ben miller"]})
        >>> manifest = shoal.anonymize(log, "secret-sharing", k=2, no_guarantee=True).write("shares")
        >>> shoal.decode("shares").rows()
        [('weather', 2, 2)]
    """
    with spoken_in_python():
        return decoded(release).queries


@checked
def measure(
    release: str | Path,
    original: str | Path | Any = None,
    metrics: Sequence[str] | str = (),
    *,
    patterns: int | None = None,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> dict[str, float]:
    """Return metrics of a release: the recorded ones, or, with the original, metrics that are computed now.

    Args:
        release: The release directory.
        original: The original data, as a path or a frame. Without it, the metrics in the manifest are returned.
        metrics: Names of metrics (`shoal.list_metrics()` lists them). Default: those of every release.
        patterns: Number of closed patterns that `pattern_recall` and `pattern_distance` compare. Default: 500.
        threads: Number of threads. Default: all cores.
        **options: How to read and prepare the original, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            per, gap, bag, taxonomy, levels, node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels. The manifest gives the defaults.

    Returns:
        The value of each metric.

    Raises:
        ParameterError: A metric is unknown or not available for this release.
        InputError: The release or the original cannot be read.

    Example:
        >>> baskets, food = [["Apple"], ["Apple"], ["Pear"]], {"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}}
        >>> manifest = shoal.anonymize(baskets, k=3, taxonomy=food).write("measured")
        >>> shoal.measure("measured", metrics="loss")
        {'loss': 1.0}
        >>> shoal.measure("measured", baskets, "loss", taxonomy=food)
        {'loss': 1.0}
    """
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    with spoken_in_python(), using(threads):
        place = Published.at(Path(release))
        preparation, tree = _of_original(place, original, options)
        if preparation is None:
            insist_on_default_patterns(patterns)
            return recorded(place, names, log_notes)
        return measured(place, original, preparation, names, log_notes, tree.tree, patterns=patterns)


@checked
def attack(
    original: str | Path | Any,
    release: str | Path,
    attacks: Sequence[str] | str = (),
    *,
    targets: int | None = None,
    control: float = 0.1,
    seed: int = 0,
    remakes: int | None = None,
    sampling_fraction: float | None = None,
    quick: bool = False,
    other_releases: Sequence[str | Path] = (),
    sensitive: Items | Iterable[str] | str | Path | None = None,
    reference: str | Path | None = None,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> Attacked:
    """Attack a release: simulate attackers with partial knowledge about people in the original data.

    Args:
        original: The data that the release was made from, as a path or a frame.
        release: The release directory.
        attacks: Names of attacks, such as "known-items". Default: all that apply to the release.
        targets: Number of people to attack. Default: 1000, or 100 if `quick`.
        control: Share of the people to leave out of the release as a control group, from 0 to 0.9.
        seed: Seed for drawing the people and what is known about them.
        remakes: Number of people for whom some attacks make the release again. Default: 25, fewer for many records, 2 if `quick`.
        sampling_fraction: Share of the population that is in the table, to estimate how many people are unique in the population.
        quick: Attack a small sample of people. The result is marked as such.
        other_releases: Directories of other releases of the same original that the attacker has too.
        sensitive: Items that the attacker wants to learn, if no claim names them: names, a file, or "under:NODE".
        reference: A readable log that the attacker has, for releases with hashed words. Default: half of the people.
        threads: Number of threads. Default: all cores.
        **options: How to read and prepare the original, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            per, gap, bag, taxonomy, levels, node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels. The manifest gives the defaults.

    Returns:
        The success rates on the original and on the release; `holds` is False if an attack certainly succeeds more often than
        a claim allows.

    Raises:
        ParameterError: An attack is unknown or does not apply to the release, or another argument is not allowed.
        InputError: The release or the original cannot be read.

    Example:
        >>> baskets = [["Apple", "Milk"], ["Apple", "Milk"], ["Pear"], ["Pear"]]
        >>> food = {"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}}
        >>> manifest = shoal.anonymize(baskets, k=2, taxonomy=food).write("attacked")
        >>> attacked = shoal.attack(baskets, "attacked", "known-items", control=0, taxonomy=food)
        >>> attacked.holds, attacked.attacks
        (True, ('known-items',))
    """
    names = (attacks,) if isinstance(attacks, str) else tuple(attacks)
    with spoken_in_python(), using(threads):
        place = Published.at(Path(release))
        preparation, tree = _of_original(place, original, options)
        if preparation is None:
            raise ParameterError("original is missing", code="missing-argument", argument="original")
        others_and_reference = OtherReleases.of(tuple(map(Path, other_releases)), sensitive, None if reference is None else Path(reference))
        numbers: dict[str, Any] = {"targets": targets, "control": control, "seed": seed, "remakes": remakes}
        numbers["sampling_fraction"] = sampling_fraction
        draw = Draw(**(Draw.quick_values() if quick else {}) | {name: value for name, value in numbers.items() if value is not None})
        result = attacked(place, original, preparation, names, draw, log_notes, tree.tree, others_and_reference)
        return replace(result, quick=bool(quick))


def generate(users: int = 10_000, seed: int = 0, **parameters: Any) -> pl.DataFrame:
    """Generate a synthetic query log with the columns of AOL's log. Its people do not exist.

    Args:
        users: Number of people in the log.
        seed: Seed of the random numbers; the same seed gives the same log.
        **parameters: `nouns_per_user` (1 to 200, default 21): mean number of different WordNet nouns that a person searches for;
            `topics` (1 to 500, default 200): number of topics; `unknown` (0 to 0.9, default 0.35): share of terms not in WordNet;
            `like` (default "even"): with "thesis" the first people have more nouns than later ones.

    Returns:
        The log, one row for each query or click.

    Raises:
        ParameterError: A parameter is unknown or out of its range.

    Example:
        >>> shoal.generate(users=3, seed=1).columns
        ['AnonID', 'Query', 'QueryTime', 'ItemRank', 'ClickURL']
    """
    with spoken_in_python():
        QueryLog.refuse_unknown(parameters)
        return pl.concat([rows for rows, _ in QueryLog(users=users, seed=seed, **parameters).blocks()])


# -- steps


def _released(data: Any, method: Method | str | None, arguments: Mapping[str, Any]) -> Result:
    """Make the release for the arguments of `anonymize`."""
    with spoken_in_python(), using(arguments["threads"], arguments["patience"]):
        return _run_job(data, method, arguments)


def _run_job(data: Any, method: Method | str | None, arguments: Mapping[str, Any]) -> Result:
    options = {name: value for name, value in arguments.items() if name not in NOT_OF_DATA}
    own = own_parameters(method, options)
    settings = {"k": arguments["k"]} | own | arguments["parameters"]
    reused_rules = None if arguments["rules"] is None else read_rules(arguments["rules"])
    chosen = method_from(method, settings, options) if reused_rules is None else method_under(reused_rules, method, settings)
    insist_on_consent(chosen, arguments["no_guarantee"])
    further, attempt = claims_for(chosen, arguments["claim"]), PlannedAttacks.from_options(*(arguments[name] for name in OF_ATTACKS))
    preparation, hierarchy = prepared_as(options, replace(Preparation.default_for(chosen), memory=Memory.parse(arguments["memory"])))
    checks = release_checks(Series.of(*(arguments[name] for name in OF_SERIES)), attempt)
    metrics = ["bound"] if arguments["bound"] else []
    job = Job(
        data, chosen, preparation, hierarchy.tree, further, metrics, reused_rules, arguments["no_guarantee"], checks, notes=hierarchy.notes
    )
    if type(data).__module__.partition(".")[0] == "pyspark":
        released: Result = _on_cluster(job, arguments)
        return released
    done = job.run(_LogEvents(arguments["events"]), arguments["cancel"])
    log_notes((), unsure({ATTACKS: done.judged.attacks}))
    helps = (lambda: NO_ADVICE) if reused_rules is not None else (lambda: advised(data, done, chosen, options, further))
    return _with_logged_advice(Result(done.judged, done.prepared.notes, helps, done.warnings))


class _LogEvents(Events):
    """Forwards events to those of the caller, and notes and warnings to the logger `shoal`."""

    def __init__(self, further: Events | None) -> None:
        self._further = further or Events()

    def stage(self, name: str, index: int, count: int) -> None:
        self._further.stage(name, index, count)

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        self._further.progress(label, done, total, remark)

    def note(self, line: str) -> None:
        log_notes([line])
        self._further.note(in_python(line))

    def warn(self, line: str) -> None:
        log_notes([], [line])
        text = in_python(line)
        self._further.warn(ReleaseWarning(line.code, text) if isinstance(line, ReleaseWarning) else text)


def _on_cluster(job: Job, arguments: Mapping[str, Any]) -> Any:
    """Run the job on a Spark data frame where it is stored. Arguments that need one machine are rejected."""
    from shoal.cluster.run import ClusterRelease

    whole = replace(job, threads=arguments["threads"], patience=arguments["patience"])
    return ClusterRelease(whole, _LogEvents(arguments["events"]), arguments["cancel"])


def _prepared(data: Any, options: Mapping[str, Any], base: Preparation) -> Prepared:
    """Read the data and place it on its taxonomy; log how it was parsed."""
    preparation, tree = prepared_as(options, base)
    prepared = prepare(data, preparation, tree.tree)
    announcement = announced(prepared)
    log_notes((*tree.notes, *announcement.notes), (*announcement.warnings, *announcement.left_out))
    return prepared


def _of_original(place: Published, original: Any, keywords: Mapping[str, Any]) -> tuple[Preparation | None, TaxonomyArgument]:
    """Return the options for reading an original, on top of those in the manifest. Without an original, they are rejected."""
    options, tree = options_and_taxonomy(keywords)
    preparation = original_options(options, original, place.manifest)
    return None if preparation is None else tree.settled(preparation), tree


def _with_logged_advice(result: Result) -> Result:
    """Return the result, after logging the advice if hardly any words are kept."""
    log_notes((), [*(f"this may keep more: {line}" for line in result.advice), *result.advice_notes])
    return result


@checked
def reproduce(
    paper: str, *, size: int | None = None, data: str | Path | None = None, seed: int = 0, threads: int | None = None
) -> Experiment:
    """Repeat the experiment of a paper.

    Args:
        paper: "thesis" (Milani Fard 2010), "coherence" (Xu and others 2008), "ssc" (Liu and Wang 2010) or "ares" (Navarro-Arribas
            and Torra 2010).
        size: Size of the data: people, or transactions for "coherence". Default: depends on the paper.
        data: A file or directory with data of your own. Default: synthetic data.
        seed: Seed of the random numbers.
        threads: Number of threads. Default: all cores.

    Returns:
        The `figures` with their rows, and the `findings`: what the paper says, what was measured, and whether they agree.

    Raises:
        ParameterError: The paper is unknown, or the size is too small.
        InputError: The data cannot be read.

    Example:
        >>> experiment = shoal.reproduce("ssc", size=100)
        >>> experiment.paper, len(experiment.findings)
        ('ssc', 10)
    """
    with spoken_in_python(), using(threads):
        return reproduced(paper, ExperimentSize(size, None if data is None else Path(data), seed))
