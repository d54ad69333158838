// Minimal moles: the smallest sets of public items that tell an attacker too much (Xu, Wang, Fu and Yu, KDD'08).
//
// A set of at most p public items that occurs is a mole if fewer than k people hold it, or if more than the share h of those who hold it
// also hold one and the same private item. It is minimal if no proper subset is a mole. Without private items these are the minimal
// itemsets that violate k^m-anonymity.
#pragma once

#include "itemsets/itemsets.hpp"

namespace shoal {

struct MoleQuestion {
    int64_t k;
    Share h;
    int64_t p;
    bool achieved;  // also find the greatest breach among all sets that were counted, which costs more counting
};

struct Moles {
    Lists sets;                                    // by size; items in rising order
    std::vector<int32_t> people;                   // how many hold each
    std::vector<int32_t> hidden, holders, cohort;  // the private item it gives away, -1 for a mole by people alone
    int64_t fewest = -1;                           // people behind the rarest set that was counted; -1 without records
    Breach greatest;                               // the greatest breach found, exact if `achieved` was asked for
    int64_t counted = 0;                           // sets whose support was counted
};

// Level by level: a set is counted only if all its subsets are known non-moles. Whatever occurs in no record is neither mole nor extended.
// The order of moles of one size depends on the supports of the items, not on the order of records nor on threads.
Moles minimal_moles(const Transactions& data, int64_t items, const MoleQuestion& question, int threads, Task& task);

}  // namespace shoal
