"""Hidden words of a release: it is made again of records without a fifth of their words, which are then guessed from it."""

from __future__ import annotations

from shoal.attacks.scenarios.changed_records import of_used_names
from shoal.data.original import Original
from shoal.methods import Method
from shoal.metrics.hidden_words import guess_hidden, hide_words
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import is_topics, made_from_data
from shoal.pipeline.prepare import Prepared, Records, prepare_records

GAIN, GAIN_LOW, GAIN_HIGH = "hidden_gain", "hidden_gain_low", "hidden_gain_high"
RECALL, RECALL_LOW, RECALL_HIGH = "hidden_recall", "hidden_recall_low", "hidden_recall_high"
POPULAR = "hidden_recall_popular"


def hidden_words(method: Method, prepared: Prepared) -> dict[str, float]:
    """Measure how well a method's release predicts words that were hidden from it.

    Args:
        method: The method with its parameters.
        prepared: The original.

    Returns:
        Gain over popularity in bits per hidden word, and recall among 20 guesses, with 95% intervals; nothing if it does not apply: rows
        of a log, a release without records, or people with one word each.

    Raises:
        ShoalError: The release cannot be made of records without the hidden words.
    """
    if not isinstance(prepared.original, Original):
        return {}
    hidden = hide_words(prepared.original.typed)
    taxonomy_name = prepared.preparation.taxonomy
    learned = made_from_data(taxonomy_name) or is_topics(taxonomy_name)  # from all words, so it must be made again without the hidden ones
    taxonomy = None if learned else prepared.taxonomy
    rest = prepare_records(Records(of_used_names(hidden.rest), prepared.texts), prepared.preparation, taxonomy)
    found = guess_hidden(made_by(method, rest.original), rest.records, hidden, taxonomy)
    if found is None:
        return {}
    gain = {GAIN: found.gain, GAIN_LOW: found.gain_low, GAIN_HIGH: found.gain_high}
    recall = {RECALL: found.recall, RECALL_LOW: found.recall_low, RECALL_HIGH: found.recall_high}
    return {**gain, **recall, POPULAR: found.popular_recall}
