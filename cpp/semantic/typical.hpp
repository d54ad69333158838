// What is published for a cluster: its typical term set, read off the centre (Liu and Wang, section IV.B).
#pragma once

#include "semantic/ssc.hpp"

namespace shoal {

enum class Typical : int32_t { vote, members, generalize };  // the elected term of each bag; all its terms; their common ancestor

struct TypicalOptions {
    Typical typical;
    int64_t min_owners;    // a term is published only if the term sets of so many people in the cluster hold it
    bool generalize_rare;  // a bag without such a term is published as its common ancestor; else it is withheld
};

// Published rows, one per cluster, and what became of the matched occurrences.
struct TypicalTermSets {
    OwnedRows rows;
    int64_t kept = 0;         // published as themselves
    int64_t replaced = 0;     // represented by another term
    int64_t generalized = 0;  // published as an ancestor
};

// `publishable` says of each node whether it may be published.
TypicalTermSets typical_term_sets(const Clusters& clusters, const Rows& term_sets, std::span<const int64_t> owner,
                                  const TermDistance& terms, const TypicalOptions& options, std::span<const uint8_t> publishable,
                                  Task& task);

}  // namespace shoal
