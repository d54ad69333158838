"""Numbers of a manifest that contradict each other: shares that do not match the accounting, different totals, parts larger than the total.

None of this needs the original. Whoever edits one number has to edit all that depend on it. A completely invented manifest passes, so lines
that are only compared with each other count as not verifiable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.attacks import ATTACKS as ON_RECORDS
from shoal.attacks import RELEASE
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.outcome import Interval, standing_of, wilson
from shoal.attacks.scenarios import SCENARIO_ATTACKS
from shoal.auditing.statements import same
from shoal.data.accounting import FATES
from shoal.data.claims import ALL_NUMBERS, Model
from shoal.data.original import (
    BY_RELATED,
    FEW_PEOPLE,
    JOINED,
    KEPT,
    NOT_IN_TAXONOMY,
    QUASI,
    REPEATED,
    STOP_WORDS,
    UNKNOWN_KEPT,
)
from shoal.methods import fate_of
from shoal.metrics import METRICS
from shoal.pipeline.claims import claims_of
from shoal.pipeline.disclosure import COUNTS, safe_numbers, unsafe_parts
from shoal.pipeline.manifest_schema import LARGEST_COUNT
from shoal.pipeline.options import MIN_SUPPORT, RARE_ITEMS, TOPICS, WORD_RULES, is_topics
from shoal.pipeline.prepare import LEARNED_FROM, SESSIONS
from shoal.report.attacks import ATTACKS, FEW, SKIPPED, worst_is_reported
from shoal.report.facts import FEWEST_PEOPLE
from shoal.text.word_rules import WordRules

# Attack rates of a manifest that contradict each other: intervals that do not match their rates, verdicts that do not match the numbers.


MOST_KNOWN = 64  # items of a person, more than any attack knows by number


def of_attacks(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Find contradictions in a manifest's attack results."""
    attacks = manifest.get(ATTACKS, {})
    claims, names = claims_of(manifest), {one["attack"] for one in attacks.get("outcomes", ())}
    for i, one in enumerate(attacks.get("outcomes", ())):
        for fault in (*_of_outcome(one, claims), *_of_people(one, attacks["targets"])):
            yield f"{ATTACKS}.outcomes[{i}]: {fault}"
    for key in (SKIPPED, FEW):
        for i, name in enumerate(attacks.get(key, ())):
            if not _is_attack(name):
                yield f"{ATTACKS}.{key}[{i}]: there is no such attack"
            elif name in names:
                yield f"{ATTACKS}.{key}[{i}]: the attack has outcomes"


def _is_attack(name: str) -> bool:
    return any(name in table for table in (ON_RECORDS, LOG_ATTACKS, SCENARIO_ATTACKS))


def _of_outcome(one: Mapping[str, Any], claims: Sequence[Model]) -> Iterator[str]:
    if not _is_attack(one["attack"]):
        yield "there is no such attack"
    wilson_interval = wilson(one["success"] * one["targets"], one["targets"])
    if not same(one["low"], wilson_interval.low) or not same(one["high"], wilson_interval.high):
        yield "the interval is not that of the rate"
    ceiling = one.get("ceiling")
    if ceiling is not None and (one["subject"] != RELEASE or not _may_promise(claims, one, ceiling)):
        yield "no claim guarantees this bound"
    interval = Interval(one["success"], one["low"], one["high"])
    if one["verdict"] != standing_of(interval, ceiling, everybody="everybody" in one):
        yield "the verdict is not that of the interval"
    if one["verdict"] == "ABOVE THE PROMISE":
        yield "a release whose guaranteed bound an attack exceeds is never written"


def _of_people(one: Mapping[str, Any], targets: int) -> Iterator[str]:
    """Find rates of too few people, which are never published, and a false claim that everybody was attacked."""
    if one["targets"] < FEWEST_PEOPLE:
        yield f"rates of fewer than {FEWEST_PEOPLE} people are not reported"
    if ("control" in one) != ("controls" in one) or one.get("controls", FEWEST_PEOPLE) < FEWEST_PEOPLE:
        yield f"the rate of a control group is reported only with its size, and for at least {FEWEST_PEOPLE} people"
    if "worst_hit" in one and not worst_is_reported(one["targets"]):
        yield f"the worst-case rate is that of fewer than {FEWEST_PEOPLE} people"
    if "everybody" in one and (one["subject"] != RELEASE or one["attack"] not in ON_RECORDS or one["targets"] > targets):
        yield "not everybody can have been attacked"


def _may_promise(claims: Sequence[Model], one: Mapping[str, Any], ceiling: float) -> bool:
    """Whether some claim guarantees this for an attack on published records with some number of known items.

    Attacks that need more than the published records have separate bounds, which are not verifiable.
    """
    if one["attack"] not in ON_RECORDS:
        return True
    numbers = [None, *range(1, MOST_KNOWN)]
    limits = [claim.ceiling(str(one["test"]), n) for claim in claims for n in numbers]
    return any(limit is not None and same(limit, ceiling) for limit in limits)


Manifest = Mapping[str, Any]


def contradictions(manifest: Manifest) -> Iterator[str]:
    """Return contradictions within a manifest. Without exact numbers there is nothing to compare."""
    safe = safe_numbers(claims := claims_of(manifest))
    if safe == ALL_NUMBERS and COUNTS in manifest:
        yield "counts are withheld, but no claim requires that"
    if unsafe := list(unsafe_parts(manifest, safe)):
        names = " and ".join(claim.name for claim in claims if claim.safe_numbers != ALL_NUMBERS)
        yield f"the manifest has exact numbers that {names} does not allow: {', '.join(unsafe)}"
    if COUNTS in manifest and "rows" not in manifest["input"] and "records" not in manifest["input"]:
        return
    yield from _of_totals(manifest)
    yield from _of_input(manifest["input"])
    yield from _of_reading(manifest)
    yield from _of_claims(manifest)
    if COUNTS in manifest:
        return
    yield from _of_columns(manifest)
    yield from of_attacks(manifest)
    if "terms" in manifest["accounting"]:
        yield from _of_terms(manifest)
    if "occurrences" in manifest["accounting"]:
        yield from _of_words(manifest) if "records_as" in manifest["input"] else ()
        yield from _of_shares(manifest)
        yield from _of_losses(manifest)


def of_published(manifest: Manifest, shown: int) -> Iterator[str]:
    """Return contradictions with this many published occurrences: every occurrence that is not lost is in the records."""
    account, metrics = manifest["accounting"]["occurrences"], manifest["metrics"]
    published = sum(n for part, n in account.items() if part != "in" and fate_of(part, manifest["method"]) != "gone")
    if published > shown:
        yield f"accounting.occurrences has {published:,} published in some form, but the records contain {shown:,}"
    suppressed = max(0, _input_occurrences(manifest) - shown)
    if "ggd" in metrics and not _within(metrics["ggd"], suppressed, suppressed + shown):  # a node costs 0 to 1
        yield "metrics.ggd is impossible for these records"
    height = manifest["input"].get("taxonomy_height", LARGEST_COUNT)  # only in manifests of earlier versions
    if "mean_level" in metrics and shown and not _within(metrics["mean_level"], 1, 1 + height):
        yield "metrics.mean_level is impossible for a taxonomy of this height"


def _of_columns(manifest: Manifest) -> Iterator[str]:
    """Check the columns of microdata: those of the input, of the files, and of the claims."""
    facts = manifest["input"]
    if QUASI not in facts:
        return
    expected = sorted([*facts[QUASI], *facts.get(KEPT, [])])
    if any(sorted(file.get("columns", {})) != expected for file in manifest["files"] if "table" in file):
        yield f"input.{QUASI} and input.{KEPT} are not the columns of the files"
    for i, claim in enumerate(claims_of(manifest)):
        if claim.columns_named is not None and sorted(claim.columns_named) != sorted(facts[QUASI]):
            yield f"claims[{i}] is about other columns than input.{QUASI}"


def _of_totals(manifest: Manifest) -> Iterator[str]:
    facts, account = manifest["input"], manifest["accounting"]
    for name in ("rows", "records", "occurrences"):
        if facts.get(name) != account.get(name, {}).get("in"):
            yield f"accounting.{name}.in and input.{name} differ"


def _of_topics(facts: Manifest) -> Iterator[str]:
    """Topics that were learned from the data: by how many people their words are held, and what they were learned from."""
    spec = str(facts.get("taxonomy", ""))
    if is_topics(spec) != (LEARNED_FROM in facts):
        yield f"input.{LEARNED_FROM} must be given for topics, and only for them"
    if is_topics(spec) and not re.fullmatch(rf"{TOPICS}(\+wordnet)?:[1-9]\d{{0,9}}(:[1-9]\d{{0,9}})?", spec, re.ASCII):
        yield "input.taxonomy does not say how many people have each word in the name of a topic"


def _of_input(facts: Manifest) -> Iterator[str]:
    wholes = {"unknown_items": "items", "unknown_occurrences": "occurrences", "taxonomy_leaves": "taxonomy_nodes"}
    for part, whole in {"owners": "records", **wholes}.items():
        if facts.get(part, 0) > facts.get(whole, LARGEST_COUNT):
            yield f"input.{part} is more than input.{whole}"
    if facts.get("taxonomy_height", 0) >= max(1, facts.get("taxonomy_nodes", LARGEST_COUNT)):
        yield "input.taxonomy_height is impossible for this number of nodes"
    if ("gap" in facts) != (facts.get("per") == "session" or facts.get(LEARNED_FROM) == SESSIONS):
        yield "input.gap must be given for sessions, and only for them"
    yield from _of_topics(facts)
    if "record" in _columns(facts) and facts.get("per") != "record":
        yield "input.per is not record, but input.reading names a column of records"
    unknown, occurring = facts.get("unknown_items", 0), facts.get("unknown_occurrences", 0)
    if unknown > occurring or (occurring and not unknown):
        yield "input.unknown_items do not occur input.unknown_occurrences times"
    if unknown and facts.get("unknown") == "refuse":
        yield "input.unknown_items is not 0, but such items were refused"


def _columns(facts: Manifest) -> Manifest:
    """Return the columns that were named when the input was read."""
    reading = facts.get("reading")
    return reading.get("columns", {}) if isinstance(reading, dict) else {}


def _of_reading(manifest: Manifest) -> Iterator[str]:
    """Check the number of records against the rows of a file; data from memory may have any shape."""
    facts, rows = manifest["input"], manifest["accounting"].get("rows")
    if "format" not in facts or "per" not in facts or rows is None:
        return
    used, lines = rows.get("used", 0), facts["format"] == "transactions"
    if lines and facts["per"] != "user":
        yield "input.per is not user, but each line of transactions is one person's record"
    if facts["per"] == "user" and facts["owners"] != facts["records"]:
        yield "input.owners and input.records differ, but each person has one record"
    if facts["records"] > used or ((lines or facts["per"] == "event") and facts["records"] != used):
        yield "input.records is impossible for accounting.rows.used"


def _of_claims(manifest: Manifest) -> Iterator[str]:
    owners = manifest["input"]["owners"]
    for i, level in enumerate(claim["achieved"] for claim in manifest["claims"]):
        if level.get("people", 0) > level.get("records", LARGEST_COUNT):
            yield f"claims[{i}].achieved counts more people than records"
        if level.get("people", 0) > owners:
            yield f"claims[{i}].achieved counts more people than input.owners"


def _of_words(manifest: Manifest) -> Iterator[str]:
    """Check preparation: every word is an occurrence unless it was a stop word, and an unknown one was kept or dropped."""
    facts, words, account = manifest["input"], manifest["accounting"].get("words"), manifest["accounting"]["occurrences"]
    if words is None:
        yield "accounting.words is missing"
        return
    rare = words.get(FEW_PEOPLE, 0)
    if words["in"] - words.get(STOP_WORDS, 0) - words.get(JOINED, 0) - rare != account["in"]:
        yield "accounting.words and accounting.occurrences.in differ by more than the words left out or joined before"
    if (rare and MIN_SUPPORT not in facts) or not facts.get(RARE_ITEMS, 0) <= rare or (rare and not facts.get(RARE_ITEMS)):
        yield "accounting.words contradicts input.min_support or input.rare_items"
    rules = WordRules.parse(facts.get(WORD_RULES, ""))
    if words.get(JOINED, 0) and not rules.joins:
        yield f"accounting.words has joined words, but input.{WORD_RULES} joins none"
    if words.get(BY_RELATED, 0) and not rules.related:
        yield f"accounting.words has words placed by a related noun, but input.{WORD_RULES} does not ask for it"
    dropped, kept = words.get(NOT_IN_TAXONOMY, 0), words.get(UNKNOWN_KEPT, 0)
    if account.get(NOT_IN_TAXONOMY, 0) != dropped:
        yield "accounting.words and accounting.occurrences differ in what is not in the taxonomy"
    if dropped + kept != facts.get("unknown_occurrences", 0):
        yield "accounting.words and input.unknown_occurrences differ"
    if (dropped and facts.get("unknown") != "drop") or (kept and facts.get("unknown") != "keep"):
        yield "accounting.words contradicts input.unknown"
    if account.get(REPEATED, 0) and facts["records_as"] != "sets":
        yield "accounting.occurrences drops repetitions, but input.records_as is not sets"


def _of_terms(manifest: Manifest) -> Iterator[str]:
    """Check preparation of documents: every word that was not dropped is an occurrence of a term."""
    words, terms = manifest["accounting"]["words"], manifest["accounting"]["terms"]
    left = sum(n for part, n in words.items() if part != "in" and FATES.get(part, "gone") != "gone")
    if left != terms["in"]:
        yield "accounting.words and accounting.terms.in differ by more than the words left out"
    dropped, kept = words.get(NOT_IN_TAXONOMY, 0), words.get(UNKNOWN_KEPT, 0)
    if (kept and manifest["input"]["unknown"] != "keep") or (dropped and manifest["input"]["unknown"] != "drop"):
        yield "accounting.words contradicts input.unknown"


def _of_shares(manifest: Manifest) -> Iterator[str]:
    account, occurrences = manifest["accounting"]["occurrences"], _input_occurrences(manifest)
    for name, value in manifest["metrics"].items():
        parts = METRICS[name].shares
        if not parts:
            continue
        possible = [sum(account.get(part, 0) for part in parts) / occurrences] if occurrences else [0.0, 1.0]  # of nothing: none or all
        if not any(same(float(value), share) for share in possible):
            yield f"metrics.{name} is not the share that accounting.occurrences gives"


def _of_losses(manifest: Manifest) -> Iterator[str]:
    """Check losses: distortions per occurrence, with or without those dropped as unknown; none is below the lower bound."""
    metrics, occurrences = manifest["metrics"], _input_occurrences(manifest)
    if not {"loss", "ggd", "added_loss", "loss_with_dropped"} <= metrics.keys():
        return
    dropped = manifest["accounting"]["occurrences"].get(NOT_IN_TAXONOMY, 0)
    if not same(metrics["loss"] * 1.0, metrics["ggd"] / max(1, occurrences)):
        yield "metrics.loss is not metrics.ggd per occurrence"
    if not same(metrics["loss_with_dropped"] * 1.0, (metrics["ggd"] + dropped) / max(1, occurrences + dropped)):
        yield "metrics.loss_with_dropped is not that of metrics.ggd and what was dropped"
    if not _within(metrics["added_loss"], metrics["loss"] - 1, metrics["loss"]):
        yield "metrics.added_loss is impossible for metrics.loss"
    if not _within(metrics.get("bound", 0), 0, metrics["loss"]):
        yield "metrics.bound is more than metrics.loss"


def _input_occurrences(manifest: Manifest) -> int:
    """Return the occurrences in the method's input: all except those that preparation dropped."""
    account: Mapping[str, int] = manifest["accounting"]["occurrences"]
    return account["in"] - account.get(NOT_IN_TAXONOMY, 0) - account.get(REPEATED, 0)


def _within(value: float, least: float, most: float) -> bool:
    return least <= value <= most or same(float(value), float(least)) or same(float(value), float(most))
