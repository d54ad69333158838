// Sketches: a record or a meet as a few bytes, so that thousands of candidates are compared in the time of a few exact min-sums.
//
// Nodes are put into buckets, the weightiest in one of their own, and a sketch holds the weight of each bucket. The min-sum of two rows is
// (a + b - distance) / 2 for their L1 distance, and on bytes the distance is one instruction per sixteen of them. Sketches choose
// whom to look at; what is decided is decided on exact counts. A sketch_prefix, the weightiest buckets and the sum of the others, tells at
// a third of the price that most are too far.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/csr.hpp"

namespace shoal {

constexpr int kSketch = 64, kSketchPrefix = 16;

struct Sketch {
    alignas(16) std::array<uint8_t, kSketch> bytes;
};

// Sum of absolute differences of sixteen bytes times `blocks`. Spelled out, as compilers miss the instruction that does it for short
// arrays.
template <int blocks>
int32_t difference(const uint8_t* a, const uint8_t* b) {
#ifdef __SSE2__
    __m128i total = _mm_setzero_si128();
    for (int i = 0; i < blocks; ++i) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a) + i),
                      y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b) + i);
        total = _mm_add_epi64(total, _mm_sad_epu8(x, y));
    }
    return _mm_cvtsi128_si32(total) + _mm_extract_epi16(total, 4);
#else
    int32_t total = 0;
    for (int i = 0; i < 16 * blocks; ++i) total += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
    return total;
#endif
}

inline int32_t distance(const Sketch& a, const Sketch& b) { return difference<kSketch / 16>(a.bytes.data(), b.bytes.data()); }

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

struct SketchPrefix {
    std::array<uint8_t, kSketchPrefix> heaviest;
    int32_t rest;
};

inline SketchPrefix sketch_prefix_of(const Sketch& s) {
    SketchPrefix g{};
    std::copy_n(s.bytes.begin(), kSketchPrefix, g.heaviest.begin());
    g.rest = weight_of(s);
    for (uint8_t b : g.heaviest) g.rest -= b;
    return g;
}

// No more than the distance of the sketches.
inline int32_t least_distance(const SketchPrefix& a, const SketchPrefix& b) {
    return std::abs(a.rest - b.rest) + difference<kSketchPrefix / 16>(a.heaviest.data(), b.heaviest.data());
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
