// The natural logarithm, bit for bit that of shoal.util.numbers: `std::log` differs in the last bit between machines.
#pragma once

#include <cmath>

namespace shoal {

inline double logarithm(double value) {
    constexpr double ln2 = 0.6931471805599453;
    constexpr int terms = 13;  // of the series of atanh
    int exponent = 0;
    double fraction = std::frexp(value, &exponent);
    if (fraction < std::sqrt(0.5)) {
        fraction *= 2;
        --exponent;
    }
    const double ratio = (fraction - 1) / (fraction + 1), square = ratio * ratio;
    double series = 0;
    for (int term = terms - 1; term >= 0; --term) series = series * square + 1.0 / (2 * term + 1);
    return exponent * ln2 + 2 * ratio * series;
}

}  // namespace shoal
