// Local recoding from below: items are published as they are wherever that leaves no set of nodes too rare, the others as their parents
// where that does, and so on upwards.
#pragma once

#include "cuts/tokens.hpp"

namespace shoal {

// The tokens must publish nothing; what no ancestor can be published for stays unpublished. The root is not published. Items with a 1 in
// `settled` are published everywhere from the start, whatever becomes of the others; they must leave no set of items too rare.
void ascend(Tokens& tokens, std::span<const uint8_t> settled, Task& task);

}  // namespace shoal
