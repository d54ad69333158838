#include "lattice/block_copy.hpp"

namespace shoal {

namespace {

std::vector<int32_t> records_touching(const Scored& whole, std::span<const int64_t> records) {
    std::vector<int32_t> touched(whole.nodes(), 0);
    for (int64_t r : records)
        for (int32_t v : whole.counts.row_ids(r)) ++touched[v];
    return touched;
}

std::vector<int32_t> people_touching(const Scored& whole, std::span<const int64_t> records) {
    std::vector<int64_t> by_owner(records.begin(), records.end());
    std::ranges::sort(by_owner, {}, [&](int64_t r) { return std::pair(whole.owner[r], r); });
    std::vector<int32_t> touched(whole.nodes(), 0);
    std::vector<int64_t> last(whole.nodes(), -1);  // who touched the node last, by the place of the first of their records
    int64_t first = 0;
    for (std::size_t i = 0; i < by_owner.size(); ++i) {
        if (i > 0 && whole.owner[by_owner[i]] != whole.owner[by_owner[i - 1]]) first = static_cast<int64_t>(i);
        for (int32_t v : whole.counts.row_ids(by_owner[i])) {
            if (last[v] != first) ++touched[v];
            last[v] = first;
        }
    }
    return touched;
}

}  // namespace

BlockCopy::BlockCopy(const Scored& whole, std::span<const int64_t> records, int64_t least)
    : scale_(whole.scale), k_(whole.k), owners_repeat_(whole.owners_repeat) {
    std::size_t entries = 0;
    for (int64_t r : records) entries += whole.counts.row_ids(r).size();
    std::vector<int32_t> touched = least > 1 && owners_repeat_ ? people_touching(whole, records) : records_touching(whole, records);
    std::vector<int32_t>& number = touched;  // of each node here, below zero where it is left out
    for (int64_t v = 0; v < whole.nodes(); ++v) {
        const bool kept = touched[v] >= least;
        number[v] = kept ? static_cast<int32_t>(weight_.size()) : -1;
        if (kept) weight_.push_back(whole.weight[v]);
    }
    rows_.ids.reserve(entries), rows_.counts.reserve(entries);
    rows_.indptr.push_back(0);
    for (int64_t r : records) {
        for (int64_t j = whole.counts.indptr[r]; j < whole.counts.indptr[r + 1]; ++j) {
            const int32_t v = number[whole.counts.ids[j]];
            if (v >= 0) rows_.ids.push_back(v), rows_.counts.push_back(whole.counts.counts[j]);
        }
        rows_.indptr.push_back(static_cast<int64_t>(rows_.ids.size()));
        lengths_.push_back(whole.lengths[r]);
        owner_.push_back(whole.owner[r]);
    }
}

}  // namespace shoal
