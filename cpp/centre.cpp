#include "centre.hpp"

namespace shoal {

namespace {

constexpr std::size_t kManyPairs = 4096;  // from here on a near-linear distance beats listing all relevant pairs

}  // namespace

Centre Centre::of(const Vocabulary& v) {
    Centre c;
    c.members = 1;
    for (std::size_t i = 0; i < v.nodes.size(); ++i) c.bags.push_back({{v.nodes[i]}, v.counts[i]});
    return c;
}

void Comparison::aim(const Centre& centre) {
    forget();
    centre_ = &centre;
    size_ = centre.size();
    if (reach_.size() < centre.bags.size()) reach_.resize(centre.bags.size());
    for (std::size_t b = 0; b < centre.bags.size(); ++b) {
        const HyperTerm& bag = centre.bags[b];
        copies_.push_back(bag.copies);
        nodes_.push_back(bag.terms.front());
        reach_of(bag.terms, terms_, deepest_, 2 * price(), reach_[b]);
        for (const Reach& r : reach_[b]) {
            int64_t& least = cheapest_[static_cast<std::size_t>(r.node) * (deepest_ + 1) + r.drop];
            least = std::min(least, r.cost);
            links_.push_back({head_[r.node], r.drop, static_cast<int32_t>(b), r.cost});
            head_[r.node] = static_cast<int32_t>(links_.size()) - 1;
        }
    }
    seen_.assign(centre.bags.size(), -1);
}

void Comparison::forget() {
    for (std::size_t b = 0; b < copies_.size(); ++b)
        for (const Reach& r : reach_[b]) {
            head_[r.node] = -1;
            cheapest_[static_cast<std::size_t>(r.node) * (deepest_ + 1) + r.drop] = kUnrelated;
        }
    links_.clear();
    copies_.clear();
    nodes_.clear();
}

// Climbing from a term, the first place that reaches a bag is the lowest common one and tells the true cost.
void Comparison::find_edges(const Vocabulary& v) {
    edges_.clear();
    std::ranges::fill(seen_, -1);
    for (int32_t i = 0; i < static_cast<int32_t>(v.nodes.size()); ++i) {
        const int64_t level = terms_.level[v.nodes[i]];
        for (int32_t node = v.nodes[i]; node >= 0 && level - terms_.level[node] <= deepest_; node = terms_.parent[node])
            for (int32_t at = head_[node]; at >= 0; at = links_[at].next) {
                const Link& link = links_[at];
                if (link.drop != level - terms_.level[node] || seen_[link.bag] == i) continue;
                seen_[link.bag] = i;
                edges_.push_back({link.bag, i, link.cost});
            }
    }
}

// No term is matched more often than it occurs, nor is a bag: each side alone bounds what matching can save.
int64_t Comparison::most_saved_by_terms(const Vocabulary& v) const {
    const int64_t nil = 2 * price();
    int64_t total = 0;
    for (std::size_t i = 0; i < v.nodes.size(); ++i) {
        const int64_t level = terms_.level[v.nodes[i]];
        int64_t least = nil;
        for (int32_t node = v.nodes[i]; node >= 0 && level - terms_.level[node] <= deepest_; node = terms_.parent[node])
            least = std::min(least, cheapest_[static_cast<std::size_t>(node) * (deepest_ + 1) + (level - terms_.level[node])]);
        total += v.counts[i] * (nil - least);
    }
    return total;
}

int64_t Comparison::most_saved_by_bags() {
    const int64_t nil = 2 * price();
    best_.assign(copies_.size(), 0);
    for (const Edge& e : edges_) best_[e.row] = std::max(best_[e.row], nil - e.cost);
    int64_t total = 0;
    for (std::size_t b = 0; b < copies_.size(); ++b) total += copies_[b] * best_[b];
    return total;
}

int64_t Comparison::distance(const Vocabulary& v, int64_t limit) {
    const int64_t unmatched = price() * (size_ + v.length());
    if (const int64_t least = unmatched - most_saved_by_terms(v); least > limit) return least;
    if (centre_->members == 1 && nodes_.size() * v.nodes.size() > kManyPairs && matcher_.way({nodes_, copies_}, v) != Way::matching)
        return matcher_.distance({nodes_, copies_}, v);
    find_edges(v);
    if (const int64_t least = unmatched - most_saved_by_bags(); least > limit) return least;
    return unmatched - assignment_.solve(edges_, copies_, v.counts, 2 * price());
}

Centre Comparison::joined(const Vocabulary& v) {
    find_edges(v);
    assignment_.solve(edges_, copies_, v.counts, 2 * price());
    Centre out;
    out.members = centre_->members + 1;
    for (const Edge& e : edges_) {
        if (e.flow == 0) continue;
        HyperTerm bag = centre_->bags[e.row];
        bag.terms.push_back(v.nodes[e.column]);
        bag.copies = e.flow;
        out.bags.push_back(std::move(bag));
    }
    return out;
}

}  // namespace shoal
