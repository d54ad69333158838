#include "lattice/tree_counts.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t kBlock = 512;

}  // namespace

std::vector<int32_t> levels(const Tree& tree) {
    std::vector<int32_t> level(tree.up.size());
    for (std::size_t v = 0; v < level.size(); ++v) level[v] = tree.up[v] < 0 ? 0 : level[tree.up[v]] + 1;  // parents come first
    return level;
}

Walker::Walker(const Tree& tree, std::span<const int32_t> first, std::span<const int32_t> level)
    : tree_(tree), first_(first), level_(level) {
    const int32_t deepest = level.empty() ? 0 : std::ranges::max(level);
    path_.assign(deepest + 1, -1);
    slot_.assign(deepest + 1, -1);
}

// Puts the node and what lies between it and the current path (whose last node is at `deepest`) on the path; returns the level of the
// last node that was there already, -1 if none was.
int32_t Walker::climb(int32_t node, int32_t deepest) {
    while (node >= 0) {
        const int32_t at = level_[node];
        if (at <= deepest && path_[at] == node) return at;
        path_[at] = node;
        node = tree_.up[node];
    }
    return -1;
}

int64_t Walker::size(std::span<const int32_t> nodes) {
    int64_t total = 0;
    int32_t deepest = -1;
    for (int32_t item : nodes) {
        const int32_t node = first_[item];
        if (node < 0) continue;
        total += level_[node] - climb(node, deepest);
        deepest = level_[node];
    }
    return total;
}

void Walker::count(std::span<const int32_t> nodes, std::span<const int32_t> counts, std::vector<Entry>& out) {
    out.clear();
    int32_t deepest = -1;
    auto leave = [&](int32_t level) {  // a node that is left hands its count up
        for (; deepest > level; --deepest)
            if (deepest > 0) out[slot_[deepest - 1]].count += out[slot_[deepest]].count;
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int32_t node = first_[nodes[i]];
        if (node < 0) continue;
        const int32_t shared = climb(node, deepest);
        leave(shared);
        for (int32_t at = shared + 1; at <= level_[node]; ++at) {
            slot_[at] = static_cast<int64_t>(out.size());
            out.push_back({path_[at], 0});
        }
        deepest = level_[node];
        out[slot_[deepest]].count += counts[i];
    }
    leave(-1);
}

OwnedRows tree_counts(const Rows& bags, const Tree& tree, std::span<const int32_t> first, int threads, Task& task) {
    const int64_t n = bags.size();
    OwnedRows out;
    out.indptr.assign(n + 1, 0);
    task.begin(2 * n);
    // First the sizes, then the entries in place: no second copy of the largest structure in memory.
    const std::vector<int32_t> level = levels(tree);
    std::vector<Walker> walkers(std::max(1, threads), Walker(tree, first, level));
    parallel_blocks(n, kBlock, threads, task, [&](int64_t begin, int64_t end, int worker) {
        for (int64_t i = begin; i < end; ++i) out.indptr[i + 1] = walkers[worker].size(bags.row_ids(i));
    });
    for (int64_t i = 0; i < n; ++i) out.indptr[i + 1] += out.indptr[i];
    out.ids.resize(out.indptr[n]);
    out.counts.resize(out.indptr[n]);
    parallel_blocks(n, kBlock, threads, task, [&](int64_t begin, int64_t end, int worker) {
        std::vector<Entry> row;
        for (int64_t i = begin; i < end; ++i) {
            walkers[worker].count(bags.row_ids(i), bags.row_counts(i), row);
            int64_t at = out.indptr[i];
            for (const Entry& e : row) {
                out.ids[at] = e.node;
                out.counts[at++] = e.count;
            }
        }
    });
    return out;
}

int64_t min_sum(const Rows& counts, int64_t a, int64_t b, std::span<const int64_t> weight) {
    int64_t i = counts.indptr[a], j = counts.indptr[b];
    const int64_t i_end = counts.indptr[a + 1], j_end = counts.indptr[b + 1];
    int64_t total = 0;
    while (i < i_end && j < j_end) {
        const int32_t u = counts.ids[i], v = counts.ids[j];
        if (u == v) total += weight[u] * std::min(counts.counts[i], counts.counts[j]);
        i += u <= v;
        j += v <= u;
    }
    return total;
}

std::vector<int64_t> min_sums(const Rows& counts, std::span<const int64_t> left, std::span<const int64_t> right,
                              std::span<const int64_t> weight, int threads, Task& task) {
    const int64_t n = static_cast<int64_t>(left.size());
    std::vector<int64_t> out(n);
    task.begin(n);
    parallel_blocks(n, 4096, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) out[i] = min_sum(counts, left[i], right[i], weight);
    });
    return out;
}

}  // namespace shoal
