// Which nodes of a cut to suppress so that every one of some sets loses a node.
#pragma once

#include "cuts/cut.hpp"

namespace shoal {

// Greedily, the node that hits most sets for what its suppression costs first; ties go to the lower number. Nothing where it would cost
// `budget` or more.
std::vector<int32_t> hit_sets(const NodeSets& sets, const Cut& cut, int64_t budget);

}  // namespace shoal
