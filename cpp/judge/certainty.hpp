// The judge's own search for the greatest certainty with which some items of a record give a hidden item of it away.
//
// The certainty of the rule X -> a is the share of those who hold X that hold a too, among records and, where a person owns several,
// also among people; the larger one counts. Closing X among the records that hold a adds the items that all records with X and a share: the
// holders of X and a stay the same, and those of X can only become fewer. So it is enough to look at sets that are closed among
// the records with a, which are far fewer than all sets. Where sets are limited in size closing may exceed the limit, and all are looked
// at.
//
// A branch of the search is left where it cannot matter. Every set of it is part of some record t with a, hence it is held by whatever
// record without a holds the rest of t, and by no more records with a than the set at which the branch begins.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"
#include "judge/known_sets.hpp"

namespace shoal {

// The rule of the greatest certainty for one hidden item: `holders` of `cohort`, of people or of records.
struct TellingRule {
    std::vector<int32_t> known;
    int32_t hidden = -1;
    int64_t holders = 0, cohort = 1;
};

struct Certainty {
    std::vector<TellingRule> rules;  // one for each hidden item that occurs, by item
    int64_t searched = 0;            // sets that were looked at
};

// Rules from sets of up to `most` open items, any number where `most` is below 0. A hidden item may be open too.
Certainty greatest_certainty(const Shown& shown, int64_t most, int threads, Task& task);

}  // namespace shoal
