#include "lattice/leaves.hpp"

#include <algorithm>

#include "base/noise.hpp"
#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t kAtOnce = 1024;  // records

int64_t occurrences_between(const Rows& rows, int64_t record, int32_t first, int32_t end) {
    const auto ids = rows.row_ids(record);
    const auto counts = rows.row_counts(record);
    int64_t total = 0;
    for (auto at = std::ranges::lower_bound(ids, first) - ids.begin(); at < std::ssize(ids) && ids[at] < end; ++at) total += counts[at];
    return total;
}

int64_t leaf_of(const Rows& rows, int64_t record, const CutTree& cuts) {
    int32_t at = cuts.node.empty() ? -1 : 0;
    while (at >= 0) {
        const bool has = occurrences_between(rows, record, cuts.node[at], cuts.end[at]) >= cuts.at_least[at];
        at = has ? cuts.having[at] : cuts.lacking[at];
    }
    return -1 - int64_t{at};
}

uint64_t content_hash(const Rows& rows, int64_t record, int32_t alike) {
    const auto ids = rows.row_ids(record);
    const auto counts = rows.row_counts(record);
    uint64_t sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
        sum += mixed(static_cast<uint64_t>(std::min(ids[i], alike)) + 0x9e3779b97f4a7c15ULL) * static_cast<uint64_t>(counts[i]);
    return sum;
}

// What is found of each record by itself.
template <class T, class Find>
std::vector<T> of_each(const Rows& rows, int threads, Task& task, Find&& find) {
    std::vector<T> found(rows.size());
    task.begin(rows.size());
    parallel_blocks(rows.size(), kAtOnce, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t r = begin; r < end; ++r) found[r] = find(r);
    });
    return found;
}

}  // namespace

std::vector<int64_t> leaves_of(const Rows& rows, const CutTree& cuts, int threads, Task& task) {
    return of_each<int64_t>(rows, threads, task, [&](int64_t r) { return leaf_of(rows, r, cuts); });
}

std::vector<uint64_t> content_hashes(const Rows& rows, int32_t alike, int threads, Task& task) {
    return of_each<uint64_t>(rows, threads, task, [&](int64_t r) { return content_hash(rows, r, alike); });
}

}  // namespace shoal
