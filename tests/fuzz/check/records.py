"""Recounts of the models of records: who is alike, who knows what, and who can be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.check.flow import enough_people, matches
from fuzz.check.raw import Raw, read_raw
from fuzz.check.words import terms_by_rules
from helpers.checker import (
    Bag,
    Event,
    Record,
    Row,
    Tree,
    duration,
    flat_tree,
    read_tree,
    records_from,
    tree_of_paths,
    with_unknown,
)

NAMES_AS_TYPED = {"coherence", "tds", "disassociation", "k-delta", "suppress-control", "cahd"}
LONGEST = 12  # items of a record of which all sets are counted


@dataclass(frozen=True)
class Facts:
    """All that a recount needs: the original records in the names that may be published, and the published ones."""

    originals: list[Record]  # those that hold something
    bags: list[Bag]
    tree: Tree
    published: list[Bag]
    private: frozenset[str] = frozenset()
    public: frozenset[str] | None = None
    sensitive: tuple[frozenset[str], ...] = ()  # each item with all that counts as it
    recodes: bool = False  # items are suppressed everywhere or nowhere, and never generalized
    empty: int = 0  # raw records that hold nothing
    costs: Mapping[str, Fraction] = field(default_factory=dict)  # of getting to know an item, 1 for others
    wishes: Mapping[str, frozenset[str]] = field(default_factory=dict)  # items that are private for one person

    @property
    def owners(self) -> list[str]:
        return [record.owner for record in self.originals]

    @property
    def owners_repeat(self) -> bool:
        return len(set(self.owners)) < len(self.owners)


# -- from files


def raw_records(case: Case, directory: Path) -> list[Record]:
    """The records of the input, with all items as typed."""
    raw = read_raw(case, directory)
    if case.form == "lines":
        return [Record(str(n), row["items"]) for n, row in enumerate(raw.rows)]
    events = []
    seen = set()
    for row in rows_of(case, raw):
        owner = row["user"]
        time = datetime.fromisoformat(row["time"]) if row.get("time") else datetime(2000, 1, 1)
        if "query" in row:
            if (owner, time, row["query"]) not in seen or not row["time"] or case.form == "prompts":  # repeated prompts are no clicks
                words = row["query"].lower() if on_taxonomy(case) else row["query"]
                events.append(Event(owner, time, tuple(words.split())))
            seen.add((owner, time, row["query"]))
        else:
            times = int(row["qty"]) if "count" in case.said else 1
            events.append(Event(owner, time, (row["item"],) * times, row.get("basket", "")))
    if rules := case.text("terms", ""):
        terms, _ = terms_by_rules([(event.owner, list(event.items)) for event in events], rules)
        events = [replace(event, items=tuple(words)) for event, words in zip(events, terms, strict=True)]
    per = "record" if "record" in case.said else case.text("per", "user")
    return records_from(events, per, duration(case.text("gap", "30m")))


def joined_words(case: Case, directory: Path) -> int:
    """How many words of a log are joined to the word before."""
    rows = enumerate(rows_of(case, read_raw(case, directory)))
    typed = {(row["user"], row["time"], row["query"], number if case.form == "prompts" else 0) for number, row in rows}
    return terms_by_rules([(owner, query.split()) for owner, _, query, _ in sorted(typed)], case.text("terms", ""))[1]


def rows_of(case: Case, raw: Raw) -> list[Row]:
    """The rows of a table, of a log of requests, or of conversations."""
    if case.form == "accesslog":
        return [{"user": row["address"], "time": str(row["time"].replace(tzinfo=None)), "item": row["page"]} for row in raw.rows]
    if case.form == "prompts":
        return [{"user": row["user"], "time": row["timestamp"][:-1], "query": row["conversation"][0]["content"]} for row in raw.rows]
    return raw.rows


def on_taxonomy(case: Case) -> bool:
    """Whether names are those of a taxonomy's nodes."""
    return case.method not in NAMES_AS_TYPED or case.flag("generalize")


def tree_of(case: Case, directory: Path, terms: set[str]) -> Tree:
    """The hierarchy that records are on, unknown terms included unless they are dropped."""
    given = case.said.get("taxonomy")
    if not on_taxonomy(case) or given is None:
        return flat_tree(terms)
    assert isinstance(given, str)
    if given == "paths":
        return tree_of_paths(terms)
    if given.startswith(("generated", "topics")):
        return flat_tree(terms)
    drops = case.said.get("unknown") == "drop"
    if given == "wordnet":
        return flat_tree(term for term in terms if not drops or not term.startswith("qy"))
    return read_tree(directory / given) if drops else with_unknown(read_tree(directory / given), terms)


def supported(records: list[Record], fewest: int) -> list[Record]:
    """The records without the items that fewer people have."""
    people: dict[str, set[str]] = {}
    for record in records:
        for item in record.items:
            people.setdefault(item, set()).add(record.owner)
    return [Record(record.owner, tuple(item for item in record.items if len(people[item]) >= fewest)) for record in records]


def facts_of(case: Case, directory: Path, published: list[Bag]) -> Facts:
    """The raw input as the checker reads it."""
    raw = supported(raw_records(case, directory), case.number_of("min-support", 1))
    tree = tree_of(case, directory, {item for record in raw for item in record.items})
    named = [Record(record.owner, tuple(item for item in record.items if item in tree.parent)) for record in raw]
    held = [record for record in named if record.items]
    bagged = case.flag("bag") or "count" in case.said
    bags = [Counter(record.items) if bagged else Counter(set(record.items)) for record in held]
    chosen = {name: frozenset(items) for name, items in case.chosen.items()}
    return Facts(
        held,
        bags,
        tree,
        published,
        chosen.get("private", frozenset()),
        chosen.get("public"),
        sensitive_items(case, tree),
        not on_taxonomy(case) and case.method in {"coherence", "tds", "suppress-control"},
        len(named) - len(held),
        costs_of(case, directory),
        wishes_of(case, directory),
    )


def costs_of(case: Case, directory: Path) -> dict[str, Fraction]:
    """The costs of items in the file of a command."""
    if "costs" not in case.said:
        return {}
    lines = (directory / case.text("costs", "")).read_text("utf-8").splitlines()
    return {name: Fraction(cost) for name, _, cost in (line.rpartition("\t") for line in lines)}


def wishes_of(case: Case, directory: Path) -> dict[str, frozenset[str]]:
    """The items that are private for single people in the file of a command."""
    if "private-of" not in case.said:
        return {}
    pairs = [line.split("\t") for line in (directory / case.text("private-of", "")).read_text("utf-8").splitlines()]
    return {person: frozenset(item for other, item in pairs if other == person) for person, _ in pairs}


def sensitive_items(case: Case, tree: Tree) -> tuple[frozenset[str], ...]:
    """Each sensitive item, with everything below it where records are on a taxonomy."""
    if under := case.chosen.get("sensitive-under"):
        return (frozenset(tree.below(under[0])),)
    items = case.chosen.get("sensitive", [])
    return tuple(frozenset(tree.below(item) if case.method == "shoal" else {item}) for item in items)


# -- groups of equal records


def classes(published: list[Bag]) -> Counter[tuple[tuple[str, int], ...]]:
    return Counter(tuple(sorted(bag.items())) for bag in published)


def recount_k(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    k, sizes = int(values["k"]), classes(facts.published)
    smallest = min(sizes.values(), default=0)
    wrong = [] if smallest >= k else [f"a class of {smallest}"]
    if smallest != achieved["records"]:
        wrong.append(f"states {achieved['records']} records, has {smallest}")
    if "people" in achieved and not k <= achieved["people"] <= smallest:
        wrong.append(f"states {achieved['people']} people")
    return wrong


def candidates_of(facts: Facts) -> list[tuple[list[int], int]]:
    """For each class the originals that its record generalizes, and how often it is published."""
    found = []
    for content, copies in classes(facts.published).items():
        kind = Counter(dict(content))
        found.append(([i for i, bag in enumerate(facts.bags) if facts.tree.generalizes(kind, bag)], copies))
    return found


def recount_generalization(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    wrong = recount_k(facts, values, achieved)
    below = candidates_of(facts)
    if not matches([candidates for candidates, copies in below for _ in range(copies)]):
        wrong.append("a published record that generalizes no original of its own")
    elif not wrong and facts.owners_repeat and not enough_people(below, facts.owners, int(values["k"])):
        wrong.append("a class that cannot stand for k people")
    return wrong


def recount_sensitive(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """No sensitive item is named, nor a node that means nothing else; and each class can stand for few enough who hold one.

    The root says nothing, even if one item alone lies below it: whoever holds anything holds the root, and shares are counted below.
    """
    h = Fraction(values["h"])
    if h >= 1:
        return []
    leaves = facts.tree.leaves
    wrong = []
    for meant in facts.sensitive:
        others = set(facts.tree.parent) - {facts.tree.root}
        means = {node for node in others if (under := facts.tree.below(node) & leaves) and under <= meant}
        if named := sum(item in meant | means for bag in facts.published for item in bag):
            wrong.append(f"{named} sensitive items are named")
        if facts.owners_repeat:
            continue
        holds = [any(item in meant for item in record.items) for record in facts.originals]
        wanted = []
        for candidates, copies in candidates_of(facts):
            free = int(h * copies)
            without = [i for i in candidates if not holds[i]]
            wanted += [candidates] * free + [without] * (copies - free)
        if not matches(wanted):
            wrong.append("classes that must hold a sensitive item too often")
    return wrong


def recount_vocabulary(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    wrong = recount_k(facts, values, achieved)
    if len(facts.published) > len(facts.bags) or (values.get("people") == "yes" and len(set(facts.owners)) < int(values["k"])):
        wrong.append("more vocabularies than there were, or fewer people")
    return wrong


def recount_shared(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    holders: dict[str, set[str]] = {}
    for record, bag in zip(facts.originals, facts.bags, strict=True):
        for node in facts.tree.counts(bag):
            holders.setdefault(node, set()).add(record.owner)
    if facts.tree.open:
        everybody = set(facts.owners)
        known = set(facts.tree.parent)
        holders |= {term: everybody for bag in facts.published for term in bag if term not in known}
    terms = {term for bag in facts.published for term in bag}
    rare = sum(len(holders.get(term, ())) < int(values["owners"]) for term in terms)
    return [f"{rare} terms of too few people"] if rare else []


# -- what somebody knows of a record


def recoded(facts: Facts) -> list[tuple[str, frozenset[str]]] | None:
    """Whose record became which, where items were suppressed everywhere or nowhere; None if that is not what happened."""
    shown = {item for bag in facts.published for item in bag}
    expected = [frozenset(bag) & shown for bag in facts.bags]
    filled = Counter(items for items in expected if items)
    if filled != Counter(frozenset(bag) for bag in facts.published if bag):
        return None
    empty = sum(not items for items in expected) if any(not bag for bag in facts.published) else 0
    if empty and empty != sum(not bag for bag in facts.published):
        return None
    return [(record.owner, items) for record, items in zip(facts.originals, expected, strict=True) if items or empty]


def known_of(facts: Facts) -> tuple[list[tuple[str, frozenset[str]]], list[str]]:
    """The published records with their owners, each its own owner where that is not known; and what is wrong with the records."""
    wrong = ["an item is repeated in its record"] if any(n > 1 for bag in facts.published for n in bag.values()) else []
    people = recoded(facts) if facts.recodes else None
    if people is None and facts.recodes:
        wrong.append("published records are not the originals under one suppression")
    return people or [(f"record {n}", frozenset(bag)) for n, bag in enumerate(facts.published)], wrong


def sets_within(records: Iterable[frozenset[str]], most: int) -> set[frozenset[str]]:
    """All sets of up to so many items that stand in a record; of long records those of up to three, and the record."""
    found: set[frozenset[str]] = set()
    for items in set(records):
        sizes = range(min(most, len(items), LONGEST if len(items) <= LONGEST else 3) + 1)
        found |= {frozenset(chosen) for size in sizes for chosen in combinations(sorted(items), size)}
        if len(items) <= most:
            found.add(items)
    return found


def recount_coherence(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people, wrong = known_of(facts)
    k, h, p = int(values["k"]), Fraction(values["h"]), int(values["p"])
    public = {item for _, items in people for item in items} - facts.private
    if facts.public is not None:
        public &= facts.public
    most = int(p / min([Fraction(1), *facts.costs.values()]))
    parts = [(items & public - facts.wishes.get(owner, frozenset()), owner) for owner, items in people]
    for chosen in sets_within((items for items, _ in parts), most):
        if sum(facts.costs.get(item, Fraction(1)) for item in chosen) > p:
            continue
        cohort = [(owner, items) for owner, items in people if items >= chosen]
        holders = {owner for owner, _ in cohort}
        if len(holders) < k:
            wrong.append(f"a set of {len(chosen)} held by {len(holders)}")
        wished = {item for items, owner in parts if items >= chosen for item in facts.wishes.get(owner, ())}
        for hidden in facts.private | wished:
            having = [owner for owner, items in cohort if hidden in items]
            if len(having) > h * len(cohort) or len(set(having)) > h * len(holders):
                wrong.append(f"a set of {len(chosen)} gives a private item away")
    return wrong


def recount_public(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people, wrong = known_of(facts)
    behind: dict[frozenset[str], set[str]] = {}
    for owner, items in people:
        part = items - facts.private if facts.public is None else items & facts.public
        behind.setdefault(part, set()).add(owner)
    small = sum(len(owners) < int(values["k"]) for owners in behind.values())
    return [*wrong, f"{small} public parts of too few people"] if small else wrong


def recount_km(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people, wrong = known_of(facts)
    k, m = int(values["k"]), int(values["m"])
    records = [items for _, items in people]
    supports = [sum(items >= chosen for items in records) for chosen in sets_within(records, m)]
    if min(supports, default=0) < k:
        wrong.append(f"a set of items is held by {min(supports, default=0)}")
    if "records" in achieved and all(len(items) <= LONGEST for items in records) and min(supports, default=0) != achieved["records"]:
        wrong.append(f"states {achieved['records']} records, has {min(supports, default=0)}")
    if not matches([candidates for candidates, copies in candidates_of(facts) for _ in range(copies)]):
        wrong.append("a published record that generalizes no original of its own")
    return wrong


def recount_rho(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people, wrong = known_of(facts)
    rho = Fraction(values["rho"])
    most = int(values["antecedent"]) if "antecedent" in values else None
    greatest = Fraction(0)
    for hidden in {item for meant in facts.sensitive for item in meant}:
        holding = [items for _, items in people if hidden in items]
        for known in antecedents([items - {hidden} for items in holding], most):
            cohort = [(owner, items) for owner, items in people if items >= known]
            having = [(owner, items) for owner, items in cohort if hidden in items]
            for part, whole in ((len(having), len(cohort)), (len({o for o, _ in having}), len({o for o, _ in cohort}))):
                greatest = max(greatest, Fraction(part, whole))
    if greatest > rho:
        wrong.append(f"a sensitive item is inferred with certainty {float(greatest):.3f}")
    if facts.tree.leaves and not matches([candidates for candidates, copies in candidates_of(facts) for _ in range(copies)]):
        wrong.append("a published record that generalizes no original of its own")
    return wrong


def antecedents(records: list[frozenset[str]], most: int | None) -> set[frozenset[str]]:
    """What somebody may know: all sets of so many items, or the closed ones, of which the certainty is greatest."""
    if not records:
        return set()
    if most is not None:
        return {frozenset(chosen) for items in set(records) for n in range(most + 1) for chosen in combinations(sorted(items), n)}
    closed: set[frozenset[str]] = set()
    for items in records:
        closed |= {items} | {items & other for other in closed}
        if len(closed) > 5000:
            break
    return closed | {frozenset.intersection(*records)}


def recount_delta(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    k, delta = int(values["k"]), Fraction(values["delta"])
    records = [frozenset(bag) for bag in facts.published]
    near = [sum(_within(one, other, delta) for other in records) for one in records]
    wrong = [] if min(near, default=0) >= k else [f"a record with {min(near)} records near it"]
    if any(n > 1 for bag in facts.published for n in bag.values()):
        wrong.append("an item is repeated in its record")
    if min(near, default=0) != achieved["records"]:
        wrong.append(f"states {achieved['records']} records, has {min(near, default=0)}")
    return wrong


def _within(one: frozenset[str], other: frozenset[str], delta: Fraction) -> bool:
    """Whether the share of items that only one of two records has is at most delta."""
    return len(one ^ other) * delta.denominator <= delta.numerator * len(one | other)


# -- names of topics


ANY_TOPIC = "(any topic, with rare words)"


def recount_names(facts: Facts, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Published names that nobody holds are names of topics: two or three words, each held by enough people.

    Beside WordNet those of one word are taken for its categories, and a word that one was renamed for counts as one of a name.
    """
    holders: dict[str, set[str]] = {}
    for record in facts.originals:
        for item in record.items:
            holders.setdefault(item, set()).add(record.owner)
    shown = {item for bag in facts.published for item in bag} - holders.keys()
    empty = {item for item in shown if _says_nothing(item)}
    categories = {item for item in shown - empty if " / " not in item} if values.get("categories") == "wordnet" else set()
    names = [item.split(" / ") for item in shown - empty - categories]
    wrong = [f"a name of {len(name)} words" for name in names if len(name) not in (2, 3)]
    wrong += ["a name with a word twice" for name in names if len(set(name)) < len(name)]
    if len({frozenset(name) for name in names}) < len(names):
        wrong.append("two names of the same words")
    words = {word for name in names for word in _without_marks(name, holders)}
    words |= {item.replace(" (kinds)", "") for item in categories if item.endswith(" (kinds)")}
    people = [len(holders.get(word, ())) for word in words]
    if min(people, default=int(values["people"])) < int(values["people"]):
        wrong.append(f"a word of {min(people)} people in a name")
    if people and achieved["people"] != min(people):
        wrong.append(f"states {achieved['people']} people, has {min(people)}")
    return wrong


def _says_nothing(item: str) -> bool:
    """Whether this is a fixed name without words of the data: of everything, or with a number of a part."""
    plain = item[: item.rindex(" (")] if item.endswith(")") and " (" in item and item[item.rindex(" (") + 2 : -1].isdigit() else item
    return item == ANY_TOPIC or plain in ("(any topic)", "(other words)") or (item.startswith("(unlisted)") and " / " not in item)


def _without_marks(name: list[str], holders: dict[str, set[str]]) -> list[str]:
    """The words of a name, without the dots and the number that are not words."""
    *others, last = name
    if last == "..." and len(others) == 1:
        return [_without_number(others[0], holders)]
    return [*others, _without_number(last, holders)]


def _without_number(word: str, holders: dict[str, set[str]]) -> str:
    """A word without the number behind it, unless both together are a word."""
    return word[: word.rindex(" (")] if word not in holders and word.endswith(")") and " (" in word else word


# -- the floor


def above_floor(case: Case, directory: Path, facts: Facts) -> list[str]:
    """Published names that are more general than the floor allows, in the whole taxonomy as it was given."""
    told, given = case.said.get("floor", ["2"]), case.said.get("taxonomy")
    assert isinstance(told, list)
    if not on_taxonomy(case) or not isinstance(given, str) or told == ["1"]:
        return []
    tree = read_tree(directory / given) if given.startswith("tree.") else facts.tree
    leaves = tree.leaves
    above = {node for node in tree.parent if tree.below(node) >= leaves}
    above |= {node for node in (facts.tree.shelf, "(root)", "entity", ANY_TOPIC) if node}
    if told[0].isdigit():
        above |= {node for node in tree.parent if len(tree.path(node)) < int(told[0])}
    else:
        above |= {node for name in told for node in tree.path(name)[1:]}
    found = sum(name in above - leaves for name in {name for bag in facts.published for name in bag})
    return [f"{found} names above the floor"] if found else []


RECOUNTS = {
    "k-anonymity": recount_generalization,
    "vocabulary-k-anonymity": recount_vocabulary,
    "shared-terms": recount_shared,
    "coherence": recount_coherence,
    "public-k-anonymity": recount_public,
    "sensitive-share": recount_sensitive,
    "km-anonymity": recount_km,
    "rho-uncertainty": recount_rho,
    "k-delta-anonymity": recount_delta,
    "node-names": recount_names,
}


def wrong_records(facts: Facts, manifest: dict[str, Any]) -> list[str]:
    """Whether the account of records is that of the input and of the files."""
    told = manifest.get("accounting", {}).get("records", {})
    withheld = sum(n for part, n in told.items() if part.startswith("withheld"))
    wrong = []
    total = len(facts.bags) + facts.empty
    if len(facts.published) + withheld != total:
        wrong.append(f"{len(facts.published)} records are published and {withheld} withheld of {total}")
    if told.get("withheld: nothing in common") and not all(facts.published):
        wrong.append("some records that nothing is left of are published, and some are not")
    return wrong
