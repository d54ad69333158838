// Which records hold an item, for every item: the rows of a table read by columns.
#pragma once

#include <span>
#include <vector>

#include "base/csr.hpp"

namespace shoal {

class Holders {
public:
    // Ids are below `items`.
    Holders(const Rows& rows, int64_t items);

    // The records that hold an item, rising.
    std::span<const int64_t> of(int32_t item) const { return std::span(records_).subspan(start_[item], start_[item + 1] - start_[item]); }
    int64_t count(int32_t item) const { return start_[item + 1] - start_[item]; }
    int64_t items() const { return static_cast<int64_t>(start_.size()) - 1; }

private:
    std::vector<int64_t> start_, records_;
};

}  // namespace shoal
