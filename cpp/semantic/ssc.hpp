// SSC: clusters of at least k term sets, grown one at a time around the nearest (Liu and Wang, ICDM'10, Algorithm 1).
//
// Only term sets that can win are matched: the index finds all that hold anything relevant to the centre and how much they
// could save at best; everything else costs l * omega for each bag and term, so of those the shortest wins.
#pragma once

#include "semantic/centre.hpp"

namespace shoal {

struct Clusters {
    std::vector<int64_t> group;                 // of each term set
    std::vector<std::vector<int64_t>> members;  // of each cluster, in the order they joined
    std::vector<Centre> centres;
    // term sets that had to be matched in all searches, to tell how well the bounds work
    int64_t matched = 0;
};

// `order` is the sequence in which term sets are taken as seeds, and in which ties are decided; `owner` numbers people from 0.
// Groups that keep at least `promising` percent of their words are formed first, the others of those that are left; 0 is the printed order.
// Throws Infeasible where no k owners can be brought together.
Clusters cluster_term_sets(const Rows& term_sets, std::span<const int64_t> order, std::span<const int64_t> owner, const TermDistance& terms,
                           int64_t k, int64_t promising, Task& task);

// The same by the paper's first model: as many terms as possible are matched, and only their distances count. All term sets are compared.
// `terms.omega` must exceed the sum of the largest distances (eps) of all terms of a term set, so that matching one more always pays.
Clusters cluster_by_matched_terms(const Rows& term_sets, std::span<const int64_t> order, std::span<const int64_t> owner,
                                  const TermDistance& terms, int64_t k, int64_t promising, Task& task);

// The centre of these term sets, joined one after the other; `distances` receives how far each was from the centre it joined.
Centre joined_centre(const Rows& term_sets, std::span<const int64_t> members, const TermDistance& terms, std::vector<int64_t>& distances);

// The term set nearest to each of the given ones, itself left out; the first in case of ties.
std::vector<int64_t> nearest_term_sets(const Rows& term_sets, std::span<const int64_t> rows, const TermDistance& terms, Task& task);

}  // namespace shoal
