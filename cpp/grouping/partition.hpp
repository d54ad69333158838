// Partition, also called LG (He and Naughton, VLDB'09): top-down local generalization of sets, by specialising one node at a time.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct PartitionOptions {
    int64_t k;
    int64_t tries;          // how many splits a small part follows to their end; 1 takes the one that gains most at once
    bool recurse_leftover;  // go on splitting what the balancing put aside, on other nodes; otherwise it stays as it is
    bool owners_repeat;     // a group then counts people, not records
};

struct PartitionResult {
    std::vector<int64_t> group;  // one per record
    OwnedRows cuts;              // one row per group: the nodes published, each with the least number of items it covers in any member
};

// `bags` hold nodes of the tree; `leaves[v]` are the leaf counts that make the node loss NCP(v) = leaves / all leaves, 0 for a leaf.
// `order` is the sequence in which records are looked at, which decides ties.
PartitionResult partition(const Rows& bags, std::span<const int32_t> parent, std::span<const int32_t> end, std::span<const int64_t> leaves,
                          std::span<const int64_t> order, std::span<const int64_t> owner, const PartitionOptions& options, Task& task);

}  // namespace shoal
