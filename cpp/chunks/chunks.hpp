// Chunks of terms in which no set of up to m terms is rare (VERPART; Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB'12).
#pragma once

#include "chunks/clusters.hpp"

namespace shoal {

// What attackers may know, and how many people must share it.
struct ChunkPlan {
    int64_t k, m;
};

inline constexpr int32_t term_chunk = -1;

// The chunk of each place of the records, from 0 on within their cluster; term_chunk where a term is only told to occur.
//
// In every cluster, which must hold at least k people,
//   * any set of up to m terms that stand together in a record of one chunk is held there by at least k people;
//   * terms of different chunks are not certain to stand together in some records by their numbers alone, unless in those of k people
//     (for m above 2: not at all), nor is any term certain to go with one of the term chunk;
//   * if the term chunk is empty, chunks hold so many parts of records that any m of these may fall together in k records, and
//     none is left empty (Lemma 2 of the paper).
// A chunk begins with the most frequent term that is left; it grows by the term that most often stands beside those that are there.
std::vector<int32_t> chunks_of_terms(const OwnedSets& sets, std::span<const int64_t> cluster, const ChunkPlan& plan, Task& task);

}  // namespace shoal
