#include "lattice/meet.hpp"

#include <numeric>

#include "base/parallel.hpp"
#include "lattice/tree_counts.hpp"

namespace shoal {

namespace {

// Keeps in `meet` the nodes both have, with the smaller count. Both are sorted in preorder.
void intersect(std::vector<Entry>& meet, const std::vector<Entry>& other) {
    std::size_t kept = 0, j = 0;
    for (const Entry e : meet) {
        while (j < other.size() && other[j].node < e.node) ++j;
        if (j == other.size()) break;
        if (other[j].node == e.node) meet[kept++] = {e.node, std::min(e.count, other[j].count)};
    }
    meet.resize(kept);
}

// Turns subtree counts into copies: own(v) = m(v) - sum of m over v's children; every child has its parent in the list.
void own_copies(std::vector<Entry>& meet, const Tree& tree) {
    std::vector<std::size_t> path;
    std::vector<int32_t> below(meet.size(), 0);
    for (std::size_t i = 0; i < meet.size(); ++i) {
        while (!path.empty() && !tree.covers(meet[path.back()].node, meet[i].node)) path.pop_back();
        if (!path.empty()) below[path.back()] += meet[i].count;
        path.push_back(i);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < meet.size(); ++i)
        if (const int32_t own = meet[i].count - below[i]; own > 0) meet[kept++] = {meet[i].node, own};
    meet.resize(kept);
}

}  // namespace

OwnedRows meet_groups(const Rows& bags, const Tree& tree, std::span<const int64_t> starts, std::span<const int64_t> members, int threads,
                      Task& task) {
    const int64_t groups = static_cast<int64_t>(starts.size()) - 1;
    std::vector<int32_t> every_node(tree.up.size());
    std::iota(every_node.begin(), every_node.end(), 0);
    std::vector<std::vector<Entry>> result(groups);
    task.begin(groups);
    const std::vector<int32_t> level = levels(tree);
    std::vector<Walker> walkers(std::max(1, threads), Walker(tree, every_node, level));
    parallel_blocks(groups, 64, threads, task, [&](int64_t begin, int64_t end, int worker) {
        std::vector<Entry> meet, row;
        for (int64_t g = begin; g < end; ++g) {
            meet.clear();
            for (int64_t m = starts[g]; m < starts[g + 1]; ++m) {
                if ((m - starts[g]) % 4096 == 4095) task.check();
                const int64_t record = members[m];
                const bool opening = m == starts[g];
                walkers[worker].count(bags.row_ids(record), bags.row_counts(record), opening ? meet : row);
                if (!opening) intersect(meet, row);
                if (meet.empty()) break;
            }
            own_copies(meet, tree);
            result[g] = meet;
        }
    });
    OwnedRows out;
    out.indptr.assign(groups + 1, 0);
    for (int64_t g = 0; g < groups; ++g) out.indptr[g + 1] = out.indptr[g] + static_cast<int64_t>(result[g].size());
    out.ids.reserve(out.indptr[groups]);
    out.counts.reserve(out.indptr[groups]);
    for (const auto& bag : result)
        for (const Entry& e : bag) {
            out.ids.push_back(e.node);
            out.counts.push_back(e.count);
        }
    return out;
}

}  // namespace shoal
