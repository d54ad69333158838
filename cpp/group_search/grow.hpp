// Growing groups one at a time: a seed, and k-1 times the record whose joining leaves the group most of its value.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

struct GrowOptions {
    int64_t candidates;  // how many of the records that look best by their sketches are scored exactly
};

struct GrownBlock {
    FlatGroups groups;
    std::vector<int64_t> left;  // too few for a group of their own, or of too few people
};

// Groups of k people out of these records of the data (in content order, so that the longest become seeds first). They depend on the
// records of the block alone.
GrownBlock grow_block(const Scored& data, std::span<const int64_t> records, const GrowOptions& options, Task& task);

}  // namespace shoal
