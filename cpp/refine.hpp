// Local search: members change places along chains through neighbouring groups, as long as the groups tell more by it.
//
// A member that holds its group back leaves; it takes the place of somebody in another group, who takes a place in a third, until the last
// one fits into the place that was left first. A chain of one step is a swap. Where a group has more than k members the first place may also
// stay empty, and the last one simply joins: a move.
#pragma once

#include "meets.hpp"
#include "task.hpp"

namespace shoal {

struct RefineOptions {
    int64_t neighbours;  // groups whose places a member may take: those with the most similar meets
    int64_t depth;       // longest chain
    int64_t passes;      // over all groups of a block
};

// Improves the groups that `chosen` names among themselves. Group sizes stay between k and 2k-1 people. Returns how many chains were
// carried out.
int64_t refine_block(const Scored& data, std::vector<Group>& groups, std::span<const int64_t> chosen, const RefineOptions& options,
                  Task& task);

// The pointwise minimum of the members' tree counts.
std::vector<Entry> meet_of(const Scored& data, const Group& group);

}  // namespace shoal
