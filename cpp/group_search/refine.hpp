// Local search over the groups of a block: the worst are divided where people own several records; members change places along chains,
// the worst are disbanded where that helps, or dissolved with their neighbours and regrown.
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
    int64_t worth;       // thousandths of what the worst lose that must be gained for further ones to be disbanded or dissolved
};

struct RefinedBlock {
    FlatGroups groups;
    int64_t changes = 0;
};

// Other groups of the same records, which keep more; there may be fewer of them, or more where people own several records. Where nobody
// does, sizes stay between k and 2k-1 people. `shake` is where regrowing starts. They depend on the records of the block alone.
RefinedBlock refine_block(const Scored& data, const GroupsView& groups, const RefineOptions& options, uint64_t shake,
                          const Deadline& deadline, Task& task);

}  // namespace shoal
