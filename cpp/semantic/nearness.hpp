// Which term sets may be near a centre: the places from which a term can match a bag, and an inverted index of terms by place.
//
// A term lies `drop` levels below each of its ancestors. For a bag of terms, let p be the lowest ancestor of a term that is also
// above (or in) the bag; the distance from the term to every term of the bag depends on p and the drop below it alone. So what is
// relevant to a bag are a few (node, drop) pairs, its reach, and the term sets that hold such a term are a few lists of the
// index. Seen over a higher ancestor the same term only looks dearer: taking places by rising cost, the first hit is the true
// least cost.
#pragma once

#include "semantic/matching.hpp"

namespace shoal {

// One term of each member in the order they joined (a hyper term of the paper), `copies` times.
struct HyperTerm {
    std::vector<int32_t> terms;
    int32_t copies;
};

// A place from which terms match a bag: `drop` levels below `node`, at this cost.
struct Reach {
    int32_t node;
    int32_t drop;
    int64_t cost;
};

// How many levels below an ancestor a term can still be relevant to anything that this ancestor links it to.
int32_t deepest_drop(const TermDistance& terms);

// All places from which a term is relevant to every term of the bag and costs no more than `dearest`, the cheapest first.
void reach_of(const std::vector<int32_t>& bag, const TermDistance& terms, int32_t deepest, int64_t dearest, std::vector<Reach>& out);

class Index {
public:
    struct Posting {
        int32_t row;
        int32_t count;
    };

    // Indexes the rows that are alive (all, where no flags are given); lists are in rising order of rows.
    void build(const Rows& term_sets, std::span<const uint8_t> alive, const TermDistance& terms, int32_t deepest, Task& task);

    // The rows from `first` to before `last` that hold a term at this place.
    std::span<const Posting> list(const Reach& at, int64_t first, int64_t last) const {
        const std::size_t key = static_cast<std::size_t>(at.node) * width_ + at.drop;
        const std::span<const Posting> all(postings_.data() + start_[key], static_cast<std::size_t>(end_[key] - start_[key]));
        const auto row = &Posting::row;
        const auto begin = std::ranges::lower_bound(all, first, {}, row);
        return {begin, std::ranges::lower_bound(begin, all.end(), last, {}, row)};
    }

private:
    int32_t width_ = 1;
    std::vector<int64_t> start_, end_;
    std::vector<Posting> postings_;
};

}  // namespace shoal
