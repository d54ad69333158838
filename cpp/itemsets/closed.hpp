// The n most frequent closed patterns of a collection of bags.
//
// A pattern is a bag contained in some records; it is closed if no larger bag is contained in all the records that contain it.
// Each occurrence of an item is a token of its own (the first, the second, ...), so that bags are sets of tokens. Closed sets
// form a tree by prefix-preserving closure extension (Uno, Asai, Uchida and Arimura, FIMI'04), along which support strictly
// falls: walked best first, the n-th best support found so far bounds all that is left to look at, and no minimum support is
// needed.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct ClosedPatterns {
    OwnedRows patterns;
    std::vector<int64_t> support;
};

// Record i counts `weight[i]` times. By falling support, equals in the order of their items; of at least `shortest` occurrences
// each.
ClosedPatterns top_closed(const Rows& bags, std::span<const int64_t> weight, int64_t n, int64_t shortest, Task& task);

}  // namespace shoal
