"""Exact confidence bounds on a probability from a number of successes (Clopper and Pearson, 1934)."""

from __future__ import annotations


def clopper_pearson(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return an interval that contains the probability with at least this confidence; each side errs with half of the rest."""
    rest = (1 - confidence) / 2
    return lower_bound(hits, trials, 1 - rest), upper_bound(hits, trials, 1 - rest)


def lower_bound(hits: int, trials: int, confidence: float) -> float:
    """Return what the probability is at least, with this confidence."""
    from scipy.special import betaincinv

    return 0.0 if hits <= 0 else float(betaincinv(hits, trials - hits + 1, 1 - confidence))


def upper_bound(hits: int, trials: int, confidence: float) -> float:
    """Return what the probability is at most, with this confidence."""
    from scipy.special import betaincinv

    return 1.0 if hits >= trials else float(betaincinv(hits + 1, trials - hits, confidence))
