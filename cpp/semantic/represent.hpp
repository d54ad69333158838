// Which published term stands for which occurrence of an original record.
//
// First every term stands for itself; then published nodes stand for what lies below them, the deepest choosing first; what is
// left on both sides is matched one to one, as many as possible and at the least distance, where the two are relevant to one
// another.
#pragma once

#include "base/task.hpp"
#include "semantic/term_distance.hpp"
#include "semantic/transport.hpp"

namespace shoal {

struct Representation {
    std::vector<int64_t> row;        // published row
    std::vector<int32_t> published;  // its node
    std::vector<int32_t> original;   // the node it stands for
    std::vector<int32_t> times;      // in how many occurrences of one record
};

// `row` is the published row of each original record, -1 where it has none.
Representation represent(const Rows& originals, const Rows& published, std::span<const int64_t> row, const TermDistance& terms, Task& task);

}  // namespace shoal
