// SSC: clusters of at least k vocabularies, grown one at a time around the nearest (Liu and Wang, ICDM'10, Algorithm 1).
//
// Only vocabularies that can win are matched: the index finds all that hold anything relevant to the centre and how much they
// could save at best; everything else costs l * omega for each bag and term, so of those the shortest wins.
#pragma once

#include "semantic/centre.hpp"

namespace shoal {

struct Clusters {
    std::vector<int64_t> group;                 // of each vocabulary
    std::vector<std::vector<int64_t>> members;  // of each cluster, in the order they joined
    std::vector<Centre> centres;
    // vocabularies that had to be matched in all searches, to tell how well the bounds work
    int64_t matched = 0;
};

// `order` is the sequence in which vocabularies are taken as seeds, and in which ties are decided; `owner` numbers people from 0.
// Throws std::domain_error where no k owners can be brought together.
Clusters cluster_vocabularies(const Rows& vocabularies, std::span<const int64_t> order, std::span<const int64_t> owner, const Terms& terms,
                              int64_t k, Task& task);

// The centre of these vocabularies, joined one after the other; `distances` receives how far each was from the centre it joined.
Centre joined_centre(const Rows& vocabularies, std::span<const int64_t> members, const Terms& terms, std::vector<int64_t>& distances);

// The vocabulary nearest to each of the given ones, itself left out; the first in case of ties.
std::vector<int64_t> nearest_vocabularies(const Rows& vocabularies, std::span<const int64_t> rows, const Terms& terms, Task& task);

}  // namespace shoal
