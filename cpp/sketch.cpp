#include "sketch.hpp"

#include <algorithm>

namespace shoal {

namespace {

// A fixed scatter of node numbers, so that light nodes share buckets evenly.
uint32_t scattered(int32_t node) { return (static_cast<uint32_t>(node) * 2654435761u) >> 16; }

}  // namespace

Sketcher::Sketcher(std::span<const int64_t> weight, std::span<const int64_t> mass) : weight_(weight), bucket_(weight.size(), 0) {
    std::vector<int32_t> used;
    for (std::size_t v = 0; v < mass.size(); ++v)
        if (mass[v] > 0) used.push_back(static_cast<int32_t>(v));
    const std::size_t alone = used.size() <= kSketch ? used.size() : kSketch / 2;
    std::ranges::partial_sort(used, used.begin() + alone, [&](int32_t a, int32_t b) { return mass[a] != mass[b] ? mass[a] > mass[b] : a < b; });
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

Sketch Sketcher::sketch(const Sums& sums) const {
    Sketch s{};
    for (int i = 0; i < kSketch; ++i)
        if (sums[i] != 0) s.bytes[i] = static_cast<uint8_t>(std::min<int64_t>(255, (sums[i] + step_ / 2) / step_));
    return s;
}

SketchedRows sketch_rows(const Rows& counts, std::span<const int64_t> weight) {
    std::vector<int64_t> mass(weight.size(), 0);
    for (std::size_t j = 0; j < counts.ids.size(); ++j) mass[counts.ids[j]] += weight[counts.ids[j]] * counts.counts[j];
    SketchedRows out{Sketcher(weight, mass), {}};
    std::vector<Sketcher::Sums> sums(counts.size());
    for (int64_t r = 0; r < counts.size(); ++r) {
        sums[r].fill(0);
        for (int64_t j = counts.indptr[r]; j < counts.indptr[r + 1]; ++j) out.sketcher.add(sums[r], counts.ids[j], counts.counts[j]);
    }
    std::vector<int64_t> flat;
    flat.reserve(sums.size() * 8);
    for (std::size_t i = 0; i < sums.size(); i += 1 + sums.size() / 1024)
        for (int64_t s : sums[i])
            if (s > 0) flat.push_back(s);
    out.sketcher.fit(flat);
    out.rows.reserve(sums.size());
    for (const auto& s : sums) out.rows.push_back(out.sketcher.sketch(s));
    return out;
}

}  // namespace shoal
