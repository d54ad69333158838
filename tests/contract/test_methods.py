"""What every method of records in the table owes, on every small data set. A new method joins by being in the table.

Methods that take a log are in `test_rows_contract`, those that publish records in groups of two parts in `test_group_methods`.

A method that wants more than `k` to be tried well, or more than bags and a taxonomy to be run, says so in
`TRIED` and `ALSO_NEEDS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest

from helpers.data import DATASETS, Dataset, numbers_of, on_nodes, published
from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.input_shapes import Shape
from shoal.data.items import plain_values
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import Infeasible, ParameterError
from shoal.kinds import KINDS
from shoal.methods import METHODS, Method
from shoal.methods.bases.grouping import GroupingMethod
from shoal.pipeline.contract import whole_account
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared

# The parameters a method is tried with; one not named here is tried with k = 2 and 3, or with its defaults.
TRIED: dict[str, list[dict[str, Any]]] = {
    "clump": [
        {"k": 2},
        {"k": 3, "r": 1},
        {"k": 2, "criterion": "total", "r": 100},
        {"k": 3, "order": "ascending"},
        {"k": 2, "order": "random", "seed": 7},
        {"k": 3, "distinct": True},
    ],
    "partition": [
        {"k": 2},
        {"k": 3, "leftover": "keep"},
        {"k": 2, "tries": 1},
        {"k": 2, "publish_as": "bag"},
        {"k": 3, "publish_as": "lcg"},
        {"k": 3, "publish_as": "set"},
    ],
    "km": [{"k": 2}, {"k": 3, "m": 1}, {"k": 2, "m": 3, "aim": "words"}, {"k": 3, "m": 10_000}],
    "apriori": [{"k": 2}, {"k": 3, "m": 3, "undo": False}],
    "local": [{"k": 2}, {"k": 2, "m": 3, "part": 1}, {"k": 3, "part": 6}],
    "hghs": [{"k": 2}, {"k": 3, "m": 10_000}],
    "suppress-control": [{"rho": 0.3}, {"rho": 0.5, "weight": 100}, {"rho": 0.6, "antecedent": 1}, {"rho": 0.5, "choice": "printed"}],
    "td-control": [{"rho": 0.3}, {"rho": 0.5, "weight": 100}, {"rho": 0.6, "antecedent": 1, "weight": 10}],
    "k-delta": [{"k": 2}, {"k": 3, "delta": 0.0, "price": 0.25}, {"k": 2, "delta": 0.8}, {"k": 3, "delta": 0.25}],
    "ssc": [
        {"k": 2},
        {"k": 3, "typical": "members", "min_owners": 3},
        {"k": 2, "typical": "generalize", "distance": "wu-palmer"},
        {"k": 3, "order": "descending", "rare": "withhold", "eps": 2, "omega": 5},
    ],
}

# What makes a method publish the same for all people.
ALIKE: dict[str, dict[str, Any]] = {"k-delta": {"delta": 0.0, "price": 0.1}}

# What a method's `apply` wants beside bags and taxonomy, made from the data set.
ALSO_NEEDS: dict[str, Callable[[Dataset], dict[str, Any]]] = {}

# Methods that work only where sensitive items are named: every third item that occurs is.
NAMES_SENSITIVE = {"suppress-control", "td-control"}


OF_RECORDS = [name for name in METHODS if METHODS[name].takes & {"sets", "bags"} and METHODS[name].publishes in {"sets", "bags"}]


def tried(name: str) -> list[dict[str, Any]]:
    by_default = [{"k": 2}, {"k": 3}] if has_k(METHODS[name]) else [{}]
    return TRIED.get(name, by_default)


def has_k(method: type[Method]) -> bool:
    return any(p.name == "k" for p in method.parameters())


@cache
def dataset(name: str) -> Dataset:
    return DATASETS[name]()


def taken_by(method: Method, data: Dataset, bags: Bags | None = None) -> Dataset:
    """The data as the method takes it: a method of sets gets sets."""
    some = data.bags if bags is None else bags
    if data.kind in method.takes:
        return Dataset(some, data.taxonomy, data.kind)
    return Dataset(some.as_sets(), data.taxonomy, "sets")


def ready(method: Method, data: Dataset) -> Method:
    """The method with sensitive items named, if it wants some."""
    if method.name not in NAMES_SENSITIVE:
        return method
    names = [data.taxonomy.names[int(item)] for item in np.unique(data.bags.items)[::3]]
    return replace(method, sensitive=names)  # type: ignore[type-var]


def run(method: Method, data: Dataset) -> Release:
    extra = ALSO_NEEDS.get(method.name, lambda _: {})(data)
    return ready(method, data).apply(Original.on(data.bags, data.taxonomy), **extra)


def _cases() -> Iterator[Any]:
    for name in OF_RECORDS:
        for values in tried(name):
            told = ", ".join(f"{key}={value}" for key, value in values.items())
            for data in DATASETS:
                yield pytest.param(METHODS[name](**values), data, id=f"{name}({told}) on {data}")


every_method_on_every_dataset = pytest.mark.parametrize(("method", "name"), list(_cases()))


def arrays(bags: Bags) -> list[np.ndarray]:
    return [bags.indptr, bags.items, bags.counts, bags.owners]


@every_method_on_every_dataset
def test_the_claims_hold_for_an_independent_judge(method: Method, name: str) -> None:
    data = taken_by(method, dataset(name))
    release = run(method, data)
    original = on_nodes(data.bags, data.taxonomy)
    promises = ready(method, data).claims()
    assert promises
    assert len(release.claims) == len(promises)
    assert all(claim.keeps(promise) for claim, promise in zip(release.claims, promises, strict=True))  # type: ignore[attr-defined]
    for claim in release.claims:
        verdict = claim.check(release, original)  # type: ignore[attr-defined]
        assert verdict.holds, verdict.witnesses
    bare = Release.from_records(release.published.select(release.shuffled_rows()))
    for claim in release.claims:
        verdict = claim.check(bare)  # type: ignore[attr-defined]
        assert verdict.holds, verdict.witnesses


@every_method_on_every_dataset
def test_the_input_is_not_changed(method: Method, name: str) -> None:
    data = taken_by(method, dataset(name))
    before = [array.copy() for array in arrays(data.bags)]
    tree = data.taxonomy.parent.copy()
    run(method, data)
    assert all(np.array_equal(a, b) for a, b in zip(before, arrays(data.bags), strict=True))
    assert not any(array.flags.writeable for array in arrays(data.bags))
    assert np.array_equal(tree, data.taxonomy.parent)


@every_method_on_every_dataset
def test_threads_and_the_order_of_records_do_not_matter(method: Method, name: str) -> None:
    data = taken_by(method, dataset(name))
    with kernels.using(threads=1):
        one = published(run(method, data))
    with kernels.using(threads=2):
        assert published(run(method, data)) == one
    rng = np.random.default_rng(11)
    for _ in range(3):
        shuffled = data.bags.select(rng.permutation(len(data.bags)))
        numbers = rng.permutation(int(data.bags.owners.max()) + 1)
        renumbered = Bags(*(a.copy() for a in shuffled.rows), numbers[shuffled.owners], shuffled.vocabulary)
        assert published(run(method, Dataset(renumbered, data.taxonomy, data.kind))) == one


@every_method_on_every_dataset
def test_the_whole_account_tells_the_form_of_every_occurrence(method: Method, name: str) -> None:
    """As typed is what a record and its published record have in common; only a method that says so represents words in another way."""
    data = taken_by(method, dataset(name))
    original, release = on_nodes(data.bags, data.taxonomy), run(method, data)
    assert release.secret is not None
    ledger = whole_account(release, Prepared(original, {}, Preparation(), None, ())).occurrences
    rows, before, after = release.secret.rows().tolist(), numbers_of(data.bags), numbers_of(release.published)
    pairs = [(Counter(record), Counter(after[row])) for record, row in zip(before, rows, strict=True) if row >= 0]
    assert ledger.total == data.bags.occurrences
    assert ledger["kept"] == sum((record & shown).total() for record, shown in pairs)
    told = sum(ledger[part] for part in ("kept", "as the parent", "as categories", "at the root or unlisted"))
    adds_items = any(claim.adds_items for claim in method.claims())
    if not method.fates and not adds_items:
        assert told == sum(shown.total() for _, shown in pairs) == ledger.of_fate("kept", "changed")


@every_method_on_every_dataset
def test_the_accounting_balances(method: Method, name: str) -> None:
    data = taken_by(method, dataset(name))
    release = run(method, data)
    account = release.accounting
    assert account is not None
    assert account.records.total == len(data.bags)
    assert account.records["published"] == release.n_records == sum(published(release).values())
    assert account.occurrences.total == data.bags.occurrences
    assert (release.method, release.parameters) == (method.name, plain_values(ready(method, data).values()))


@every_method_on_every_dataset
def test_empty_records_stay_empty_or_are_withheld_and_counted(method: Method, name: str) -> None:
    data = taken_by(method, dataset(name))
    empty = data.bags.lengths == 0
    release = run(method, data)
    assert release.accounting is not None
    assert release.secret is not None
    rows = release.secret.rows()
    withheld = rows[empty] == -1
    assert release.accounting.records["withheld: empty"] == withheld.sum()
    assert withheld.all() or not isinstance(method, GroupingMethod)
    assert (release.published.lengths[rows[empty][~withheld]] == 0).all()


@pytest.mark.parametrize("name", [name for name in OF_RECORDS if has_k(METHODS[name])])
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    for data in (dataset("food"), dataset("owners repeat"), dataset("with empty")):
        people = len(np.unique(data.bags.owners[data.bags.lengths > 0]))
        method = METHODS[name](k=people + 1)  # type: ignore[call-arg]
        with pytest.raises(Infeasible):
            run(method, taken_by(method, data))
    with pytest.raises(Infeasible):
        run(method, taken_by(method, data, data.bags.select([])))


@pytest.mark.parametrize("name", OF_RECORDS)
def test_all_the_people_there_are_can_be_asked_for(name: str) -> None:
    if not has_k(METHODS[name]):
        pytest.skip("has no k")
    data = dataset("heavy owner")
    method = METHODS[name](k=data.bags.n_owners, **ALIKE.get(name, {}))  # type: ignore[call-arg]
    release = run(method, taken_by(method, data))
    assert len(published(release)) == 1


@pytest.mark.parametrize("name", list(METHODS))
def test_parameters_out_of_range_are_refused(name: str) -> None:
    for declared in METHODS[name].parameters():
        wrong: list[Any] = [object()]
        if declared.minimum is not None:
            wrong.append(declared.type(declared.minimum - 1))
        if declared.maximum is not None:
            wrong.append(declared.type(declared.maximum + 1))
        if declared.choices is not None:
            wrong.append("no such choice")
        for value in wrong:
            with pytest.raises(ParameterError, match=declared.name):
                METHODS[name](**{declared.name: value})


@pytest.mark.parametrize("name", list(METHODS))
def test_a_method_tells_what_it_is(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert method.summary().endswith(".")
    assert method.paper
    assert method.takes
    assert method.takes <= set(get_args(Shape))
    assert method.publishes in {"sets", *KINDS}
    assert all(declared.help for declared in method.parameters())
