// Clusters of records that share frequent terms (HORPART; Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB'12).
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Records that are sets; those of one owner follow one another.
struct OwnedSets {
    const Rows& rows;
    std::span<const int64_t> owners;
    int64_t terms;  // how many there are
};

// The cluster of each record, from 0 on; a single cluster where none may be split.
//
// Records are split by the most frequent term that was not used yet, into those that hold it and those that do not, until a part has at
// most half of `most` records; a part that would hold fewer than k people is not made. A part's own term is held by all of it, so that
// whatever else stands there is known to go with it: so clusters are made of two parts of about the same size, and hardly any term is
// held by more than half of a cluster.
std::vector<int64_t> clusters_by_terms(const OwnedSets& sets, int64_t most, int64_t k, Task& task);

}  // namespace shoal
