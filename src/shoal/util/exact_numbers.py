"""Numbers that are the same on every machine: natural logarithms, and shares as exact fractions.

The library function `log` differs in the last bit between processors, which would affect rounding to integer units. Single additions,
multiplications and divisions give the same result everywhere.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LN2 = 0.6931471805599453
_TERMS = 13  # of the series of atanh; the next one is below 2**-60 of the first


def logarithm(values: npt.ArrayLike) -> Floats:
    """Return the logarithm of positive numbers: ln(f * 2**e) = e * ln 2 + 2 * atanh((f - 1) / (f + 1)), with f near one."""
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    small = fraction < np.sqrt(0.5)
    fraction, exponent = np.where(small, 2 * fraction, fraction), exponent - small
    ratio = (fraction - 1) / (fraction + 1)
    square, series = ratio * ratio, np.zeros_like(ratio)
    for term in reversed(range(_TERMS)):
        series = series * square + 1 / (2 * term + 1)
    return np.asarray(exponent * _LN2 + 2 * ratio * series)


def exact(number: float) -> Fraction:
    """Return a share as an exact fraction of its shortest decimal form, so that 29 of 100 is not more than 0.29. Only 18 digits count."""
    written = Fraction(repr(float(number)))
    finest = 10**18
    return written if written.denominator <= finest else Fraction(int(written * finest), finest)
