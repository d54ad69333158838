// A running sum with twice the digits of a double, so that taking numbers away again leaves next to nothing of them behind.
//
// It is not exact: what lies below 2^-100 of the largest sum on the way may be lost. For standardised values that is far below the digits
// they are given in.
#pragma once

namespace shoal {

class LongSum {
public:
    // Knuth's two-sum: `high + low` is the sum so far without any rounding but that of `low` itself.
    void add(double x) {
        const double sum = high_ + x, part = sum - high_;
        const double rest = (high_ - (sum - part)) + (x - part) + low_;
        high_ = sum + rest;
        low_ = rest - (high_ - sum);
    }
    double value() const { return high_; }

private:
    double high_ = 0, low_ = 0;
};

}  // namespace shoal
