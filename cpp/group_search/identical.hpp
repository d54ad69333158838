// Records with the same counts lose nothing to one another: as many full groups of them as there can be, found without comparing pairs.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

struct IdenticalGroups {
    FlatGroups groups;
    std::vector<int64_t> rest;  // records that are in no group yet, in rising order
};

// `kind` numbers the content of each record, `times` says how many records have it. One record of each person fills the groups; a
// person's further copies join them.
IdenticalGroups identical_groups(const Scored& data, std::span<const int64_t> kind, std::span<const int64_t> times, Task& task);

}  // namespace shoal
