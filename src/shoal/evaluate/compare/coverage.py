"""Coverage: how much of what was typed is published so, in words, terms, whole texts and people, and by how many use a term."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.evaluate.compare.words_kept import Mask, Texts, Words

HEAD, TORSO = 0.01, 0.001  # shares of people who use a term, at least


def coverage(words: Words) -> dict[str, float]:
    """Shares from 0 to 1."""
    kept, whole = _by_term(words.kept), _by_term(words.before.to_scipy())
    people = len(np.unique(words.before.owners[words.left])) / max(1, words.before.n_owners)
    found = {"kept": _share(kept.sum(), whole.sum()), "terms_kept": _share((kept > 0).sum(), (whole > 0).sum()), "people_left": people}
    parts = classes(words.before).items()
    found |= {f"kept_{name}": _share(kept[terms].sum(), whole[terms].sum()) for name, terms in parts if whole[terms].any()}
    return found if words.texts is None else found | _whole_texts(words.texts)


def classes(bags: Bags) -> dict[str, Mask]:
    """The terms that many, some or few people use; those that nobody uses are in none."""
    users = people_of_terms(bags)
    share = users / max(1, bags.n_owners)
    head, torso = share >= HEAD, (share < HEAD) & (share >= TORSO)
    return {"head": head, "torso": torso, "tail": (users > 0) & ~head & ~torso}


def people_of_terms(bags: Bags) -> Ints:
    """How many people use each item."""
    owner = np.unique(bags.owners, return_inverse=True)[1].astype(np.int64)[np.repeat(np.arange(len(bags)), np.diff(bags.indptr))]
    above = int(owner.max(initial=0)) + 1
    pairs = np.unique(bags.items.astype(np.int64) * above + owner)
    return np.bincount(pairs // above, minlength=len(bags.vocabulary))


def _whole_texts(texts: Texts) -> dict[str, float]:
    """Of rows or records the share that is published whole and as typed, and of the different ones among them."""
    different = len(np.unique(texts.same))
    return {
        "volume_kept": _share(texts.whole.sum(), len(texts.whole)),
        "queries_kept": _share(len(np.unique(texts.same[texts.whole])), different),
    }


def _by_term(table: Any) -> Ints:
    return np.asarray(table.sum(axis=0), np.int64).ravel()


def _share(part: Any, whole: Any) -> float:
    return float(part) / max(1.0, float(whole))
