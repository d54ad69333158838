// Local recoding from below: items are published as they are wherever that leaves no set of nodes too rare, the others as their parents
// where that does, and so on upwards.
#pragma once

#include "cuts/tokens.hpp"

namespace shoal {

// The tokens must publish nothing; what no ancestor can be published for stays unpublished. The root is not published.
void ascend(Tokens& tokens, Task& task);

}  // namespace shoal
