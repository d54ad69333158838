// Clump's assignment loop (Milani Fard and Wang, thesis chapter 4) on tree counts, with the exact least common generalization or with BUIG
// as printed.
#pragma once

#include "lattice/meets.hpp"

namespace shoal {

struct ClumpOptions {
    int64_t r;       // how many open clusters a record is tried on
    bool total;      // the printed criterion: least total distortion, instead of least increase
    bool by_length;  // tried are the clusters whose generalization is nearest in length, instead of the first
};

// `order` is the sequence of assignment. Returns the group of each record; throws Infeasible where there are fewer than k owners.
std::vector<int64_t> clump(const Scored& data, std::span<const int64_t> order, const ClumpOptions& options, Task& task);

struct PrintedClusters {
    std::vector<int64_t> group;
    OwnedRows bags;  // what BUIG made of each group; of a group without members nothing
};

// The same with BUIG as printed, one record at a time: a record is generalized together with the cluster's current generalization.
PrintedClusters clump_printed(const Scored& data, const Rows& bags, const Tree& tree, std::span<const int64_t> order,
                              const ClumpOptions& options, Task& task);

}  // namespace shoal
