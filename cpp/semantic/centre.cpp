#include "semantic/centre.hpp"

#include <limits>

namespace shoal {

namespace {

constexpr std::size_t kManyPairs = 40000;  // from here on, relevant pairs are no longer listed one by one

}  // namespace

Centre Centre::of(const TermSet& v) {
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
            int64_t& least = cheapest_[key(r.node, r.drop)];
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
            cheapest_[key(r.node, r.drop)] = kUnrelated;
        }
    links_.clear();
    copies_.clear();
    nodes_.clear();
}

bool Comparison::large(const TermSet& v) const { return nodes_.size() * v.nodes.size() > kManyPairs; }

// The places a term is seen from, the lowest first: itself and its ancestors, as far as anything can be relevant.
template <class Visit>
void Comparison::visit_places(int32_t term, Visit&& visit) const {
    const int64_t level = terms_.level[term];
    for (int32_t node = term; node >= 0 && level - terms_.level[node] <= deepest_; node = terms_.parent[node])
        visit(node, level - terms_.level[node]);
}

// Climbing from a term, the first place that reaches a bag is the lowest common one and tells the true cost.
void Comparison::find_edges(const TermSet& v) {
    edges_.clear();
    std::ranges::fill(seen_, -1);
    for (int32_t i = 0; i < static_cast<int32_t>(v.nodes.size()); ++i)
        visit_places(v.nodes[i], [&](int32_t node, int64_t drop) {
            for (int32_t at = head_[node]; at >= 0; at = links_[at].next) {
                const Link& link = links_[at];
                if (link.drop != drop || seen_[link.bag] == i) continue;
                seen_[link.bag] = i;
                edges_.push_back({link.bag, i, link.cost});
            }
        });
}

// The same matching as a flow from bags over places to terms: as many arcs as there are places, however many pairs they link.
// Returns what it saves.
int64_t Comparison::match_over_places(const TermSet& v) {
    std::vector<std::pair<std::size_t, int32_t>> seen;  // place, term
    for (int32_t i = 0; i < static_cast<int32_t>(v.nodes.size()); ++i)
        visit_places(v.nodes[i], [&](int32_t node, int64_t drop) {
            if (cheapest_[key(node, drop)] < kUnrelated) seen.emplace_back(key(node, drop), i);
        });
    std::ranges::sort(seen);
    std::vector<std::size_t> places;
    for (const auto& [place, term] : seen)
        if (places.empty() || places.back() != place) places.push_back(place);
    const auto bags = static_cast<int32_t>(copies_.size()), middle = static_cast<int32_t>(places.size());
    const int32_t items = bags + middle, sink = items + static_cast<int32_t>(v.nodes.size());
    const int32_t unlimited = std::numeric_limits<int32_t>::max();
    Flow flow(sink + 1);
    Ends into(middle), out(middle);
    for (int32_t b = 0; b < bags; ++b) {
        flow.arc(b, sink, unlimited, 2 * price());
        for (const Reach& r : reach_[b]) {
            const auto at = std::ranges::lower_bound(places, key(r.node, r.drop));
            if (at == places.end() || *at != key(r.node, r.drop)) continue;
            const auto place = static_cast<int32_t>(at - places.begin());
            into[place].emplace_back(flow.arc(b, bags + place, unlimited, r.cost), b);
        }
    }
    for (const auto& [where, term] : seen) {
        const auto place = static_cast<int32_t>(std::ranges::lower_bound(places, where) - places.begin());
        out[place].emplace_back(flow.arc(bags + place, items + term, unlimited, 0), term);
    }
    for (std::size_t i = 0; i < v.nodes.size(); ++i) flow.arc(items + static_cast<int32_t>(i), sink, v.counts[i], 0);
    for (int32_t b = 0; b < bags; ++b) flow.send(b, sink, copies_[b]);
    pair_up(flow, into, out);
    return 2 * price() * size_ - flow.cost();
}

// Reads pairs off the flow: at every place what comes in from bags, in their order, goes out to terms, in theirs.
void Comparison::pair_up(const Flow& flow, const Ends& into, const Ends& out) {
    edges_.clear();
    for (std::size_t place = 0; place < into.size(); ++place) {
        auto term = out[place].begin();
        int32_t room = term == out[place].end() ? 0 : flow.sent(term->first);
        for (const auto& [arc, bag] : into[place])
            for (int32_t left = flow.sent(arc); left > 0;) {
                while (room == 0) room = flow.sent((++term)->first);
                const int32_t width = std::min(left, room);
                edges_.push_back({bag, term->second, 0, width});
                left -= width;
                room -= width;
            }
    }
    std::ranges::sort(edges_, {}, [](const Edge& e) { return std::pair(e.row, e.column); });
}

// No term is matched more often than it occurs, nor is a bag: each side alone bounds what matching can save.
int64_t Comparison::most_saved_by_terms(const TermSet& v) const {
    const int64_t nil = 2 * price();
    int64_t total = 0;
    for (std::size_t i = 0; i < v.nodes.size(); ++i) {
        int64_t least = nil;
        visit_places(v.nodes[i], [&](int32_t node, int64_t drop) { least = std::min(least, cheapest_[key(node, drop)]); });
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

int64_t Comparison::distance(const TermSet& v, int64_t limit) {
    const int64_t unmatched = price() * (size_ + v.length());
    if (const int64_t least = unmatched - most_saved_by_terms(v); least > limit) return least;
    if (large(v)) {
        const bool near_linear = centre_->members == 1 && matcher_.way({nodes_, copies_}, v) != Way::matching;
        return near_linear ? matcher_.distance({nodes_, copies_}, v) : unmatched - match_over_places(v);
    }
    find_edges(v);
    if (const int64_t least = unmatched - most_saved_by_bags(); least > limit) return least;
    return unmatched - transport_.solve(edges_, copies_, v.counts, 2 * price());
}

Centre Comparison::joined(const TermSet& v) {
    if (large(v)) {
        match_over_places(v);
    } else {
        find_edges(v);
        transport_.solve(edges_, copies_, v.counts, 2 * price());
    }
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
