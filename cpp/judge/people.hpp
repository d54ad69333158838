// The judge's own count of the people behind published units, such as queries or the words of queries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"

namespace shoal {

// Row i has the query `query[i]` and belongs to the person `who[i]`. A query has the units `units[starts[q] .. starts[q + 1])`, which are
// below n_units. Returns the number of different people with each unit.
std::vector<int64_t> people_of_units(std::span<const int32_t> query, std::span<const int64_t> who, std::span<const int64_t> starts,
                                     std::span<const int32_t> units, int64_t n_units, Task& task);

}  // namespace shoal
