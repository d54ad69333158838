"""The head of a report in plain words, its citation, and what it tells of attacks."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.kinds import FOOD, baskets, searches
from helpers.report import example
from shoal.kinds import facts_of, render_report, summary_of
from shoal.privacy import MODELS
from shoal.report.attacks import attack_lines, attack_parts
from shoal.report.page import UNTRIED, citation_of, in_short


def told(manifest: dict[str, Any]) -> dict[str, str]:
    return {point.name: point.text for point in in_short(manifest, summary_of(manifest))}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return example()[0]


def outcome(subject: str, success: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    known = {"attack": "known-items", "test": "singling out", "knowledge": "2 random items", "targets": 50, "baseline": 0.01}
    return {"subject": subject, **known, "success": success, "low": low, "high": high, "verdict": "nothing promised", **more}


def attacked(manifest: dict[str, Any], *outcomes: dict[str, Any]) -> dict[str, Any]:
    return {**manifest, "attacks": {"targets": 50, "control": 0.1, "seed": 0, "outcomes": list(outcomes)}}


def test_the_head_says_what_a_reader_must_know(manifest: dict[str, Any]) -> None:
    short = told(manifest)
    assert short["Published"] == "800 of 800 records of 800 people; none suppressed."
    assert short["Guaranteed"] == "Every published record is shared by at least k people, where k = 5."
    assert short["Limits of the guarantee"] == MODELS["k-anonymity"].limits
    kept = manifest["accounting"]["occurrences"]
    share = 100 * kept["kept"] / (kept["in"] - kept.get("dropped: repeated in its record", 0))
    assert short["Utility"].startswith(f"{share:.1f}% of the items are published as typed")
    assert short["Disclosure risk"] == UNTRIED


def test_the_head_stands_before_everything_else() -> None:
    manifest, release, original = example()
    page = render_report(facts_of(manifest, release, original))
    assert page.index("Disclosure risk") < page.index("<main>")
    assert page.index(MODELS["k-anonymity"].limits) < page.index("<main>")


def test_a_release_without_a_guarantee_promises_nothing() -> None:
    result = shoal.anonymize(searches(), "old-remedies", no_guarantee=True)
    short = told(dict(result.manifest))
    assert short["Guaranteed"] == "Nothing."
    assert "Limits of the guarantee" not in short


def test_noise_tells_no_number_of_people() -> None:
    result = shoal.anonymize(searches(400), "dp-queries", epsilon=8.0, delta=1e-4)
    short = told(dict(result.manifest))
    assert not re.search(r"\d", short["Published"])
    page = result.report()
    assert "nothing to publish" not in page
    assert "Not published: exact numbers about the original would break the guarantee." in page


def test_what_an_attacker_gains_is_told_in_one_place(manifest: dict[str, Any]) -> None:
    after = outcome("release", 0.1, 0.04, 0.21, ceiling=0.2, verdict="may be above the promise")
    short = told(attacked(manifest, outcome("original", 0.9, 0.8, 0.96), after))
    assert short["Disclosure risk"] == (
        "known-items (known: 2 random items) succeeds in 10.0% of 50 cases (95% interval: 4.0% to 21.0%); 90.0% in the original. "
        "The guarantee allows at most 20.0%; 1 rate may exceed it."
    )
    (part,) = attack_parts(attacked(manifest, outcome("original", 0.9, 0.8, 0.96), after))
    assert part.story.startswith("A colleague")
    assert part.rows == (("2 random items", "90.0%", "10.0%", "4.0% to 21.0%", "1.0%", "–", "at most 20.0%", "may be above the bound"),)
    assert part.lanes[0].tone == "bad"
    assert 'width="90.000%"' in part.lanes[0].svg
    assert told(attacked(manifest))["Disclosure risk"] == "no attack has a rate to report."


def test_attacks_without_a_rate_are_named_with_the_reason(manifest: dict[str, Any]) -> None:
    """An attack that could not be made is not told as one that was made on too few people."""
    changed = attacked(manifest)
    changed["attacks"] |= {"skipped": ["tokens", "personas"], "few": ["known-items"]}
    sentences = ["tokens, personas: could not be run", "known-items: run on fewer than 10 people, so no rate is reported"]
    assert [text for _, text in attack_lines(changed)] == sentences
    assert told(changed)["Disclosure risk"] == f"{sentences[0]}. {sentences[1]}."
    page = render_report(facts_of(changed, *example()[1:]))
    assert page.count(sentences[0]) == page.count(sentences[1]) == 2, "in the head, and where attacks are drawn"


def test_words_and_tokens_are_not_called_people(manifest: dict[str, Any]) -> None:
    """Canaries are planted words: of 50 there are 50 cases."""
    lines = attack_lines(attacked(manifest, outcome("release", 0.1, 0.04, 0.21, attack="canaries")))
    assert "10.0% of 50 cases (95% interval: 4.0% to 21.0%)" in lines[0][1]
    assert not any("people" in line for _, line in lines)


def test_of_everybody_the_rate_is_told_without_an_interval(manifest: dict[str, Any]) -> None:
    (_, line), *verdict = attack_lines(
        attacked(manifest, outcome("release", 0.1, 0.04, 0.21, everybody=True, ceiling=0.1, verdict="within the promise"))
    )
    assert [name for name, _ in verdict] == ["guarantee", "measured risk"]
    assert "10.0% of all 50 cases;" in line
    assert "21.0%" not in line


def test_an_attack_of_another_version_is_shown_without_a_story(manifest: dict[str, Any]) -> None:
    (part,) = attack_parts(attacked(manifest, outcome("release", 0.1, 0.04, 0.21, attack="mind-reading")))
    assert "no description" in part.story


def test_the_citation_names_method_paper_parameters_and_version(manifest: dict[str, Any]) -> None:
    cited = citation_of(manifest)
    assert "shoal 0.1.0" in cited.sentence
    assert "the method clump (Milani Fard and Wang, SECRYPT 2010)" in cited.sentence
    assert "k = 5" in cited.sentence
    assert "seed = 0" in cited.sentence
    assert "k-anonymity(k=5)" in cited.sentence
    assert "version = {0.1.0}" in cited.bibtex
    assert "howpublished = {Milani Fard and Wang, SECRYPT 2010}" in cited.bibtex
    assert "year = {2010}" in cited.bibtex
    assert cited.bibtex.count("{") == cited.bibtex.count("}")


def test_the_citation_has_nothing_of_the_input() -> None:
    result = shoal.anonymize(baskets(), "cahd", p=2, sensitive="items:Beef")
    cited = citation_of(result.manifest)
    assert "Beef" not in cited.sentence + cited.bibtex
    assert "sensitive = given" in cited.sentence


def test_signs_of_bibtex_are_escaped() -> None:
    cited = citation_of({"shoal": "1_0", "method": "a&b{c}", "claims": [], "parameters": {"x": 50_000}})
    assert r"version = {1\_0}" in cited.bibtex
    assert r"a\&b\{c\}" in cited.bibtex
    assert "x = 50000" in cited.sentence
    assert "no guarantee" in cited.sentence


def test_items_that_few_records_hold_are_not_named() -> None:
    """Against inference alone single records are published as they are; the report shows neither examples nor terms of them."""
    records = [["Apple", "Milk"]] * 12 + [["Apple", "Milk", "Beef"], ["Cheese", "Milk"]]
    result = shoal.anonymize(records, "suppress-control", rho=0.9, sensitive="items:Cheese", format="transactions")
    named = set(re.findall(r"<bdi[^>]*>([^<]*?) *<", result.report()))
    assert "Beef" in {item for items in result.to_polars()["items"].to_list() for item in items}
    assert not {"Apple", "Milk", "Beef", "Cheese"} & named


def test_rare_queries_of_a_release_without_a_guarantee_are_not_named() -> None:
    log = searches(12).vstack(searches(1).with_columns(query=pl.lit("zq miller")))
    page = shoal.anonymize(log, "old-remedies", no_guarantee=True).report()
    assert "zq miller" not in page


def test_known_people_are_found_less_often_after() -> None:
    """The page draws both sides of an attack that was really made."""
    result = shoal.anonymize(baskets(), k=3, taxonomy=FOOD, attack="known-items", control=0)
    page = result.report()
    assert page.count('class="lane"') == len([one for one in result.attacks["outcomes"] if one["subject"] == "release"])
    assert "A colleague knows" in page
