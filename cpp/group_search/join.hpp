// Joining: records that are left over go to the groups where the least is lost by it.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

// The group that each record left over joins, one after the other. They are fewer than k, or those of people who own too many; so nobody
// need be counted. `meets` and `sizes` are those of the groups before.
std::vector<int64_t> join_leftovers(const Scored& data, const Rows& meets, std::span<const int64_t> sizes, std::span<const int64_t> left,
                                    Task& task);

}  // namespace shoal
