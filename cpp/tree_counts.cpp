#include "tree_counts.hpp"

#include "parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t kBlock = 512;

// Walks one record's counted ancestors in preorder. `enter(node)` is called once a node and returns its slot;
// `leave(slot, parent_slot)` when its subtree is complete.
template <class Enter, class Add, class Leave>
void walk_ancestors(std::span<const int32_t> nodes, const Tree& tree, std::span<const int32_t> first, Enter&& enter, Add&& add,
                    Leave&& leave) {
    thread_local std::vector<std::pair<int32_t, int64_t>> path;  // (node, slot) from the top to the current node
    thread_local std::vector<int32_t> fresh;
    path.clear();
    auto pop = [&] {
        const int64_t slot = path.back().second;
        path.pop_back();
        leave(slot, path.empty() ? int64_t{-1} : path.back().second);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int32_t node = first[nodes[i]];
        if (node < 0) continue;
        while (!path.empty() && !tree.covers(path.back().first, node)) pop();
        const int32_t top = path.empty() ? -1 : path.back().first;
        fresh.clear();
        for (int32_t v = node; v != top; v = tree.up[v]) fresh.push_back(v);
        for (auto v = fresh.rbegin(); v != fresh.rend(); ++v) path.emplace_back(*v, enter(*v));
        add(path.back().second, i);
    }
    while (!path.empty()) pop();
}

}  // namespace

void count_row(std::span<const int32_t> nodes, std::span<const int32_t> counts, const Tree& tree,
               std::span<const int32_t> first, std::vector<Entry>& out) {
    out.clear();
    walk_ancestors(
        nodes, tree, first,
        [&](int32_t v) {
            out.push_back({v, 0});
            return static_cast<int64_t>(out.size()) - 1;
        },
        [&](int64_t slot, std::size_t i) { out[slot].count += counts[i]; },
        [&](int64_t slot, int64_t parent) {
            if (parent >= 0) out[parent].count += out[slot].count;
        });
}

OwnedRows tree_counts(const Rows& bags, const Tree& tree, std::span<const int32_t> first, int threads, Task& task) {
    const int64_t n = bags.size();
    OwnedRows out;
    out.indptr.assign(n + 1, 0);
    task.begin(2 * n);
    // First the sizes, then the entries in place: no second copy of the largest structure in memory.
    parallel_blocks(n, kBlock, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t size = 0;
            walk_ancestors(
                bags.row_ids(i), tree, first, [&](int32_t) { return size++; }, [](int64_t, std::size_t) {},
                [](int64_t, int64_t) {});
            out.indptr[i + 1] = size;
        }
    });
    for (int64_t i = 0; i < n; ++i) out.indptr[i + 1] += out.indptr[i];
    out.ids.resize(out.indptr[n]);
    out.counts.resize(out.indptr[n]);
    parallel_blocks(n, kBlock, threads, task, [&](int64_t begin, int64_t end, int) {
        std::vector<Entry> row;
        for (int64_t i = begin; i < end; ++i) {
            count_row(bags.row_ids(i), bags.row_counts(i), tree, first, row);
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
