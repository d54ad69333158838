// Groups of rows with attributes of several kinds, improved by exchanges between each group and those with the nearest centroids.
//
// Rounds go through all groups. Many groups are cut into blocks by their centroids, another cut each round; blocks are worked on side by
// side. No round loses anything. The answer depends on rows, their order, k and seed, not on the threads.
#pragma once

#include "vectors/exchange.hpp"
#include "vectors/improve.hpp"

namespace shoal {

// The improved groups of the rows, numbered from 0, as in `improve_groups`.
std::vector<int64_t> improve_kinds(std::span<const KindColumn> columns, std::span<const int64_t> owner, std::span<const int64_t> group,
                                   const ImproveOptions& options, int threads, Task& task);

}  // namespace shoal
