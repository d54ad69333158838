// The least common generalization of a group is the meet of its members' tree counts: the pointwise minimum, read back as a bag.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// One published bag per group. Group g has the members members[starts[g] .. starts[g+1]); the tree counts every node, root included.
OwnedRows meet_groups(const Rows& bags, const Tree& tree, std::span<const int64_t> starts, std::span<const int64_t> members, int threads,
                      Task& task);

}  // namespace shoal
