// The centre of a cluster: matched terms of all its members, found by matching one member after the other (the heuristic
// m-partite matching of Liu and Wang, section IV.B).
//
// A term costs the sum of its distances to a bag's terms and is relevant to the bag only if it is to each of them. With l members
// joined, a bag or a term left without a partner costs l * omega, so that distances keep one scale. Bags and terms that find no
// partner are dropped.
#pragma once

#include "semantic/flow.hpp"
#include "semantic/nearness.hpp"

namespace shoal {

struct Centre {
    std::vector<HyperTerm> bags;  // ordered by their terms
    int64_t members = 0;

    static Centre of(const TermSet& v);
    int64_t size() const {
        int64_t total = 0;
        for (const HyperTerm& b : bags) total += b.copies;
        return total;
    }
};

// A centre made ready to be compared with many term sets.
class Comparison {
public:
    Comparison(const TermDistance& terms, int32_t deepest)
        : terms_(terms),
          deepest_(deepest),
          matcher_(terms),
          head_(terms.parent.size(), -1),
          cheapest_(terms.parent.size() * (deepest + 1), kUnrelated) {}

    void aim(const Centre& centre);

    // The distance of centre and term set; where it exceeds `limit`, possibly only a lower bound that exceeds it too.
    int64_t distance(const TermSet& v, int64_t limit);

    // The centre once this term set has joined.
    Centre joined(const TermSet& v);

    const std::vector<Reach>& reach(std::size_t bag) const { return reach_[bag]; }
    int64_t price() const { return centre_->members * terms_.omega; }  // of a bag or term without a partner
    int64_t size() const { return size_; }

private:
    struct Link {  // one place of a bag's reach, chained over all that share its node
        int32_t next;
        int32_t drop;
        int32_t bag;
        int64_t cost;
    };

    void forget();
    bool large(const TermSet& v) const;
    void find_edges(const TermSet& v);
    // per place its arcs, and the bag or term at their other ends
    using Ends = std::vector<std::vector<std::pair<int32_t, int32_t>>>;
    int64_t match_over_places(const TermSet& v);
    void pair_up(const Flow& flow, const Ends& into, const Ends& out);
    std::size_t key(int32_t node, int64_t drop) const { return static_cast<std::size_t>(node) * (deepest_ + 1) + drop; }
    template <class Visit>
    void visit_places(int32_t term, Visit&& visit) const;
    int64_t most_saved_by_terms(const TermSet& v) const;
    int64_t most_saved_by_bags();

    const TermDistance& terms_;
    int32_t deepest_;
    const Centre* centre_ = nullptr;
    int64_t size_ = 0;
    Matcher matcher_;
    Transport transport_;
    std::vector<std::vector<Reach>> reach_;
    std::vector<int32_t> head_;      // per node, the first of its links
    std::vector<int64_t> cheapest_;  // per node and drop, the least cost to any bag
    std::vector<Link> links_;
    std::vector<int32_t> seen_;  // per bag, the last term it was found relevant to
    std::vector<Edge> edges_;
    std::vector<int32_t> copies_, nodes_;
    std::vector<int64_t> best_;
};

}  // namespace shoal
