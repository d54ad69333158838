"""The whole of a release, or of a refusal: every claim, every account, every file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.check import affinity, apart, logs, noise, records, tables
from fuzz.check.raw import Raw, must_refuse, read_raw
from helpers.checker import Release, Tree, everything_in, values_of

# The number of suppressed words tells how many people hold a sensitive one.
NO_WORD_COUNTS, WORD_COUNTS = {"suppress-control", "td-control"}, {"occurrences", "items", "words", "kept", "suppressed", "loss"}
NO_GUARANTEE = {"old-remedies", "secret-sharing", "split-personality"}
Values = dict[str, str]
Achieved = dict[str, Any]


class Checked:
    """What a release is compared with, read once and only as far as a claim needs it."""

    def __init__(self, case: Case, directory: Path, release: Release) -> None:
        self.case, self.directory, self.release = case, directory, release

    @property
    def given(self) -> tuple[Case, Path, Release]:
        """The command, its files and its release."""
        return self.case, self.directory, self.release

    def tree(self) -> Tree | None:
        """The hierarchy of the words of a log, where one is given."""
        return logs.tree_beside(self.case, self.directory)

    @cached_property
    def facts(self) -> records.Facts:
        """The original as records, with the published ones where there are such."""
        return records.facts_of(self.case, self.directory, self.release.bags if "records" in self.release.tables else [])

    @cached_property
    def raw(self) -> Raw:
        """The rows of the original."""
        return read_raw(self.case, self.directory)

    @cached_property
    def log(self) -> logs.Log:
        """The original as the rows of a log."""
        return logs.read_log(self.case, self.directory)


def _of_records(model: str) -> Callable[[Checked, Values, Achieved], list[str]]:
    return lambda seen, values, achieved: records.RECOUNTS[model](seen.facts, values, achieved)


MODELS: dict[str, Callable[[Checked, Values, Achieved], list[str]]] = {
    **{model: _of_records(model) for model in records.RECOUNTS},
    "disassociated-km-anonymity": lambda seen, values, achieved: apart.recount_chunks(seen.facts, seen.release, values, achieved),
    "word-support": lambda seen, values, achieved: apart.recount_words(seen.facts, seen.release, values, achieved),
    "privacy-degree": lambda seen, values, achieved: apart.recount_degree(seen.facts, seen.release, values, achieved),
    "support": lambda seen, values, achieved: logs.recount_support(seen.case, seen.release, seen.log, values, seen.tree()),
    "query-affinity": lambda seen, values, achieved: affinity.recount_affinity(seen.release, seen.log, values, achieved),
    "user-k-anonymity": lambda seen, values, achieved: logs.recount_histories(seen.release, seen.log, values, achieved),
    "differential-privacy": lambda seen, values, achieved: noise.recount_noise(seen.release, seen.log, values, seen.tree()),
    "microdata-k-anonymity": lambda seen, values, achieved: tables.recount_microdata(*seen.given, values, achieved),
    "class-limits": lambda seen, values, achieved: tables.recount_limits(*seen.given, values, achieved),
    "kkm-anonymity": lambda seen, values, achieved: tables.recount_item_table(*seen.given, values, achieved),
    **{
        name: lambda seen, values, achieved, name=name: tables.recount_sensitive(name, seen.release, values, achieved)
        for name in ("l-diversity", "t-closeness", "alpha-k-anonymity", "rho1-rho2-privacy", "confidence-bounding", "xy-anonymity")
    },
    "delta-presence": lambda seen, values, achieved: tables.recount_presence(*seen.given, values, achieved),
    "access-k-anonymity": lambda seen, values, achieved: tables.recount_access(*seen.given, values, achieved),
    "weighted-k-anonymity": lambda seen, values, achieved: tables.recount_vectors(*seen.given, values, achieved),
}


def wrong_claims(seen: Checked) -> list[str]:
    """Every claim of the manifest that a recount does not find."""
    wrong = []
    for stated in seen.release.manifest["claims"]:
        model, values = values_of(stated["model"])
        if not stated["holds"] or stated["verdict"] not in {"verified", "by construction"}:
            wrong.append(f"{model} is published although it does not hold")
        from_file = stated.get("achieved_from_file", {})
        if "records" in from_file and from_file["records"] != stated["achieved"].get("records", from_file["records"]):
            wrong.append(f"{model}: other numbers of records are stated from the file")
        if model not in MODELS:
            wrong.append(f"the checker does not know the model {model}")
            continue
        wrong += [f"{model}: {line}" for line in MODELS[model](seen, values, stated["achieved"])]
    return wrong


# -- what a method promises


def promised(case: Case) -> dict[str, Values]:
    """The claims that a release of this command must make, each with the parameters that were typed or are the defaults."""
    method, k = case.method, case.text("k", "3" if case.method in {"mdav", "microaggregation", "document-vectors"} else "5")
    m, names = case.text("m", "2"), _names_of_topics(case, k)
    if method in {"shoal", "clump", "partition"}:
        share = {"sensitive-share": {"h": case.text("h", "0.5")}} if "sensitive" in case.said else {}
        return {"k-anonymity": {"k": k}, **share, **names}
    by_method: dict[str, dict[str, Values]] = {
        "ssc": {"vocabulary-k-anonymity": {"k": k, "people": "yes"}},
        "coherence": {"coherence": {"k": k, "h": case.text("h", "0.4"), "p": case.text("p", "2")}},
        "tds": {"public-k-anonymity": {"k": k}},
        **{name: {"km-anonymity": {"k": k, "m": m}} for name in ("km", "apriori", "direct", "optimal", "local", "vertical", "hghs")},
        "disassociation": {
            "disassociated-km-anonymity": {"k": k, "m": m},
            **({"word-support": {"k": k}} if case.text("rare-words", "withhold") == "withhold" else {}),
        },
        **{name: {"rho-uncertainty": _rho(case)} for name in ("suppress-control", "td-control")},
        "cahd": {"privacy-degree": {"p": case.text("p", "10")}},
        "k-delta": {"k-delta-anonymity": {"k": k, "delta": case.text("delta", "0.5")}},
        **{name: {"support": {"k": k}} for name in ("infrequent", "threshold")},
        "query-cores": {"query-affinity": {"k": k, "theta": case.text("theta", "0.5"), "longest": case.text("longest", "3")}},
        **{name: {"microdata-k-anonymity": {"k": k}} for name in ("mdav", "microaggregation")},
        "kkm": {"kkm-anonymity": {"k": k, "m": case.text("m", "2")}},
        "accesslog-mdav": {"access-k-anonymity": {"k": k, "per": case.text("per", "owner"), "min_owners": case.text("min-owners", "2")}},
        **{
            name: {"user-k-anonymity": {"k": k, "min_owners": case.text("min-owners", "2")}}
            for name in ("user-microaggregation", "category-microaggregation")
        },
        "document-vectors": {"weighted-k-anonymity": {"k": k}},
        "diffpart": {"differential-privacy": {"epsilon": case.text("epsilon", "1"), "delta": "0"}},
        **{
            name: {"differential-privacy": {"epsilon": case.text("epsilon", "1"), "delta": case.text("delta", "1e-6")}}
            for name in ("dp-queries", "dp-ngrams")
        },
    }
    found = {**by_method.get(method, {}), **names}
    if method == "ssc" and case.text("min-owners", "2") != "1":
        found["shared-terms"] = {"owners": case.text("min-owners", "2")}
    if method == "query-cores" and "word-people" in case.said:
        found["query-affinity"]["word_people"] = case.text("word-people", "")
    if method == "threshold":
        names = {"unit": "query", "words": "", "window": ""}
        found["support"] |= {name: case.text(name, "") for name, usual in names.items() if case.text(name, usual) != usual}
    return found


def _names_of_topics(case: Case, k: str) -> dict[str, Values]:
    """Words in names of topics are those of so many people as were typed, or of twice as many as k."""
    kind, people, *_ = [*case.text("taxonomy", "").split(":"), ""]
    beside = {"categories": "wordnet"} if kind == "topics+wordnet" else {}
    return {"node-names": {"people": people or str(2 * int(k)), **beside}} if kind in {"topics", "topics+wordnet"} else {}


def _rho(case: Case) -> Values:
    return {"rho": case.text("rho", "0.5"), **({"antecedent": case.text("antecedent", "")} if "antecedent" in case.said else {})}


def missing_claims(case: Case, manifest: dict[str, Any]) -> list[str]:
    """Promises of the method that the manifest does not repeat."""
    made = [values_of(stated["model"]) for stated in manifest["claims"]]
    wrong = []
    for model, values in promised(case).items():
        told = [given for name, given in made if name == model]
        if not any(all(_number(given.get(name, "")) == _number(value) for name, value in values.items()) for given in told):
            wrong.append(f"{model} is claimed as {told}, and {values} was promised")
    return wrong


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


# -- accounts and files


def wrong_accounts(manifest: dict[str, Any]) -> list[str]:
    """Ledgers that do not balance."""
    wrong = []
    for name, ledger in manifest["accounting"].items():
        parts = [n for part, n in ledger.items() if part != "in"]
        if sum(parts) != ledger["in"] or any(n < 0 for n in parts):
            wrong.append(f"the account of {name} does not balance: {ledger}")
    return wrong


def _wrong_joins(case: Case, directory: Path, account: dict[str, int]) -> list[str]:
    """The number of words that were joined to the word before, recounted from what was typed."""
    if "terms" not in case.said or not account:
        return []
    joined, stated = records.joined_words(case, directory), account.get("joined to the word before", 0)
    return [f"{stated} words are stated as joined of {joined}"] if joined != stated else []


def wrong_amounts(seen: Checked) -> list[str]:
    """Numbers of the manifest that differ from those of the input and of the files."""
    manifest, case = seen.release.manifest, seen.case
    told, account = manifest["input"], manifest["accounting"]
    wrong = []
    for fact in manifest["files"]:
        if "table" in fact and fact.get("layout") != "long" and fact["rows"] != len(seen.release.tables[Path(fact["name"]).stem]):
            wrong.append(f"{fact['name']} has other numbers of rows than stated")
    if "records" in account and "records" in told:
        if account["records"]["in"] != told["records"]:
            wrong.append("the input has other numbers of records than the account")
        if case.form in {"lines", "table", "querylog", "accesslog", "prompts"} and case.method != "document-vectors":
            facts, raw = seen.facts, records.supported(records.raw_records(case, seen.directory), case.number_of("min-support", 1))
            occurrences = sum(len(record.items) for record in raw)
            counted = {"owners": len({record.owner for record in raw}), "records": len(raw), "occurrences": occurrences}
            counted["items"] = len({item for record in raw for item in record.items})
            if case.method in NO_WORD_COUNTS and (told.keys() | account.keys() | manifest["metrics"].keys()) & WORD_COUNTS:
                wrong.append("numbers of words are published that the claim forbids")
            wrong += [f"{told[name]} {name} are stated of {n}" for name, n in counted.items() if told.get(name, n) != n]
            wrong += _wrong_joins(case, seen.directory, account.get("words", {}))
            words = account.get("occurrences", {"in": occurrences})
            if words["in"] != occurrences:
                wrong.append(f"the account is of {words['in']} occurrences of {occurrences}")
            if words.get("kept", 0) > sum(bag.total() for bag in facts.published) and facts.published:
                wrong.append("more occurrences are kept than published")
            if case.method not in {"disassociation", "cahd"}:
                wrong += records.wrong_records(facts, manifest) + records.above_floor(case, seen.directory, facts)
    wrong += _wrong_rows(seen.raw, account.get("rows", {})) if case.inputs != ["documents"] else []
    if told.get("read_as") == "log" and "owners" in told:
        log = seen.log
        if told["owners"] != len({row["user"] for row in log.rows}) or account["rows"]["in"] != log.raw:
            wrong.append("the input has other numbers of rows or owners than stated")
        shown = sum(n for part, n in account["rows"].items() if part.startswith(("published", "hashed", "scrubbed", "readable", "sealed")))
        if seen.release.fact("log")["kind"] == "rows" and shown != len(seen.release.tables["log"]):
            wrong.append(f"{len(seen.release.tables['log'])} rows are published, and {shown} are accounted for")
    return wrong


def _wrong_rows(raw: Raw, account: dict[str, int]) -> list[str]:
    """Rows that are accounted for otherwise than they are read here."""
    given_up = {name.removeprefix("malformed: "): n for name, n in account.items() if name.startswith("malformed: ")}
    if not account or (given_up == raw.reasons and account.get("blank lines", raw.blank) == raw.blank):
        return []
    if raw.reasons is None and sum(given_up.values()) == len(raw.defects):
        return []
    return [f"{account} is the account of {len(raw.rows)} rows, {raw.blank} blank lines and malformed ones: {raw.reasons}"]


SHARES = {"loss", "bound", "ncp", "kept", "suppressed", "replaced", "generalized", "at_root", "rows_kept", "queries_kept", "people_kept"}


def wrong_metrics(metrics: dict[str, float], most_loss: float = 1.0) -> list[str]:
    """Losses above the most possible or below the lower bound, and shares that are none."""
    most = {"loss": most_loss}
    wrong = [f"{name} is {value}" for name, value in metrics.items() if name in SHARES and not -1e-9 <= value <= most.get(name, 1) + 1e-9]
    if metrics.get("loss", 1) < metrics.get("bound", 0) - 1e-9:
        wrong.append(f"the loss {metrics['loss']} is below the bound {metrics['bound']}")
    return wrong


def _most_loss(seen: Checked) -> float:
    """The loss if everything published is the root: above 1 only if all terms of a group are published for each of its members."""
    if seen.case.method != "ssc" or seen.case.text("typical", "vote") != "members":
        return 1.0
    published, original = (sum(bag.total() for bag in bags) for bags in (seen.facts.published, seen.facts.bags))
    return max(1.0, published / max(1, original))


def wrong_files(release: Release) -> list[str]:
    """Files that the manifest does not list, or lists as something else."""
    listed = {fact["name"]: fact["sha256"] for fact in release.manifest["files"]}
    found = {place.name: hashlib.sha256(place.read_bytes()).hexdigest() for place in release.directory.iterdir()}
    found.pop("manifest.json")
    return [] if found == listed else [f"files are not as listed: {sorted(found.items() ^ listed.items())}"]


Texts = list[tuple[str, str]]  # what can be read, by where it is


def texts_of(release: Path, said: str) -> Texts:
    """Everything that can be read in the files of a release and on the screen."""
    return [*everything_in(release), ("the screen", said)]


def named_people(case: Case, places: Texts) -> list[str]:
    """Owners' names in a file of the release, or on the screen."""
    names = {_as_searched(owner) for owner in case.owners}
    return sorted({f"an owner's name is in {place}" for place, text in places for name in names if name in text})


def _as_searched(owner: str) -> str:
    """The ASCII part of a name, which is unique too: other letters may be escaped in a file."""
    return owner.encode("ascii", "ignore").decode("ascii")


def leaked_words(case: Case, release: Release, texts: Texts) -> list[str]:
    """Rare words that no table holds, and another file or the screen does."""
    tables = {fact["name"] for fact in release.manifest["files"] if "table" in fact}
    given = typed_names(case)
    published = " ".join(text for place, text in texts if place in tables)
    rare = [word for word in CANARIES if word not in given and word not in published]
    return sorted({f"an unpublished word is in {place}" for place, text in texts if place not in tables for word in rare if word in text})


def typed_names(case: Case) -> set[str]:
    """Names that were typed as part of the command."""
    floor = case.said.get("floor", [])
    return {item for items in case.chosen.values() for item in items} | set(floor if isinstance(floor, list) else [])


CANARIES = [f"qy{number}canary" for number in range(10)]


def wrong_release(case: Case, directory: Path, place: Path, said: str) -> list[str]:
    """All that is wrong with a release of this case."""
    release = Release.read(place)
    seen = Checked(case, directory, release)
    if reasons := must_refuse(case, seen.raw) if case.inputs != ["documents"] else []:
        return [f"it is released although {reason}" for reason in reasons]
    texts = texts_of(place, said)
    wrong = wrong_files(release) + named_people(case, texts) + leaked_words(case, release, texts) + wrong_accounts(release.manifest)
    wrong += wrong_metrics(release.manifest.get("metrics", {}), _most_loss(seen))
    if release.manifest["method"] != case.method:
        wrong.append("the manifest names another method")
    if case.method == "perturbation":
        return wrong + tables.check_perturbed(case, directory, release) + wrong_amounts(seen)
    if case.method in NO_GUARANTEE:
        return wrong + logs.check_unguaranteed(case, release, seen.log) + wrong_amounts(seen)
    if not release.manifest["claims"]:
        wrong.append("no claim is made")
    return wrong + missing_claims(case, release.manifest) + wrong_claims(seen) + wrong_amounts(seen)


def _is_in_data(word: str, case: Case, directory: Path) -> bool:
    """Whether a word stands in the input; one that stands only in a file of costs, say, is known to whoever typed it."""
    files = [file for name in case.inputs for file in [directory / name, *(directory / name).rglob("*")] if file.is_file()]
    return any(file.suffix == ".parquet" or word.encode() in file.read_bytes() for file in files)


def wrong_refusal(case: Case, directory: Path, code: int, said: str, before: set[str], allowed: tuple[int, ...] = (1,)) -> list[str]:
    """A refusal is one clear line, and leaves nothing behind; it names nobody."""
    wrong = [] if code in allowed else [f"exit code {code}"]
    lines = said.splitlines() or [""]
    if not lines[-1].startswith("shoal: ") or "unexpected error" in lines[-1] or "Traceback" in said:
        wrong.append("no clear line")
    if sum(line.startswith("shoal: ") for line in lines) != 1:
        wrong.append("more than one line says what failed")
    if left := {entry.name for entry in directory.iterdir()} - before:
        wrong.append(f"left behind: {sorted(left)}")
    if any(owner in said for owner in case.owners):
        wrong.append("an owner's name is on the screen")
    shown = [word for word in CANARIES if word in said and word not in typed_names(case)]
    if any(_is_in_data(word, case, directory) for word in shown):
        wrong.append("a word of the data is on the screen")
    return wrong
