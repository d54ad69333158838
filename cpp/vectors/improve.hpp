// Groups of rows improved by local search on the exact SSE: moves, swaps, disbanding and regrowing among neighbouring groups.
//
// A round goes through all groups. Each is put into a pool with the groups whose means are nearest; in the first rounds the pool descends
// from what it holds, later some of its groups are dissolved first. A pool that came out better takes the place of what it held, so no
// round loses anything, and more rounds continue what fewer rounds did. Many groups are cut into blocks by their means, another cut each
// round; blocks are worked on side by side. The answer depends on rows, their order, k and seed, not on the threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"
#include "vectors/points.hpp"

namespace shoal {

struct ImproveOptions {
    int64_t k;       // owners of a group
    int64_t rounds;  // each tries one pool a group
    uint64_t seed;
};

// The improved groups of the rows, numbered from 0. Owners and groups are numbered from 0, groups without gaps, with k owners each.
std::vector<int64_t> improve_groups(Matrix data, std::span<const int64_t> owner, std::span<const int64_t> group,
                                    const ImproveOptions& options, int threads, Task& task);

}  // namespace shoal
