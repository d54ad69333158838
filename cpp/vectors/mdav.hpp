// MDAV-generic (Domingo-Ferrer and Torra 2005): groups of near rows around the rows that lie farthest out.
//
// While 3k owners are left: the row farthest from the centroid and its k-1 nearest form a group, then the row farthest from that one and
// its k-1 nearest. With 2k owners left one more such group is formed; what remains is the last group.
//
// Owners: a group takes one row of an owner, the nearest, so that k rows are k people. Where every row has an owner of its own this is the
// algorithm as published, with groups of k to 2k-1 rows. Where owners repeat, k to 2k-1 owners may be left with more rows than that: groups
// are formed from them one at a time as long as k owners are left, and each row then left joins the group with the nearest centroid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"
#include "vectors/points.hpp"

namespace shoal {

// The group of each row, numbered from 0 in the order of forming. Owners are numbered from 0; at least k of them must be there.
// Of equal distances the first row is taken.
std::vector<int64_t> mdav(Matrix data, std::span<const int64_t> owner, int64_t k, int threads, Task& task);

}  // namespace shoal
