// Clump's assignment loop (Milani Fard and Wang, thesis chapter 4) on tree counts, with the exact least common generalization.
#pragma once

#include "lattice/meets.hpp"

namespace shoal {

struct ClumpOptions {
    int64_t r;   // how many open clusters a record is tried on
    bool total;  // the printed criterion: least total distortion, instead of least increase
};

// `order` is the sequence of assignment. Returns the group of each record; throws Infeasible where there are fewer than k owners.
std::vector<int64_t> clump(const Scored& data, std::span<const int64_t> order, const ClumpOptions& options, Task& task);

}  // namespace shoal
