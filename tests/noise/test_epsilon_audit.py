"""The empirical audit: its bounds against exact sums, never above the claim of right code, above it if noise is too small."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from helpers.cli import Shell, failed
from shoal.attacks.scenarios import membership
from shoal.data.bags import Bags, Ints
from shoal.data.noise_record import NoisyStep
from shoal.data.taxonomy import Taxonomy
from shoal.evaluate.epsilon_audit import audit_epsilon, audited_method, chance_of, epsilon_bound, gaussian_bound
from shoal.evaluate.option_defaults import CanaryDraw
from shoal.methods import Method, diffpart, dp_queries
from shoal.noise.mechanisms import loss, with_noise
from shoal.util.binomial import clopper_pearson, lower_bound, upper_bound

pytest.importorskip("opendp")
LAPLACE = {"mechanism": "korolova", "epsilon": 1.0, "counts": 0.0}
GAUSSIAN = {"mechanism": "weighted", "epsilon": 1.0, "counts": 0.0, "guide": 0.0}


def method(values: dict[str, object]) -> Method:
    return audited_method("dp-queries", values)


def half_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    def less(numbers: Ints, step: NoisyStep) -> Ints:
        return with_noise(numbers, replace(step, scale=step.scale / 2))

    monkeypatch.setattr(dp_queries, "with_noise", less)


@pytest.mark.parametrize("values", [LAPLACE, {"mechanism": "korolova", "epsilon": 2.0}, GAUSSIAN], ids=["laplace", "counts", "gaussian"])
def test_right_code_never_exceeds_its_claim_in_twenty_audits(values: dict[str, object]) -> None:
    """All twenty together with a confidence of 99.9%, and once more with the canaries of all in one audit, which finds smaller errors."""
    for seed in range(20):
        assert audit_epsilon(method(values), CanaryDraw(runs=1, canaries=500, seed=seed, confidence=1 - 0.001 / 20)).holds
    assert audit_epsilon(method(values), CanaryDraw(runs=20, canaries=500, seed=20)).holds


def test_half_the_scale_of_laplace_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    half_the_noise(monkeypatch)
    found = audit_epsilon(method(LAPLACE), CanaryDraw(runs=6, canaries=1000))
    assert not found.holds
    assert 1 < found.epsilon <= 2  # the noise that was drawn gives 2


def test_half_the_scale_of_gaussian_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    half_the_noise(monkeypatch)
    found = audit_epsilon(method(GAUSSIAN), CanaryDraw(runs=6, canaries=6000, named=0.2))
    assert found.gaussian is not None
    assert found.gaussian > 1


def test_the_chance_of_right_names_is_that_of_the_theorem() -> None:
    for right, named, canaries, epsilon, delta in ((9, 10, 40, 0.5, 0.0), (9, 10, 40, 1.0, 1e-3), (30, 50, 500, 0.1, 1e-5)):
        share = math.exp(epsilon) / (1 + math.exp(epsilon))
        mass = [math.comb(named, n) * share**n * (1 - share) ** (named - n) for n in range(named + 1)]
        plain = sum(mass[right:])
        worst = max(sum(mass[max(0, right - i) : right]) / i for i in range(1, canaries + 1))
        assert chance_of(right, named, canaries, epsilon, delta) == pytest.approx(plain + 2 * canaries * delta * worst)


def test_the_bound_is_the_largest_epsilon_that_is_rejected() -> None:
    bounds = [epsilon_bound(right, 100, 1000, 1e-9, 0.999) for right in range(50, 101, 5)]
    assert all(a <= b for a, b in pairwise(bounds))
    assert bounds[0] == 0
    assert chance_of(90, 100, 1000, epsilon_bound(90, 100, 1000, 1e-9, 0.999), 1e-9) == pytest.approx(0.001, rel=1e-6)
    # without delta it is the bound of Clopper and Pearson
    share = lower_bound(90, 100, 0.999)
    assert epsilon_bound(90, 100, 1000, 0.0, 0.999) == pytest.approx(math.log(share / (1 - share)))


def test_exact_intervals_contain_the_probability_often_enough() -> None:
    for hits in (0, 3, 20):
        low, high = clopper_pearson(hits, 20, 0.9)
        assert hits == 0 or binom.sf(hits - 1, 20, low) == pytest.approx(0.05)
        assert hits == 20 or binom.cdf(hits, 20, high) == pytest.approx(0.05)
    assert (lower_bound(0, 5, 0.9), upper_bound(5, 5, 0.9)) == (0.0, 1.0)


def test_the_bound_for_gaussian_noise_finds_the_ratio_of_its_rates() -> None:
    """With rates of mu = 1 on very many canaries, epsilon is that of mu = 1 at this delta, nearly."""
    n, rate = 10**9, 0.1
    alarms, found = round(rate * n), round(0.389148 * n)  # the normal distribution beyond 1.2816 - 1
    epsilon = gaussian_bound((found, n), (alarms, n), 1e-5, 0.99)
    assert float(loss(epsilon, 1.0)) == pytest.approx(1e-5, rel=0.01)
    assert gaussian_bound((50, 100), (50, 100), 1e-5, 0.99) == 0


def test_the_command_prints_the_bound_and_refuses_what_has_no_noise(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = shell("epsilon", "dp-queries", "mechanism=korolova", "counts=0", "--runs", "2", "--json")
    assert answer.code == 0, answer.everything
    told = json.loads(answer.out)
    assert told["holds"] is True
    assert told["named"] == 80
    failed(shell("epsilon", "km"), "option-not-applicable")
    failed(shell("epsilon", "dp-queries", "counts"), "unreadable-value")
    half_the_noise(monkeypatch)
    broken = shell("epsilon", "dp-queries", "mechanism=korolova", "counts=0", "--runs", "6", "--canaries", "1000")
    assert broken.code == 3
    assert "THE CLAIM DOES NOT HOLD" in broken.out


# -- people who are divided along a taxonomy

DIVIDED = {"epsilon": 1.0, "counts": 0.9, "cap": 1, "fanout": 4, "spurious": 1.0}


def test_right_divisions_never_exceed_their_claim() -> None:
    for seed in range(8):
        assert audit_epsilon(audited_method("diffpart", DIVIDED), CanaryDraw(runs=1, canaries=250, seed=seed)).holds


def test_half_the_scale_of_divisions_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = diffpart.drawn
    monkeypatch.setattr(diffpart, "drawn", lambda numbers, scale: true(numbers, scale / 2))
    found = audit_epsilon(audited_method("diffpart", DIVIDED), CanaryDraw(runs=36, canaries=250))
    assert not found.holds
    assert 1 < found.epsilon <= 2


# -- membership in records


def test_the_best_fit_is_the_published_record_with_most_true_levels() -> None:
    tree = Taxonomy.from_parents({"all": None, "fruit": "all", "apple": "fruit", "pear": "fruit", "beer": "all"})
    published = Bags.from_lists([["fruit"], ["apple", "beer"], ["beer"]]).relabelled(np.arange(3, dtype=np.int32), tree.names)
    published = Bags.from_rows(
        published.indptr, tree.names.codes(["fruit", "apple", "beer", "beer"]), published.counts, tree.names, published.owners
    )
    held = tree.names.codes(["apple"])
    assert membership.best_fit(published, held, tree) == 1  # fruit 1; apple 2, but beer -1
    assert membership.best_fit(published, tree.names.codes(["apple", "beer"]), tree) == 3


def test_guesses_follow_the_threshold_of_the_other_people() -> None:
    right_in, right_out = membership.guesses(np.array([5, 6, 7, 8]), np.array([1, 2, 3, 4]))
    assert right_in.tolist() == [1, 1, 1, 1]
    assert right_out.tolist() == [1, 1, 1, 0]  # without the fourth, 3 separates the others best
    same = np.array([3, 3, 3, 3])
    assert sum(a.sum() for a in membership.guesses(same, same)) == 4  # one half
    assert membership.best_threshold(np.array([4, 4]), np.array([2, 4])) == 2


def test_membership_as_a_command_reports_the_advantage(shell: Shell) -> None:
    lines = [f"i{n % 5} i{n % 3 + 5} own{n}" for n in range(24)]
    shell.file("baskets.txt", "\n".join(lines) + "\n")
    words = ("--format", "transactions", "--taxonomy", "generated", "--method", "shoal", "--k", "3")
    assert shell("anonymize", "baskets.txt", *words, "--out", "release").code == 0
    answer = shell("attack", "baskets.txt", "release", "--attack", "membership", "--remakes", "12", "--json")
    assert answer.code == 0, answer.everything
    told = json.loads(answer.out)
    assert {(one["attack"], one["subject"]) for one in told["attacks"]} == {("membership", "release")}
    (note,) = [note for note in told["notes"] if note.startswith("membership: advantage")]
    assert "12 people" in note
