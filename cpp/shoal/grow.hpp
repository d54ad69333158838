// Growing groups one at a time: a seed, and k-1 times the record whose joining keeps most of what the group still tells.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

struct GrowOptions {
    int64_t candidates;  // how many of the records that look best by their sketches are scored exactly
};

// Groups of k people out of all these records (in content order, so that the longest become seeds first); the records that remain are too
// few for a group of their own and are added to `left`.
std::vector<Group> grow_block(const Scored& data, const GrowOptions& options, std::vector<int64_t>& left, Task& task);

}  // namespace shoal
