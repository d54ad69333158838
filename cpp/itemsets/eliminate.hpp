// Greedy weighted hitting set: which items to suppress so that no mole is left.
#pragma once

#include "itemsets/itemsets.hpp"

namespace shoal {

enum class MoleScore { per_loss, number, least_loss };  // MM/IL, MM and 1/IL of the paper

struct Elimination {
    std::vector<int64_t> items;    // in the order of their suppression
    std::vector<int64_t> removed;  // how many moles each of them removed
};

// Suppresses the item of the best score until every mole is hit. Ties: more moles, then less loss, then the lower number.
Elimination eliminate(const Lists& moles, std::span<const int64_t> loss, MoleScore score, Task& task);

}  // namespace shoal
