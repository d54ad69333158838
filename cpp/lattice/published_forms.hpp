// In which form the words of records are published: as their own node, as the parent, as something higher, at the top.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Item occurrences of all records together, by the published node that stands for each; those that nothing stands for are not counted.
struct PublishedForms {
    int64_t own = 0;     // the item itself
    int64_t parent = 0;  // its parent, which is not a top node
    int64_t higher = 0;  // an ancestor further up, which is not a top node
    int64_t top = 0;     // a top node above it
};

// Every published occurrence stands for at most one occurrence at or below it. Of all such assignments those are meant that give as
// many items as possible to themselves, then as many of the rest as possible to their parents, then as many as possible to anything
// else; all of them have these counts. `row[i]` is the published row of record i, or -1; `top` marks the nodes that say nothing.
PublishedForms published_forms(const Rows& originals, const Rows& published, std::span<const int64_t> row, Tree tree,
                               std::span<const uint8_t> top, int threads, Task& task);

}  // namespace shoal
