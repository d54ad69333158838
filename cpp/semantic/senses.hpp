// Terms with several senses in a graph of hypernyms, and how alike two terms, or two lists of terms, are.
//
// A term is a row of nodes: those at or above any of its senses, each with the least level of a sense below it. Wu and Palmer's similarity
// of two senses is 2 level(c) / (level + level), c being their common node on the deepest level; levels are lengths of longest paths, so
// that a node lies deeper than all above it. The largest over all pairs of senses is the largest over all common nodes of the two rows.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"
#include "semantic/assignment.hpp"

namespace shoal {

constexpr int32_t kDeepest = 20;                   // the level of the deepest noun of WordNet; the root's is 1
constexpr int64_t kAlike = 2'671'465'728'531'600;  // the similarity of a term with itself: half of the least common multiple of 1 to 40

struct Senses {
    Rows terms;                      // nodes and least levels
    std::span<const int32_t> level;  // of nodes
};

// The similarity of two terms in units of 1 / kAlike, and the common node it is due to: the deepest of several, of these the first; -1:
// none.
struct Likeness {
    int64_t similarity = 0;
    int32_t common = -1;
};

Likeness likeness(const Senses& senses, int32_t a, int32_t b);

// For two lists of terms the one-to-one matching of the largest total similarity.
struct TermMatching {
    std::vector<int32_t> partner;  // for each term of the first list its place in the second, -1 where none is left
    std::vector<int32_t> common;   // the node the two have in common, -1 where there is none
    int64_t similarity = 0;        // of all pairs together
};

TermMatching match_terms(const Senses& senses, std::span<const int32_t> a, std::span<const int32_t> b);

// The total similarity of every two rows of terms, row by row as a square.
std::vector<int64_t> matched_similarities(const Senses& senses, const Rows& documents, int threads, Task& task);

}  // namespace shoal
