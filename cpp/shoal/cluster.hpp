// The shoal method: set identical records aside, grow groups in blocks of similar records, refine them by local search.
//
// Blocks are cut by content and number of records alone and worked on independently, so the groups do not depend on the threads.
// Memory is linear in the tree counts, time in the records at given options.
#pragma once

#include "shoal/grow.hpp"
#include "shoal/refine.hpp"

namespace shoal {

struct ClusterOptions {
    int64_t block;  // records that are grouped together
    GrowOptions grow;
    RefineOptions refine;
    int64_t refine_block;  // groups that are refined together
    int64_t rounds;        // of refinement, each with other blocks
    uint64_t seed;         // other seeds shake local search in other ways
    double seconds;        // stop refining after so long; below zero: no limit
};

// The group of each record, from 0. Throws std::domain_error where no k owners can be brought together.
std::vector<int64_t> cluster(const Scored& data, const ClusterOptions& options, int threads, Task& task);

}  // namespace shoal
