// Local recoding: what a node stands for is published as its children wherever that leaves no set of nodes too rare.
#pragma once

#include "cuts/tokens.hpp"

namespace shoal {

// Lowers single occurrences, node after node from the root down, until a whole sweep gains little. The tokens must be, and stay,
// k^m-anonymous, and lose no more than before.
void lower(Tokens& tokens, Task& task);

}  // namespace shoal
