// Local search over the groups of a block: the worst are disbanded where that helps, members change places along chains, and the worst are
// dissolved with their neighbours and regrown.
#pragma once

#include "base/deadline.hpp"
#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

struct RefineOptions {
    int64_t neighbours;  // groups whose places a member may take: those with the most similar meets
    int64_t depth;       // longest chain
    int64_t together;    // groups that are dissolved at a time, with their nearest
    int64_t worst;       // how many in a hundred groups are the worst: those that lose the largest part of their records
};

// Improves the groups, which hold all rows of the data; there may be fewer of them then. Sizes stay between k and 2k-1 people. `shake` is
// where regrowing starts. Returns how many changes were made.
int64_t refine_block(const Scored& data, std::vector<Group>& groups, const RefineOptions& options, uint64_t shake, const Deadline& deadline,
                     Task& task);

}  // namespace shoal
