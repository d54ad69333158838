// Rules that give a hidden item away (Cao, Karras, Raissi and Tan, VLDB'10): sets X of items of a record from which a further, hidden item
// a of it follows with a certainty above a limit.
//
// The certainty is the share of the holders of X that hold a too, among records or, where a person owns several, among people, whichever is
// larger. Sizes of X are looked at in turn, until there is a rule that breaches the limit. Where no smaller set breaches the limit, the
// rules that are found are minimal.
//
// A set is not extended where no larger one can breach the limit: each is part of some record t with X and a, so every record that holds
// all of t but a holds it too, and it has no more holders of a than X has.
#pragma once

#include "itemsets/itemsets.hpp"

namespace shoal {

struct RuleQuestion {
    int64_t size;     // items of X
    int64_t largest;  // where no rule of this size breaches the limit and a longer one may, the next size is looked at, up to this one
    Share limit;
    int64_t most;     // rules for each first item of X, after which no more are looked for
    int64_t work;     // records to look at, over all sets; beyond that, OutOfPatience is thrown
};

// Records of sets, sorted by owner where some own several; otherwise `owners` is empty. Hidden items may be in X too.
// Where `first` names items, X must hold one of them.
struct RuleRecords {
    const Rows& rows;
    std::span<const int64_t> owners;
    std::span<const uint8_t> hidden;
    std::span<const uint8_t> first;
};

struct Rules {
    Lists sets;                   // X and a together, items in rising order
    std::vector<int32_t> hidden;  // a
    int64_t size = 0;             // items of X: the last size that was looked at
    bool complete = true;         // no rule was left out
    bool may_be_longer = false;   // a larger set may breach the limit where none of this size does
};

Rules breaching_rules(const RuleRecords& records, const RuleQuestion& question, int threads, Task& task);

}  // namespace shoal
