// Which items to suppress so that no item and no pair of items is held by fewer than k people.
#pragma once

#include "itemsets/mole_lists.hpp"

namespace shoal {

// Items that fewer than k people hold, and pairs of the other items that some but fewer than k people hold. Rows are sets; records of one
// owner follow one another, and `owners` is empty where none has two. `most` is 1 or 2: without pairs, or with them.
PairedMoles rare_pairs(const Rows& rows, std::span<const int64_t> owners, int64_t items, int64_t k, int64_t most, int threads, Task& task);

// The better one of two local searches, as for moles of any size: from the best greedy answer, and from all items of moles suppressed.
std::vector<int64_t> hit_pairs(const PairedMoles& moles, std::span<const int64_t> loss, Task& task);

}  // namespace shoal
