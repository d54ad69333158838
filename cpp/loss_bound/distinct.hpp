// The distinct rows of the data, similar ones near each other, and how often each occurs.
#pragma once

#include "base/task.hpp"
#include "lattice/block_copy.hpp"

namespace shoal {

struct Distinct {
    BlockCopy rows;
    std::vector<int64_t> row_of;  // for each record
    std::vector<int64_t> copies;  // for each row
};

Distinct distinct_rows(const Scored& data, int threads, Task& task);

}  // namespace shoal
