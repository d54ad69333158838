#include "lattice/sketch.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/wide_vectors.hpp"

namespace shoal {

namespace {

int32_t distance(const Sketch& a, const Sketch& b) {
    int32_t total = 0;
    for (int i = 0; i < kSketch; ++i) total += std::abs(static_cast<int>(a.bytes[i]) - static_cast<int>(b.bytes[i]));
    return total;
}

#ifdef SHOAL_WIDE

constexpr int kVectors = kSketch / 32;

// Four numbers of 64 bits, whose sum is the distance.
SHOAL_WIDE inline __m256i differences(const __m256i (&from)[kVectors], const Sketch& other) {
    const auto* bytes = reinterpret_cast<const __m256i*>(other.bytes.data());
    __m256i total = _mm256_sad_epu8(from[0], _mm256_load_si256(bytes));
    for (int v = 1; v < kVectors; ++v) total = _mm256_add_epi64(total, _mm256_sad_epu8(from[v], _mm256_load_si256(bytes + v)));
    return total;
}

// Two such, number by number beside each other.
SHOAL_WIDE inline __m256i beside(__m256i one, __m256i other) { return _mm256_or_si256(one, _mm256_slli_epi64(other, 32)); }

// Four sketches at a time: their sums are added up together.
SHOAL_WIDE void wide_distances(const Sketch& from, std::span<const Sketch> others, int32_t* out) {
    __m256i mine[kVectors];
    for (int v = 0; v < kVectors; ++v) mine[v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(from.bytes.data()) + v);
    std::size_t i = 0;
    for (; i + 4 <= others.size(); i += 4) {
        const __m256i first = beside(differences(mine, others[i]), differences(mine, others[i + 1]));
        const __m256i second = beside(differences(mine, others[i + 2]), differences(mine, others[i + 3]));
        const __m256i halves = _mm256_add_epi32(_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
        const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), sums);
    }
    for (; i < others.size(); ++i) out[i] = distance(from, others[i]);
}

#endif

// A fixed scatter of node numbers, so that light nodes share buckets evenly.
uint32_t scattered(int32_t node) { return (static_cast<uint32_t>(node) * 2654435761u) >> 16; }

}  // namespace

void distances(const Sketch& from, std::span<const Sketch> others, int32_t* out) {
#ifdef SHOAL_WIDE
    if (wide_vectors) return wide_distances(from, others, out);
#endif
    for (std::size_t i = 0; i < others.size(); ++i) out[i] = distance(from, others[i]);
}

Sketcher::Sketcher(std::span<const int64_t> weight, std::span<const int64_t> mass) : weight_(weight), bucket_(weight.size(), kSketch) {
    std::vector<int32_t> used;
    for (std::size_t v = 0; v < mass.size(); ++v)
        if (mass[v] > 0) used.push_back(static_cast<int32_t>(v));
    const std::size_t alone = used.size() <= kSketch ? used.size() : kSketch / 2;
    std::ranges::partial_sort(used, used.begin() + alone,
                              [&](int32_t a, int32_t b) { return mass[a] != mass[b] ? mass[a] > mass[b] : a < b; });
    for (std::size_t i = 0; i < alone; ++i) bucket_[used[i]] = static_cast<uint8_t>(i);
    for (std::size_t i = alone; i < used.size(); ++i)
        bucket_[used[i]] = static_cast<uint8_t>(alone + scattered(used[i]) % (kSketch - alone));
}

void Sketcher::fit(std::vector<int64_t>& sums) {
    std::erase(sums, 0);
    if (sums.empty()) return;
    const auto high = sums.begin() + static_cast<std::ptrdiff_t>((sums.size() - 1) * 995 / 1000);
    std::ranges::nth_element(sums, high);
    step_ = std::max<int64_t>(1, (*high + 254) / 255);
}

Sketcher::Sums Sketcher::sums(const Rows& rows, int64_t row) const {
    Sums sums{};
    for (int64_t j = rows.indptr[row]; j < rows.indptr[row + 1]; ++j) add(sums, rows.ids[j], rows.counts[j]);
    return sums;
}

Sketch Sketcher::sketch(const Sums& sums) const {
    Sketch s{};
    for (int i = 0; i < kSketch; ++i)
        if (sums[i] != 0) s.bytes[i] = static_cast<uint8_t>(std::min<int64_t>(255, (sums[i] + step_ / 2) / step_));
    return s;
}

Sketcher fitted_sketcher(const Rows& rows, std::span<const int64_t> weight) {
    std::vector<int64_t> mass(weight.size(), 0), sampled;
    for (std::size_t j = 0; j < rows.ids.size(); ++j) mass[rows.ids[j]] += weight[rows.ids[j]] * rows.counts[j];
    Sketcher sketcher(weight, mass);
    for (int64_t r = 0; r < rows.size(); r += 1 + rows.size() / 1024) {
        const Sketcher::Sums sums = sketcher.sums(rows, r);
        sampled.insert(sampled.end(), sums.begin(), sums.begin() + kSketch);
    }
    sketcher.fit(sampled);
    return sketcher;
}

}  // namespace shoal
