// The judge's own classes of identical records: rows are sorted by a fingerprint, and within equal fingerprints compared entry by entry.
// It shares no code with base/rows.hpp, by which the methods tell identical rows.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// A number for each row that identical rows, and only those, share; from 0 in order of first appearance.
std::vector<int64_t> row_classes(const Rows& rows, int threads, Task& task);

}  // namespace shoal
