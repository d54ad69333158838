// A lower bound on the loss of any k-anonymous release; docs/bound.md has the proof.
//
// Records must share a group with k-1 others and lose what they do not share with them. Two steps: how much any group that a record is in
// can tell at most (its ceiling), and what record and partners must lose together below their ceilings, each bearing half of it. What is left
// of the ceiling is the record's credit, which is lowered further.
// Owners play no part: groups of k people are groups of at least k records.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

struct BoundOptions {
    int64_t neighbours;  // how many of the nearest are examined pair by pair: k to 64
    int64_t patience;    // exact scores that lowering a record's ceiling may cost; beyond that it stays where it is
    bool ceilings;       // lower the ceilings first; this needs all records to be asked for
    int64_t work;        // steps for lowering credits at the end, which needs all records too; 0 for none
};

// Counts cut down to what at least k records reach on each node: no group can tell more. Nodes with nothing left are dropped.
OwnedRows reachable_counts(const Rows& counts, int64_t nodes, int64_t k);

// For each record asked for: twice what it must lose in any release, in units of 1/scale, so that the sum over all records bounds the
// total loss.
std::vector<int64_t> unavoidable_losses(const Scored& data, std::span<const int64_t> asked, const BoundOptions& options, int threads,
                                        Task& task);

}  // namespace shoal
