// Disbanding: a group gives up, and each of its members joins the group that it harms least. So groups need not all have k members.
#pragma once

#include <optional>

#include "group_search/group_map.hpp"

namespace shoal {

class Disbander {
public:
    // `most` is how many groups each member looks at.
    Disbander(const Scored& data, std::span<const int64_t> values, std::vector<GroupState>& groups, GroupMap& map, int64_t most)
        : data_(data),
          values_(values),
          groups_(groups),
          map_(map),
          most_targets_(static_cast<std::size_t>(most)),
          record_(data.nodes()),
          updater_(data),
          vaguest_(data.owners_repeat ? vaguest(groups) : -1) {}

    // What all keep more without the group, which is empty then; zero where it stays.
    int64_t improve(int64_t group);

private:
    // A group with its newcomers.
    struct Target {
        int64_t group;
        GroupState after;
    };

    static int64_t vaguest(const std::vector<GroupState>& groups);
    bool find_targets(int64_t group);
    std::optional<int64_t> join_best(int64_t record, int64_t from, int64_t least);
    const Group& members_by_now(int64_t group) const;
    void join(int64_t record, int64_t group);

    const Scored& data_;
    std::span<const int64_t> values_;  // of the records: they gain no group more than that
    std::vector<GroupState>& groups_;
    GroupMap& map_;
    std::size_t most_targets_;
    Dense record_;
    StateUpdater updater_;
    std::vector<Target> found_;
    int64_t vaguest_;  // the group that tells least, where any number may join: it loses next to nothing by them; -1 where there is none
};

}  // namespace shoal
