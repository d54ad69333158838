// The band order of records: reverse Cuthill-McKee on the graph in which records are neighbours that share an item.
//
// The graph, the pattern of A A^T, is never made: an item of f records would give f^2 of its edges. The search goes from records to items
// and on to records, and expands each item once, when all its records have been reached. So children are found exactly as in the graph, in
// time linear in the occurrences. A record's degree is the sum of A A^T along its row: its neighbours, each counted as often as they share
// an item.
#pragma once

#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// The records in band order, component after component. Equal degrees are decided by the given order of the rows. Ids are below `items`.
std::vector<int64_t> band_order(const Rows& rows, int64_t items, Task& task);

}  // namespace shoal
