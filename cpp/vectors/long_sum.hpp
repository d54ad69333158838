// A running sum that does not depend on the order of what is added and taken away, as far as its digits go: twice those of a double.
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
