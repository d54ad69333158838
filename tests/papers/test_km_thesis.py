"""The examples of the thesis on k^m-anonymity (2.5.1, 2.6.1) and on HgHs (2.7.1 with table 2.2), as corrected."""

from __future__ import annotations

from collections import Counter

from helpers.data import Bag, food, on, on_nodes, published
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.methods.apriori import Apriori
from shoal.methods.hghs import HgHs
from shoal.methods.km import Km
from shoal.methods.optimal import Optimal
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.km_anonymity import KmAnonymity

# Table 2.2. Nothing but the root T is above both e and i; i comes first, so of two that lose the same it is suppressed.
OUTLIER = {
    "T": None, "i": "T", "e": "T", "P": "T", "a": "P", "b": "P", "c": "P", "d": "P",
    "f": "T", "g": "T", "M": "T", "x": "M", "y": "M", "z": "M",
}  # fmt: skip
TABLE_2_2 = ["b c d", "a f g", "d f y z", "c d f x", "a b c f g", "e i", "e", "i"]
ANY_NUMBER = 10_000


def table_2_2() -> Original:
    taxonomy = Taxonomy.from_parents(OUTLIER, loss_name="lm")
    return on_nodes(on(taxonomy, [record.split() for record in TABLE_2_2]), taxonomy)


def counted(*records: str) -> Counter[Bag]:
    return Counter(tuple(sorted(record.split())) for record in records)


def test_2_5_1_fruit_that_few_people_bought_is_published_as_fruit() -> None:
    baskets = [["Orange", "Beef", "Cheese"], ["Apple", "Beef", "Cheese"], ["Banana", "Beef"], ["Cheese", "Beef"]]
    original = on_nodes(on(food(), baskets), food())
    expected = counted("Fruit Beef Cheese", "Fruit Beef Cheese", "Fruit Beef", "Beef Cheese")
    for method in (Apriori(k=2, m=3), Optimal(k=2, m=3)):
        assert published(method.apply(original)) == expected


def test_2_6_1_knowing_what_somebody_did_not_buy_is_not_covered() -> None:
    """k^m-anonymity holds, for any m; who knows that Bob bought no milk has found his record all the same, as k-anonymity tells."""
    baskets = [["Orange", "Chicken"], ["Orange", "Chicken", "Milk"], ["Orange", "Chicken", "Milk"]]
    release = Release.from_records(on(food(), baskets))
    verdict = KmAnonymity(k=2, m=3).check(release)
    assert verdict.holds and verdict.achieved == {"records": 2, "m": 3}
    assert not KmAnonymity(k=3, m=1).check(release).holds
    assert not KAnonymity(k=2).check(release).holds


def test_2_7_1_generalization_alone_makes_everything_the_root() -> None:
    release = Apriori(k=2, m=ANY_NUMBER).apply(table_2_2())
    assert published(release) == counted(*["T"] * 8)


def test_2_7_1_suppressing_one_outlier_keeps_the_rest() -> None:
    original = table_2_2()
    release = HgHs(k=2, m=ANY_NUMBER).apply(original)
    assert published(release) == counted("P", "P f g", "P f M", "P f M", "P f g", "e", "e", "")
    assert release.accounting is not None
    assert release.accounting.occurrences["suppressed"] == 2
    assert all(claim.check(release, original).holds for claim in release.claims)


def test_2_7_1_the_pair_of_one_person_is_the_only_threat_of_that_cut() -> None:
    taxonomy = Taxonomy.from_parents(OUTLIER, loss_name="lm")
    cut = ["P", "P f g", "P f M", "P f M", "P f g", "e i", "e", "i"]
    verdict = KmAnonymity(k=2, m=ANY_NUMBER).check(Release.from_records(on(taxonomy, [record.split() for record in cut])))
    assert verdict.witnesses == ("1 set of 2 published items is shared by fewer than 2 people",)
    assert verdict.rare == ("{i, e} has only 1 match",)


def test_local_recoding_of_table_2_2_keeps_more_than_hghs() -> None:
    original = table_2_2()
    kept = {m.name: m.apply(original).accounting.occurrences["kept"] for m in (HgHs(k=2, m=9), Km(k=2, m=9, aim="words"))}  # type: ignore[union-attr]
    assert kept["km"] >= kept["hghs"] == 8
