// The distance of two term sets: the least sum of distances over a matching of their terms, omega for each term left without a
// partner, and no pair further apart than eps (Liu and Wang, ICDM'10, the model with nil terms).
//
// Three ways, all exact; the cheapest that applies is taken:
//   level     all terms lie on one level: matching greedily from the leaves up is optimal, whatever eps and omega
//   slopes    path length, and eps bars no pair worth matching: a convex function per subtree, kept as its slopes
//   matching  everything else: minimum-cost transport per connected component of the relevant pairs
#pragma once

#include "base/task.hpp"
#include "semantic/term_distance.hpp"
#include "semantic/transport.hpp"

namespace shoal {

enum class Way : int32_t { choose, level, slopes, matching };

// One term set: distinct terms in preorder, each with its count.
struct TermSet {
    std::span<const int32_t> nodes;
    std::span<const int32_t> counts;

    int64_t length() const {
        int64_t total = 0;
        for (int32_t c : counts) total += c;
        return total;
    }
};

inline TermSet term_set(const Rows& rows, int64_t i) { return {rows.row_ids(i), rows.row_counts(i)}; }

class Matcher {
public:
    explicit Matcher(const TermDistance& terms) : terms_(terms) {}

    // In units. Throws std::invalid_argument where the way asked for is not exact for these two.
    int64_t distance(const TermSet& a, const TermSet& b, Way way = Way::choose);

    // Which way would be taken for these two.
    Way way(const TermSet& a, const TermSet& b) {
        gather(a, b);
        return fitting();
    }

private:
    struct Place {  // a term of either side, or the meeting point of two
        int32_t node;
        int32_t a = 0;
        int32_t b = 0;
    };
    struct Segments {  // slopes on one side of zero, the most welcome first; each is stored less `offset`
        std::vector<std::pair<int64_t, int32_t>> heap;
        int64_t offset = 0;

        void add(int64_t slope, int32_t width);
        void shrink(int32_t width);
        int64_t best() const { return heap.front().first + offset; }
    };
    struct Surplus {  // a subtree's least cost as a function of how many more terms of a than of b it sends up
        int64_t at_zero = 0;
        Segments more, fewer;

        void absorb(Surplus& child);
        void settle();
    };

    int64_t gather(const TermSet& a, const TermSet& b);
    Way fitting() const;
    void span_tree();
    int64_t by_level();
    int64_t by_slopes();
    int64_t by_matching();

    const TermDistance& terms_;
    std::vector<Place> places_;  // in preorder, without the terms that are related to themselves only
    std::vector<Place> spanned_;
    std::vector<int32_t> above_, path_;
    Transport transport_;
    std::vector<Edge> edges_;
    std::vector<int32_t> supply_, capacity_;
};

// Distances of pairs of rows.
std::vector<int64_t> term_set_distances(const Rows& left, const Rows& right, std::span<const int64_t> left_rows,
                                        std::span<const int64_t> right_rows, const TermDistance& terms, Way way, int threads, Task& task);

// For each row of `left`, the least distance to any row of `right`, of which there is at least one.
std::vector<int64_t> nearest_distances(const Rows& left, const Rows& right, const TermDistance& terms, int threads, Task& task);

// Distances of pairs of terms; kUnrelated where nothing relates them.
std::vector<int64_t> term_distances(std::span<const int32_t> left, std::span<const int32_t> right, const TermDistance& terms);

}  // namespace shoal
