"""The noise that a privacy budget needs, against the accounting of OpenDP."""

from __future__ import annotations

import pytest

from shoal.noise.mechanisms import laplace_scale, least_noise, loss

dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
BUDGETS = [(0.1, 1e-6), (0.5, 1e-5), (1.0, 1e-6), (1.0, 1e-9), (3.0, 1e-5), (8.0, 1e-8)]


def setup_module() -> None:
    dp.enable_features("contrib")


@pytest.mark.parametrize("cap", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 4.0])
def test_laplace_noise_costs_what_opendp_says(cap: int, epsilon: float) -> None:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    spent = dp.m.make_laplace(*space, scale=laplace_scale(cap, epsilon)).map(cap)
    assert spent == pytest.approx(epsilon, rel=1e-9)
    assert spent <= epsilon


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_gaussian_noise_costs_at_most_what_opendp_says(epsilon: float, delta: float) -> None:
    """OpenDP converts from concentrated privacy, which is an upper bound: for its noise our exact delta is no greater, and close to it."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)

    def theirs(scale: float) -> float:
        return float(dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale)).map(1.0).epsilon(delta))

    exact = least_noise(epsilon, delta)
    assert float(loss(epsilon, 1 / exact)) == pytest.approx(delta, rel=1e-6)
    assert epsilon <= theirs(exact) * (1 + 1e-9), "no mechanism may claim more than the exact accounting allows"
    assert theirs(exact) < 1.5 * epsilon + 0.1, "the bound is near"
    scale = dp.binary_search(lambda scale: theirs(scale) <= epsilon, bounds=(0.1, 1000.0))
    assert float(loss(epsilon, 1 / scale)) <= delta, "OpenDP's noise is enough by our accounting"
