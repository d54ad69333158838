#include "judge/generalizes.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "judge/work.hpp"

namespace shoal {

namespace {

// Deepest published nodes choose first. Whatever lies below a node lies below each of its ancestors too, so any free item below it
// is as good a choice as any other and the greedy matching is a maximum one.
bool matches(std::span<const int32_t> items, std::span<const int32_t> amounts, std::span<const int32_t> published,
             std::span<const int32_t> copies, std::span<const int32_t> end, std::span<const int32_t> depth, std::vector<int32_t>& free,
             std::vector<std::size_t>& order) {
    free.assign(amounts.begin(), amounts.end());
    order.resize(published.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return depth[published[a]] > depth[published[b]]; });
    for (std::size_t p : order) {
        int32_t need = copies[p];
        const int32_t node = published[p];
        auto at = std::ranges::lower_bound(items, node) - items.begin();
        for (; need > 0 && at < static_cast<int64_t>(items.size()) && items[at] < end[node]; ++at) {
            const int32_t used = std::min(need, free[at]);
            free[at] -= used;
            need -= used;
        }
        if (need > 0) return false;
    }
    return true;
}

}  // namespace

std::vector<uint8_t> generalizes_pairs(const Rows& originals, const Rows& published, std::span<const int64_t> record,
                                       std::span<const int64_t> row, std::span<const int32_t> end, std::span<const int32_t> depth,
                                       int threads, Task& task) {
    const auto n = static_cast<int64_t>(record.size());
    std::vector<uint8_t> ok(n, 1);
    task.begin(n);
    parallel_blocks(n, 512, threads, task, [&](int64_t begin, int64_t stop, int) {
        std::vector<int32_t> free;
        std::vector<std::size_t> order;
        Work work(task);
        for (int64_t i = begin; i < stop; ++i) {
            if (row[i] < 0) continue;
            const auto nodes = static_cast<int64_t>(published.row_ids(row[i]).size());
            work.add(32 + static_cast<int64_t>(originals.row_ids(record[i]).size()) * (1 + nodes / 8) + 16 * nodes);
            ok[i] = matches(originals.row_ids(record[i]), originals.row_counts(record[i]), published.row_ids(row[i]),
                            published.row_counts(row[i]), end, depth, free, order);
        }
        work.flush();
    });
    return ok;
}

std::vector<uint8_t> generalizes(const Rows& originals, const Rows& published, std::span<const int64_t> row, std::span<const int32_t> end,
                                 std::span<const int32_t> depth, int threads, Task& task) {
    std::vector<int64_t> every(originals.size());
    std::iota(every.begin(), every.end(), int64_t{0});
    return generalizes_pairs(originals, published, every, row, end, depth, threads, task);
}

}  // namespace shoal
