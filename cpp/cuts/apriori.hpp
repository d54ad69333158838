// k^m-anonymity by generalization alone (Terrovitis, Mamoulis and Kalnis, VLDB'08): the cheapest generalization of each rare set.
#pragma once

#include "cuts/cut.hpp"

namespace shoal {

// Sizes are treated from 1 to m, as AA does, or all at once, as DA does. Either is repeated until no rare set is left: after one pass,
// sets that were generalized meanwhile may still be rare. Throws Infeasible where fewer than k people have any record.
void generalize_rare_sets(Cut& cut, bool size_by_size, Task& task);

}  // namespace shoal
