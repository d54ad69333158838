// Groups cut into blocks of near ones by their means, for work on blocks side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vectors/pool.hpp"

namespace shoal {

// The mean of each group, one after the other.
std::vector<double> group_centres(Matrix data, const std::vector<Members>& groups);

// Blocks of at most so many groups each, by their numbers. Other seeds cut elsewhere.
std::vector<std::vector<int64_t>> group_blocks(std::span<const double> centres, int64_t groups, int64_t columns, int64_t size,
                                               uint64_t seed);

}  // namespace shoal
