// Groups in which no sensitive item is frequent (CAHD, Ghinita, Tao and Kalnis), formed around every record that holds one.
//
// Rows are in band order. A group is a record t and p - 1 others, no two of which share a sensitive item or an owner. It is accepted only
// if what remains can still be one group: H[s] * p <= remaining for every sensitive item s, counted after the group is taken away.
#pragma once

#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// `known` are the items that are published with their records, `sensitive` those that are not; all ids are below `items`.
// Owners are numbered from 0, below the number of records.
struct PrivacyProblem {
    Rows known, sensitive;
    int64_t items;
    std::span<const int64_t> owners;
    int64_t p;
};

// Whom a record may be grouped with: the first `window` that fit before it in the order, and as many after it; or, where `nearest` is
// not 0, the first so many records that share an item with it, rare items first.
struct GroupReach {
    int64_t window, nearest;
};

// The group of each record, numbered from 0; -1 where it remains.
std::vector<int64_t> private_groups(const PrivacyProblem& problem, const GroupReach& reach, Task& task);

}  // namespace shoal
