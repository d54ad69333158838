import numpy as np
import polars as pl
import pytest

from shoal.synthetic.chance import LongTailed, Weighted, zipf
from shoal.synthetic.words import nouns, plural, strangers
from shoal.taxonomy.wordnet import wordnet
from shoal.text.terms import is_stop_word


def test_plurals() -> None:
    singular = pl.Series(["dog", "box", "church", "dish", "lady", "boy", "mouse", "child", "woman", "knife"])
    many = ["dogs", "boxes", "churches", "dishes", "ladies", "boys", "mice", "children", "women", "knives"]
    assert plural(singular).to_list() == many


def test_words_mean_what_they_should() -> None:
    rng = np.random.default_rng(0)
    tree = wordnet()
    known = nouns(tree, rng)
    assert (tree.nodes(known.words) == known.node).all()
    assert (tree.nodes(known.plurals) == known.node).all()
    assert (known.words != known.plurals).mean() > 0.5
    assert not is_stop_word(pl.concat([known.words, known.plurals])).any()
    assert (np.diff(known.node) >= 0).all()
    made_up = strangers(tree, known, rng)
    assert (tree.nodes(made_up) == -1).all()
    assert made_up.n_unique() == len(made_up) > 50_000
    assert made_up.str.contains("^[a-z0-9]{3,}$").all()
    assert not is_stop_word(made_up).any()


def test_weighted_draws() -> None:
    wheel = Weighted(np.array([1.0, 0.0, 3.0, 4.0]))
    assert wheel.draw(np.array([0.0, 0.124, 0.126, 0.499, 0.501, 0.999])).tolist() == [0, 0, 2, 2, 3, 3]
    assert wheel.draw(np.array([0.0, 0.9]), 2, 3).tolist() == [2, 2]


@pytest.mark.parametrize("mean", [1.0, 2.5, 21.0, 150.0])
def test_long_tailed_numbers_have_the_mean(mean: float) -> None:
    sizes = LongTailed(mean, 1.0, 6_000).draw(np.random.default_rng(1).random(400_000))
    assert sizes.min() == 1
    assert sizes.mean() == pytest.approx(mean, rel=0.02)


def test_zipf() -> None:
    assert zipf(3, 1.0, 0.0).tolist() == pytest.approx([1, 1 / 2, 1 / 3])
