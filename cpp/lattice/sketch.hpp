// Sketches: a record or a meet as a few bytes, so that thousands of candidates are compared in the time of a few exact min-sums.
//
// Nodes are put into buckets, the weightiest in one of their own, and a sketch holds the weight of each bucket. The min-sum of two rows is
// (a + b - distance) / 2 for their L1 distance, and on bytes the distance is one instruction per sixteen or more of them. Sketches choose
// whom to look at; what is decided is decided on exact counts.
#pragma once

#include <algorithm>
#include <array>

#include "base/csr.hpp"

namespace shoal {

constexpr int kSketch = 128;

struct Sketch {
    alignas(64) std::array<uint8_t, kSketch> bytes;
};

// How far a sketch is from each of some that lie side by side; `out` has room for as many numbers. The same on every processor.
void distances(const Sketch& from, std::span<const Sketch> others, int32_t* out);

inline int32_t min_sum(const Sketch& a, const Sketch& b) {
    int32_t total = 0;
    for (int i = 0; i < kSketch; ++i) total += std::min(a.bytes[i], b.bytes[i]);
    return total;
}

inline int32_t weight_of(const Sketch& s) {
    int32_t total = 0;
    for (uint8_t b : s.bytes) total += b;
    return total;
}

// How nodes fall into buckets, and how much weight one byte step stands for; fitted to the rows it will sketch.
class Sketcher {
public:
    // `mass[v]` is the weight that all rows together have on v.
    Sketcher(std::span<const int64_t> weight, std::span<const int64_t> mass);

    // Sums of one row, bucket by bucket. What lies on nodes without mass comes last and into no sketch.
    using Sums = std::array<int64_t, kSketch + 1>;
    Sums sums(const Rows& rows, int64_t row) const;
    void add(Sums& sums, int32_t node, int64_t count) const { sums[bucket_[node]] += weight_[node] * count; }

    // Fits the step so that all but the few largest sums stay within a byte.
    void fit(std::vector<int64_t>& sums);
    Sketch sketch(const Sums& sums) const;
    int64_t steps(int64_t weight) const { return weight / step_; }
    int64_t step() const { return step_; }

private:
    std::span<const int64_t> weight_;
    std::vector<uint8_t> bucket_;
    int64_t step_ = 1;
};

// A sketcher for these rows.
Sketcher fitted_sketcher(const Rows& rows, std::span<const int64_t> weight);

}  // namespace shoal
