// A block copy: some records of the data brought side by side in memory, in a given order, with nodes renumbered to those that matter.
//
// Blocks of records are worked on one at a time, and their rows lie all over a large log. In a block copy they lie together. Nodes that
// few people touch can be left out: what fewer than k touch no group of k can keep.
#pragma once

#include "lattice/meets.hpp"

namespace shoal {

class BlockCopy {
public:
    // Nodes that fewer than `least` people touch are left out.
    BlockCopy(const Scored& whole, std::span<const int64_t> records, int64_t least);

    Scored data() const { return {rows_.view(), lengths_, owner_, weight_, scale_, k_, owners_repeat_}; }

private:
    OwnedRows rows_;
    std::vector<int64_t> lengths_, owner_, weight_;
    int64_t scale_, k_;
    bool owners_repeat_;
};

}  // namespace shoal
