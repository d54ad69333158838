// Tree counts: for every record, how many of its item occurrences lie in the subtree of each node it touches.
//
// Items arrive in preorder, so the ancestors of a record are met in preorder too: a stack of the current path is enough, no
// sorting and no hashing, and the work is the size of the answer.
#pragma once

#include "csr.hpp"
#include "task.hpp"

namespace shoal {

// The counted ancestors of one record, in preorder. `first[v]` is v itself if counted, else its nearest counted ancestor (or -1).
void count_row(std::span<const int32_t> nodes, std::span<const int32_t> counts, const Tree& tree,
               std::span<const int32_t> first, std::vector<Entry>& out);

OwnedRows tree_counts(const Rows& bags, const Tree& tree, std::span<const int32_t> first, int threads, Task& task);

// Weighted min-sum of two rows of tree counts: sum over v of weight[v] * min(a(v), b(v)). Exact, as all is integer.
int64_t min_sum(const Rows& counts, int64_t a, int64_t b, std::span<const int64_t> weight);

// Min-sums of many pairs at once.
std::vector<int64_t> min_sums(const Rows& counts, std::span<const int64_t> left, std::span<const int64_t> right,
                              std::span<const int64_t> weight, int threads, Task& task);

}  // namespace shoal
