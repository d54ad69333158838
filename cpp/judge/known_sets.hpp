// The judge's own count of the sets of items that an attacker may know: how many people hold each, and what it gives away.
//
// Straight from the definition: every set of `size` open items that occurs is counted, by handing the records of a set on to the sets that
// have one item more. It shares no code with itemsets/, which finds the minimal moles for the methods.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Records of sets: record i is row `row[i]` of the rows. Records of one owner follow one another; `owner` is empty where none has two.
struct Shown {
    const Rows& rows;
    std::span<const int64_t> row;
    std::span<const int64_t> owner;
    std::span<const uint8_t> open;    // per item: may an attacker know it?
    std::span<const uint8_t> hidden;  // per item: must it not be inferred?
};

// A set is unsafe if fewer than k people hold it, or more than the share `numerator / denominator` of its holders one hidden item.
struct Limits {
    int64_t k;
    int64_t numerator;
    int64_t denominator;
};

struct UnsafeSet {
    std::vector<int32_t> items;
    int64_t people;
    int32_t hidden;  // the item given away to `holders` of `cohort`; -1 where too few people hold the set
    int64_t holders;
    int64_t cohort;
};

struct KnownSets {
    int64_t counted = 0;
    int64_t few = 0, telling = 0;     // unsafe sets, by too few people and by a hidden item
    std::vector<UnsafeSet> examples;  // the first of them
    int64_t fewest = -1;              // people behind the rarest set; -1 where no set occurs
    int64_t holders = 0, cohort = 1;  // the greatest share of one hidden item among the holders of a set
};

// Counts all sets of this many open items.
KnownSets known_sets(const Shown& shown, int64_t size, const Limits& limits, int64_t most_examples, int threads, Task& task);

}  // namespace shoal
