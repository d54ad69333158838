"""Commands of the methods on records of items: groups, itemsets, rules, chunks."""

from __future__ import annotations

from fuzz.case import EVERY, FRAMES, Case, Draw
from fuzz.make.inputs import People, some_people, written_records

PARAMETERS: dict[str, dict[str, list[str | bool]]] = {
    "shoal": {"effort": ["fast", "balanced", "thorough"], "seed": ["0", "7"]},
    "clump": {
        "r": ["1", "3", "10", "1000"],
        "r-by": ["order", "length"],
        "lcg": ["exact", "printed"],
        "criterion": ["increase", "total"],
        "order": ["descending", "ascending", "random"],
        "ties": ["content", "given"],
        "distinct": [True, False],
        "seed": ["0", "3"],
    },
    "partition": {"publish-as": ["words", "set", "bag", "lcg"], "tries": ["1", "3", "20"], "leftover": ["split", "keep"]},
    "ssc": {
        "distance": ["path", "path", "wu-palmer", "jaccard", "hamming", "cosine"],
        "eps": ["0", "0.5", "1", "4", "9"],
        "omega": ["0.3", "2", "50"],
        "matching": ["perfect", "maximum", "maximum"],
        "typical": ["vote", "members", "generalize"],
        "min-owners": ["1", "2", "2"],
        "rare": ["generalize", "withhold"],
        "promising": ["0", "20", "100"],
        "order": ["ascending", "descending", "given"],
    },
    "coherence": {
        "p": ["1", "2", "3"],
        "score": ["best", "mm/il", "mm", "1/il", "rmall"],
        "il": ["support", "1"],
        "h": ["0.3", "0.5", "0.8", "1"],
        "exact": [True, False],
        "time-limit": ["60", "0.5"],
    },
    "tds": {},
    "km": {"m": ["1", "2", "3", "10"], "aim": ["loss", "words"]},
    "apriori": {"m": ["1", "2", "3", "10"], "undo": [True, False], "recoding": ["subtree", "full-domain", "sibling"]},
    "direct": {"m": ["1", "2", "3", "10"]},
    "optimal": {"m": ["1", "2", "3"], "recoding": ["subtree", "full-domain", "sibling"]},
    "local": {"m": ["1", "2", "3", "10"], "part": ["1", "5", "10000"]},
    "vertical": {"m": ["1", "2", "3", "10"]},
    "hghs": {"m": ["1", "2", "3", "10"]},
    "disassociation": {"m": ["1", "2", "3", "4"], "cluster": ["0", "4", "10", "100"], "rare-words": ["withhold", "publish"]},
    "suppress-control": {
        "rho": ["0.1", "0.3", "0.5", "0.8"],
        "antecedent": ["0", "1", "2"],
        "weight": ["1", "5"],
        "choice": ["best", "printed"],
    },
    "td-control": {"rho": ["0.1", "0.3", "0.5", "0.8"], "antecedent": ["0", "1", "2"], "weight": ["1", "5"]},
    "cahd": {"alpha": ["1", "3"], "search": ["content", "band"]},
    "k-delta": {"delta": ["0", "0.25", "0.5", "0.75", "0.95"], "price": ["0", "0.5", "1", "10"]},
}
COMMON_TERMS = {"jaccard", "hamming", "cosine"}  # distances that need no taxonomy
NAMES_AS_TYPED = {"coherence", "tds", "disassociation", "k-delta", "suppress-control", "cahd"}  # a taxonomy may be left out
BAGS = {"shoal", "clump", "partition", "ssc"}
RULES = {"apriori", "direct", "optimal", "vertical", "hghs", "coherence", "tds"}
OUTLIERS = {"shoal", "clump", "partition"}
ORDER_COUNTS = {("clump", "ties", "given"), ("ssc", "order", "given"), ("clump", "order", "random")}


def made(draw: Draw) -> Case:
    """A command of one of these methods."""
    method = draw.method
    case = Case(draw.number, method, "", [])
    people, taxonomy = some_people(draw, _kind(draw))
    if taxonomy:
        case.said["taxonomy"] = taxonomy
    draw.options(case, PARAMETERS[method])
    if method == "cahd":
        case.said["p"] = draw.one(["2", "2", "2", "3", "3", "4", "6"])
    elif method not in {"suppress-control", "td-control"}:
        case.said["k"] = draw.one(["2"] * 8 + ["3"] * 6 + ["4", "4", "5", "5", "12", "1000"])
    _on_taxonomy(draw, case, people)
    written_records(draw, people, case, bags=method in BAGS)
    if method in BAGS and "count" not in case.said and draw.chance(0.4):
        case.said["bag"] = True
    _chosen_items(draw, case, people)
    _support(draw, case)
    if method in OUTLIERS and draw.chance(0.3):
        case.said["outliers"] = draw.one(["0.05", "0.2", "0.5", "1"])
    if draw.chance(0.06) and "collocations" not in case.text("terms", ""):
        case.said["memory"] = "1G"
    if method == "shoal" and draw.chance(0.02):
        case.said["seconds"] = "0.02"
    if method in OUTLIERS and draw.chance(0.01):
        case.said["bound"] = True
    if method in {"shoal", "km", "clump"} and draw.chance(0.01):
        case.said |= {"attack": "known-items", "targets": "5", "control": "0"}
    if draw.chance(0.04) and method in OUTLIERS:
        case.said["claim"] = draw.one(["k-anonymity(k=2)", f"k-anonymity(k={case.said['k']})"])
    if draw.chance(0.03) and method not in {"disassociation", "cahd"}:
        case.said["private-report"] = "aside.html"
    draw.output(case, FRAMES if method in {"disassociation", "cahd"} else EVERY, layouts=method not in {"disassociation", "cahd"})
    _afterwards(draw, case)
    return case


def _support(draw: Draw, case: Case) -> None:
    """A least support, unless items are named, and no option of the taxonomy for a distance by common terms."""
    if case.method not in NAMES_AS_TYPED and not case.chosen and draw.chance(0.1):
        case.said["min-support"] = draw.one(["1", "2", "2", "3"])
    if case.said.get("distance") in COMMON_TERMS:
        for name in ("eps", "omega", "matching", "typical"):
            case.said.pop(name, None)
    if case.said.get("matching") == "maximum":
        case.said.pop("omega", None)


def _kind(draw: Draw) -> str:
    """Where the taxonomy comes from; nowhere, for some methods."""
    if draw.method in NAMES_AS_TYPED:
        return draw.one(["none", "none", "tree"])
    return draw.one(["tree"] * 12 + ["generated"] * 3 + ["paths"] * 2 + ["topics"] * 3 + ["wordnet"])


def _on_taxonomy(draw: Draw, case: Case, people: People) -> None:
    """How records are put on the taxonomy. With names as typed it only says what lies below a node."""
    if "taxonomy" not in case.said:
        return
    if case.method == "coherence" and "score" not in case.said and draw.chance(0.4):
        case.said["generalize"] = True
        case.said.pop("exact", None)
    if case.method in NAMES_AS_TYPED and not case.flag("generalize"):
        return
    if draw.chance(0.2) and not case.text("taxonomy", "").startswith("topics"):  # which words it lacks the checker cannot know
        case.said["unknown"] = draw.one(["drop", "drop", "keep", "refuse"])
    if draw.chance(0.25):
        case.said["tree"] = "whole"
    if draw.chance(0.15):
        case.said["node-loss"] = draw.one(["lm", "information", "height"])
    if draw.chance(0.3):
        levels = draw.one([["1"], ["1"], ["2"], ["3"], ["4"]])
        case.said["floor"] = draw.some(people.nodes, 2) if people.nodes and draw.chance(0.3) else levels


def _chosen_items(draw: Draw, case: Case, people: People) -> None:
    """Sensitive, private and public items, and weights."""
    method, occurring = case.method, people.occurring
    sensible = [item for item in _rarest(people, 1) if item in people.plain]
    if method in {"suppress-control", "td-control", "cahd"}:
        draw.listed(case, "sensitive", draw.some(occurring if method != "cahd" else _rarest(people, 2), 2))
    elif method == "shoal" and draw.chance(0.35):
        if draw.chance(0.15) and people.nodes:
            node = draw.one([node for node in people.nodes if node.isalnum()] or people.nodes)
            case.said["sensitive"], case.chosen["sensitive-under"] = f"under:{node}", [node]
        else:
            draw.listed(case, "sensitive", draw.some(sensible if draw.chance(0.3) else sensible[: len(sensible) // 3 + 1], 2))
        draw.options(case, {"h": ["0", "0.3", "0.5", "0.5", "0.8", "0.8", "1"]}, 0.6)
    if method in {"coherence", "tds"} and draw.chance(0.5):
        private = draw.some(occurring, 2)
        draw.listed(case, "private", private)
        rest = [item for item in occurring if item not in private]
        if rest and draw.chance(0.15):
            draw.listed(case, "public", draw.some(rest, 3))
    if method == "coherence" and "il" not in case.said and draw.chance(0.1):
        weights = "".join(f"{item}\t{draw.rng.randint(1, 9)}\n" for item in occurring)
        case.said |= {"il": "weights", "weights": draw.file("weights.tsv", weights)}
    if method == "coherence" and not case.flag("generalize") and draw.chance(0.2):
        costs = "".join(f"{item}\t{draw.one(['0.5', '1', '1.5', '2', '7'])}\n" for item in draw.some(occurring, 4))
        case.said["costs"] = draw.file("costs.tsv", costs)
    if method == "coherence" and not case.flag("generalize") and draw.chance(0.3):
        _named_by_people(draw, case, people)


def _named_by_people(draw: Draw, case: Case, people: People) -> None:
    """Items that are private for single people, who have them or not; people must have names."""
    if case.form not in {"table", "querylog"} or {"owners", "terms"} & case.said.keys():
        return
    pairs = {(person, item) for person in draw.some(people.names, 6) for item in draw.some(people.occurring, 2)}
    case.said["private-of"] = draw.file("private-of.tsv", "".join(f"{person}\t{item}\n" for person, item in sorted(pairs)))


def _rarest(people: People, share: int) -> list[str]:
    """The items from the rarest on, or the rarer half of them: a frequent one has no groups of a high privacy degree."""
    occurring = people.occurring
    held = {item: sum(item in record for records in people.records for record in records) for item in occurring}
    return sorted(occurring, key=lambda item: (held[item], item))[: max(1, len(occurring) // share)]


def _afterwards(draw: Draw, case: Case) -> None:
    """What is typed after a release."""
    stable = "seconds" not in case.said and not any(
        case.method == method and case.said.get(name) == value for method, name, value in ORDER_COUNTS
    )
    generated = case.text("taxonomy", "").startswith(("generated", "topics"))  # whose nodes mean something else for other data
    if case.method in RULES and not generated and draw.chance(0.35):
        case.then.append("rules")
    elif draw.chance(0.1):
        case.then.append("audit")
    elif stable and draw.chance(0.1):
        case.then.append("shuffled")
    elif draw.chance(0.06):
        case.then.append(draw.one(["twice", "previous"]))
