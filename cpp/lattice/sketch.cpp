#include "lattice/sketch.hpp"

#include <algorithm>

namespace shoal {

namespace {

// A fixed scatter of node numbers, so that light nodes share buckets evenly.
uint32_t scattered(int32_t node) { return (static_cast<uint32_t>(node) * 2654435761u) >> 16; }

}  // namespace

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
