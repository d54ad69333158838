// Undoing generalization: nodes of a cut are split into their children again wherever that loses less.
#pragma once

#include "cuts/cut.hpp"

namespace shoal {

// Makes the split that lowers the loss most, again and again, until every further one would raise it or leave a rare set. The cut must be,
// and stays, k^m-anonymous. With `suppress`, nodes are suppressed where a split makes them part of rare sets, if that costs less than the
// split gains; without, only splits are made that leave no rare set.
void descend(Cut& cut, bool suppress, Task& task);

}  // namespace shoal
