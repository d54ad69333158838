// Dissolving and regrowing: a group and its nearest neighbours give up their members, and other groups are grown out of them.
//
// Growing starts at other seeds than before and is followed by chains among the new groups; what comes out replaces them only if it keeps
// more.
// So local search leaves places where no single chain would help.
#pragma once

#include "base/deadline.hpp"
#include "group_search/chains.hpp"
#include "group_search/worth.hpp"

namespace shoal {

class Regrower {
public:
    // `together` is how many groups are dissolved at a time.
    Regrower(const Scored& data, std::span<const int64_t> values, std::vector<GroupState>& groups, const Neighbours& neighbours,
             int64_t together, int64_t depth, const Deadline& deadline, const Task& task)
        : data_(data),
          groups_(groups),
          neighbours_(neighbours),
          together_(together),
          deadline_(deadline),
          meet_(data),
          record_(data.nodes()),
          updater_(data),
          chains_(data, values, fresh_, all_others_, depth, task) {}

    // Dissolves the group and its nearest if that gains anything. `shake` decides where growing starts.
    Try improve(int64_t group, uint64_t shake);

private:
    std::vector<int64_t> group_and_nearest(int64_t group) const;
    bool grow_all(std::size_t groups, uint64_t shake);
    bool grow_one(GroupState& group);
    bool place_rest();
    void change_places();
    int64_t kept_by_fresh() const;

    const Scored& data_;
    std::vector<GroupState>& groups_;
    const Neighbours& neighbours_;
    int64_t together_;
    const Deadline& deadline_;
    RunningMeet meet_;
    Dense record_;
    StateUpdater updater_;
    std::vector<int64_t> waiting_;
    std::vector<int64_t> at_most_;  // for each that waits, what the growing group can still keep with it
    std::vector<GroupState> fresh_;
    Neighbours all_others_;  // all fresh groups are neighbours
    Chains chains_;
};

}  // namespace shoal
