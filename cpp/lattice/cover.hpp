// Which published node speaks for an original item: the deepest node of its published record that is the item or lies above it.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// One node per entry of the original rows, -1 where nothing published covers it. `row[i]` is the published row of record i, or -1.
std::vector<int32_t> covering_nodes(const Rows& originals, const Rows& published, std::span<const int64_t> row,
                                    std::span<const int32_t> end, int threads, Task& task);

}  // namespace shoal
