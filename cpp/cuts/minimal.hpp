// Of sets of nodes those that hold no other one.
#pragma once

#include "cuts/rare_sets.hpp"

namespace shoal {

// Leaves out the sets that hold another one, and what is said of who holds them. Sets of two nodes must hold no set of one.
void keep_minimal(RareFound& found, const Task& task);

}  // namespace shoal
