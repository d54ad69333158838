// The judge's own matching: how many published records can each be given an original record of their own?
#pragma once

#include <span>

#include "base/task.hpp"

namespace shoal {

// Pair i says that class `of[i]` may take record `record[i]`. A class takes up to `wanted` different records, a record serves once.
// Returns the largest number of records that can serve: augmenting paths of equal length are followed together (Hopcroft and Karp).
int64_t largest_matching(std::span<const int64_t> of, std::span<const int64_t> record, std::span<const int64_t> wanted, int64_t records,
                         Task& task);

}  // namespace shoal
