// Local search on a hitting set: items are put back, and one exchanged for several, wherever that loses less.
#pragma once

#include "itemsets/itemsets.hpp"

namespace shoal {

// From items that hit every mole to items that hit every mole and lose no more, in rising order. None of them can be left out alone.
// A step exchanges one item for others: it is put back and one item is suppressed in every mole that only it hit, or it is suppressed and
// those are put back that are no longer needed. The number of steps is limited by the size of the moles, not by time.
std::vector<int64_t> improve_hitting(const Lists& moles, std::span<const int64_t> loss, std::span<const int64_t> items, Task& task);

}  // namespace shoal
