// An excerpt: some records of the data brought side by side in memory, with what none of their groups could tell left out.
//
// Blocks of records are worked on one at a time, and their rows lie all over a large log. In an excerpt they lie together, their nodes are
// renumbered to those that occur, and a node that fewer than k of them touch is gone: no group of theirs can keep it.
#pragma once

#include "meets.hpp"

namespace shoal {

class Excerpt {
  public:
    // The records keep their order.
    Excerpt(const Scored& whole, std::span<const int64_t> records);

    Scored data() const { return {rows_.view(), lengths_, owner_, weight_, scale_, k_, owners_repeat_}; }

  private:
    OwnedRows rows_;
    std::vector<int64_t> lengths_, owner_, weight_;
    int64_t scale_, k_;
    bool owners_repeat_;
};

}  // namespace shoal
