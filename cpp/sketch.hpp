// Sketches: a record or a meet as a few bytes, so that thousands of candidates are compared in the time of a few exact min-sums.
//
// Nodes are put into buckets, the weightiest in one of their own, and a sketch holds the weight of each bucket. The min-sum of two rows is
// (a + b - distance) / 2 for their L1 distance, and on bytes the distance is one instruction per sixteen of them. Sketches choose
// whom to look at; what is decided is decided on exact counts.
#pragma once

#include <array>
#include <cstdlib>

#include "csr.hpp"

namespace shoal {

constexpr int kSketch = 64;

struct Sketch {
    alignas(16) std::array<uint8_t, kSketch> bytes;
};

inline int32_t distance(const Sketch& a, const Sketch& b) {
    int32_t total = 0;
    for (int i = 0; i < kSketch; ++i) total += std::abs(static_cast<int>(a.bytes[i]) - static_cast<int>(b.bytes[i]));
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

    // Sums of one row, bucket by bucket.
    using Sums = std::array<int64_t, kSketch>;
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

// Sketches of some records, fitted to them. `records` are row numbers.
struct SketchedRows {
    Sketcher sketcher;
    std::vector<Sketch> rows;
};
SketchedRows sketch_rows(const Rows& counts, std::span<const int64_t> records, std::span<const int64_t> weight);

}  // namespace shoal
