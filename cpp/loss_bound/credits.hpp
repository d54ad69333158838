// Credits of records, as small as possible: any k records together have at least k times the value of their meet.
//
// Whatever groups a release has, its value is then at most the sum of all credits. Credits are lowered in rounds. In each, every record looks
// for the group of k with the least excess of credits, and gives back a k-th of that excess; so no group falls short, whichever of its
// members give back at once. docs/bound.md has the proof.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

// Lowers credits, which are enough and stay so; they are in halves of the units of values. `copies` is how often each row occurs. About `work`
// steps are taken, a few nanoseconds each; with few of them, some records keep their credits.
void lower_credits(const Scored& rows, std::span<const int64_t> copies, std::vector<int64_t>& credits, int64_t work, int threads, Task& task);

}  // namespace shoal
