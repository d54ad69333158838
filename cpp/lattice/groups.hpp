// Groups of rows, one behind the other in two arrays: how they come from Python and go there.
#pragma once

#include "base/csr.hpp"

namespace shoal {

using Group = std::vector<int64_t>;  // row numbers

// Borrowed groups: group g is members[starts[g] .. starts[g+1]).
struct GroupsView {
    std::span<const int64_t> starts;
    std::span<const int64_t> members;

    int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
    std::span<const int64_t> operator[](int64_t g) const { return members.subspan(starts[g], starts[g + 1] - starts[g]); }
};

// Groups that own their memory.
struct FlatGroups {
    std::vector<int64_t> starts{0};
    std::vector<int64_t> members;

    void add(std::span<const int64_t> group) {
        members.insert(members.end(), group.begin(), group.end());
        starts.push_back(static_cast<int64_t>(members.size()));
    }
    // A group of rows of a block, given the numbers of these rows in the whole.
    void add(std::span<const int64_t> group, std::span<const int64_t> records) {
        for (int64_t row : group) members.push_back(records[row]);
        starts.push_back(static_cast<int64_t>(members.size()));
    }
};

}  // namespace shoal
