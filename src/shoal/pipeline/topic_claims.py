"""Claims of a release on topics that were learned from its own data: how many people have every word in a name.

The names of learned topics are words of the data. Twice as many people as the method promises to hide each person among must hold each
of these words, unless another number is given (`topics:20`). The number is settled before anything is read, since it depends on the
method, and is part of the taxonomy's name in the manifest, so that an audit learns the same topics again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.data.claims import Model
from shoal.errors import ParameterError, option
from shoal.methods import Method
from shoal.pipeline.options import Preparation, fewest_in_names, is_topics, people_learned_from, with_wordnet
from shoal.privacy.node_names import WORDNET, NodeNames

TIMES = 2  # as many people have each word of a name as each person is hidden among
USUAL = 5  # people whom each person is hidden among, where a method promises no number


def settled(preparation: Preparation, method: Method) -> Preparation:
    """Return the preparation with the number of people behind each word in the name of a topic.

    Args:
        preparation: How data is to be prepared on topics.
        method: The method that it is prepared for.

    Returns:
        The same preparation, with the number in the name of its taxonomy.

    Raises:
        ParameterError: The requested number of people is below the method's k, or this method cannot publish names of topics.
    """
    _insist_on_judge(method)
    hidden = max((claim.values().get("k") or 0 for claim in method.claims()), default=0) or USUAL
    people, topics = fewest_in_names(preparation.taxonomy) or TIMES * hidden, preparation.taxonomy.partition(":")[0]
    if people < hidden:
        raise ParameterError(
            f"words of {people:,} people would name topics, but the method hides each person among {hidden:,}",
            code="out-of-range",
            hint=f"give {option('taxonomy', f'{topics}:{TIMES * hidden}')}, or leave the number out",
            value=people,
        )
    sample = people_learned_from(preparation.taxonomy)
    return replace(preparation, taxonomy=f"{topics}:{people}" if sample is None else f"{topics}:{people}:{sample}")


def claims_on_names(taxonomy: str) -> tuple[Model, ...]:
    """Return the additional claim of a release on this taxonomy: one about names if its topics are learned from the data."""
    people = fewest_in_names(taxonomy) if is_topics(taxonomy) else None
    if people is None:
        return ()
    return (NodeNames(people=people, categories=WORDNET if with_wordnet(taxonomy) else None),)


def claims_owed(manifest: Mapping[str, Any]) -> tuple[Model, ...]:
    """Return the same for a release on disk, as its manifest names the taxonomy."""
    facts = manifest["input"]
    return claims_on_names(str(facts.get("taxonomy", ""))) if "node_loss" in facts else ()


def _insist_on_judge(method: Method) -> None:
    """Raise if what the method publishes has no judge of names, or if its claims allow no number about words."""
    kind = "bags" if method.publishes == "sets" else method.publishes
    strict = [claim.name for claim in method.claims() if "words" not in claim.safe_numbers]
    if kind not in NodeNames.judges or strict:
        why = f"{strict[0]} does not allow" if strict else f"the method {method.name} does not publish with records"
        raise ParameterError(
            f"learned topics reveal which words many people use, which {why}",
            code="topics-disclose",
            hint="give a taxonomy file, such as topics learned from other data",
        )
