// Tree counts: for every record, how many of its item occurrences lie in the subtree of each node it touches.
//
// Items arrive in preorder, so the ancestors of a record are met in preorder too: a stack of the current path is enough, no
// sorting and no hashing, and the work is the size of the answer.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Walks records up a tree. The current path lies in an array by depth, so that finding where a new item leaves it is a climb that stops
// at the first node already there. One walker a thread.
class Walker {
public:
    // `first[v]` is v itself if counted, else its nearest counted ancestor (or -1); `level[v]` is the number of counted nodes above v.
    Walker(const Tree& tree, std::span<const int32_t> first, std::span<const int32_t> level);

    // How many counted nodes one record touches.
    int64_t size(std::span<const int32_t> nodes);

    // The counted ancestors of one record, in preorder, with their counts.
    void count(std::span<const int32_t> nodes, std::span<const int32_t> counts, std::vector<Entry>& out);

private:
    int32_t climb(int32_t node, int32_t deepest);

    Tree tree_;
    std::span<const int32_t> first_, level_;
    std::vector<int32_t> path_;
    std::vector<int64_t> slot_;
};

// The number of counted nodes above each node, for a Walker.
std::vector<int32_t> levels(const Tree& tree);

OwnedRows tree_counts(const Rows& bags, const Tree& tree, std::span<const int32_t> first, int threads, Task& task);

// Weighted min-sum of two rows of tree counts: sum over v of weight[v] * min(a(v), b(v)). Exact, as all is integer.
int64_t min_sum(const Rows& counts, int64_t a, int64_t b, std::span<const int64_t> weight);

// Min-sums of many pairs at once.
std::vector<int64_t> min_sums(const Rows& counts, std::span<const int64_t> left, std::span<const int64_t> right,
                              std::span<const int64_t> weight, int threads, Task& task);

}  // namespace shoal
