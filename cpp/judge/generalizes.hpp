// The judge's own test that a published bag generalizes an original one: an explicit matching, straight from the definition.
// It shares no code with the meet or the tree counts, so a mistake there cannot hide itself here.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// For each original record i: can every item of published row `row[i]` be given a distinct item of record i below it?
// `row[i]` < 0 means withheld and passes. Returns 1 for yes and 0 for no. `depth` orders the published nodes, deepest first.
std::vector<uint8_t> generalizes(const Rows& originals, const Rows& published, std::span<const int64_t> row, std::span<const int32_t> end,
                                 std::span<const int32_t> depth, int threads, Task& task);

// The same test for any pairs of an original record and a published row.
std::vector<uint8_t> generalizes_pairs(const Rows& originals, const Rows& published, std::span<const int64_t> record,
                                       std::span<const int64_t> row, std::span<const int32_t> end, std::span<const int32_t> depth,
                                       int threads, Task& task);

}  // namespace shoal
