// Disbanding: a group gives up, and each of its members joins the group that it harms least. So groups need not all have k members.
#pragma once

#include <optional>

#include "shoal/group_map.hpp"

namespace shoal {

class Disbander {
public:
    // `homes` is how many groups each member looks at.
    Disbander(const Scored& data, std::span<const int64_t> values, std::vector<GroupState>& groups, GroupMap& map, int64_t homes)
        : data_(data),
          values_(values),
          groups_(groups),
          map_(map),
          homes_(static_cast<std::size_t>(homes)),
          record_(data.nodes()),
          musterer_(data) {}

    // True if all tell more without the group, which is empty then.
    bool improve(int64_t group);

private:
    // A group with its newcomers.
    struct Home {
        int64_t group;
        GroupState after;
    };

    bool find_homes(int64_t group);
    std::optional<int64_t> join_best(int64_t record, int64_t from, int64_t least);
    const Group& members_by_now(int64_t group) const;
    void join(int64_t record, int64_t group);

    const Scored& data_;
    std::span<const int64_t> values_;  // of the records: they gain no group more than that
    std::vector<GroupState>& groups_;
    GroupMap& map_;
    std::size_t homes_;
    Dense record_;
    Musterer musterer_;
    std::vector<Home> found_;
};

}  // namespace shoal
