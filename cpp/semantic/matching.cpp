#include "semantic/matching.hpp"

#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "base/parallel.hpp"

namespace shoal {

int64_t Matcher::distance(const TermSet& a, const TermSet& b, Way way) {
    const int64_t settled = gather(a, b);
    const Way fit = fitting();
    if (way == Way::choose) way = fit;
    if (way == Way::level && fit != Way::level) throw std::invalid_argument("terms on one level");
    if (way == Way::slopes && (terms_.wu_palmer || fit == Way::matching))
        throw std::invalid_argument("path lengths and a threshold that does not bind");
    if (way == Way::matching) return settled + by_matching();
    span_tree();
    return settled + (way == Way::level ? by_level() : by_slopes());
}

// Merges both sides in preorder. TermDistance related to themselves only are settled at once, and their cost returned.
int64_t Matcher::gather(const TermSet& a, const TermSet& b) {
    places_.clear();
    int64_t settled = 0;
    for (std::size_t i = 0, j = 0; i < a.nodes.size() || j < b.nodes.size();) {
        const bool from_a = j == b.nodes.size() || (i < a.nodes.size() && a.nodes[i] <= b.nodes[j]);
        Place place{from_a ? a.nodes[i] : b.nodes[j]};
        if (i < a.nodes.size() && a.nodes[i] == place.node) place.a = a.counts[i++];
        if (j < b.nodes.size() && b.nodes[j] == place.node) place.b = b.counts[j++];
        if (terms_.far(place.node))
            settled += terms_.omega * std::abs(int64_t{place.a} - place.b);
        else
            places_.push_back(place);
    }
    return settled;
}

Way Matcher::fitting() const {
    int64_t lowest = 0, highest = kUnrelated;
    for (const Place& p : places_) {
        lowest = std::max(lowest, terms_.level[p.node]);
        highest = std::min(highest, terms_.level[p.node]);
    }
    if (places_.empty() || lowest == highest) return Way::level;
    const bool all_relevant = terms_.eps >= 2 * (lowest - 1) * terms_.units;
    return !terms_.wu_palmer && (terms_.eps >= 2 * terms_.omega || all_relevant) ? Way::slopes : Way::matching;
}

// The tree that the places span: themselves and the meeting points of neighbours, in preorder, each with the place above it.
void Matcher::span_tree() {
    spanned_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        spanned_.push_back(places_[i]);
        if (i > 0) spanned_.push_back({terms_.ancestor(places_[i - 1].node, places_[i].node)});
    }
    std::ranges::stable_sort(spanned_, {}, &Place::node);
    std::size_t kept = 0;
    for (const Place& p : spanned_) {
        if (kept > 0 && spanned_[kept - 1].node == p.node)
            spanned_[kept - 1].a += p.a, spanned_[kept - 1].b += p.b;
        else
            spanned_[kept++] = p;
    }
    spanned_.resize(kept);
    above_.assign(kept, -1);
    path_.clear();
    for (std::size_t i = 0; i < kept; ++i) {
        while (!path_.empty() && !terms_.covers(spanned_[path_.back()].node, spanned_[i].node)) path_.pop_back();
        if (!path_.empty()) above_[i] = path_.back();
        path_.push_back(static_cast<int32_t>(i));
    }
}

// From the leaves up, whatever can still be matched below a node is matched there: no pair gets a better chance further up, and
// the number of pairs inside every subtree is as large as it can be.
int64_t Matcher::by_level() {
    if (places_.empty()) return 0;
    const int64_t level = terms_.level[places_.front().node], dearest = std::min(terms_.eps, 2 * terms_.omega);
    int64_t total = 0;
    for (std::size_t i = spanned_.size(); i-- > 0;) {
        Place& p = spanned_[i];
        const int64_t cost = terms_.of_levels(level, level, terms_.level[p.node]);
        if (cost <= dearest) {
            const int32_t pairs = std::min(p.a, p.b);
            total += pairs * cost;
            p.a -= pairs;
            p.b -= pairs;
        }
        if (above_[i] < 0)
            total += terms_.omega * (int64_t{p.a} + p.b);
        else
            spanned_[above_[i]].a += p.a, spanned_[above_[i]].b += p.b;
    }
    return total;
}

void Matcher::Segments::add(int64_t slope, int32_t width) {
    heap.emplace_back(slope - offset, width);
    std::ranges::push_heap(heap, std::greater<>());
}

void Matcher::Segments::shrink(int32_t width) {
    if ((heap.front().second -= width) > 0) return;
    std::ranges::pop_heap(heap, std::greater<>());
    heap.pop_back();
}

// Costs of independent subtrees add up by infimal convolution: their slopes are thrown together, the smaller heap into the
// larger.
void Matcher::Surplus::absorb(Surplus& child) {
    at_zero += child.at_zero;
    for (const auto side : {&Surplus::more, &Surplus::fewer}) {
        Segments &mine = this->*side, &other = child.*side;
        if (mine.heap.size() < other.heap.size()) std::swap(mine, other);
        for (const auto& [slope, width] : other.heap) mine.add(slope + other.offset, width);
        other.heap.clear();
    }
    settle();
}

// Sending one more and one fewer at once changes nothing but the cost: done wherever it saves.
void Matcher::Surplus::settle() {
    while (!more.heap.empty() && !fewer.heap.empty() && more.best() + fewer.best() < 0) {
        const int64_t up = more.best(), down = fewer.best();
        const int32_t width = std::min(more.heap.front().second, fewer.heap.front().second);
        at_zero += (up + down) * width;
        more.shrink(width);
        fewer.shrink(width);
        more.add(-down, width);
        fewer.add(-up, width);
    }
}

int64_t Matcher::by_slopes() {
    std::vector<Surplus> below(spanned_.size());
    for (std::size_t i = spanned_.size(); i-- > 0;) {
        const Place& p = spanned_[i];
        Surplus own;
        own.at_zero = terms_.omega * (int64_t{p.a} + p.b);
        if (p.a > 0) own.more.add(-terms_.omega, p.a);
        if (p.b > 0) own.fewer.add(-terms_.omega, p.b);
        below[i].absorb(own);
        if (above_[i] < 0) return below[i].at_zero;
        const int64_t edge = (terms_.level[p.node] - terms_.level[spanned_[above_[i]].node]) * terms_.units;
        below[i].more.offset += edge;
        below[i].fewer.offset += edge;
        below[above_[i]].absorb(below[i]);
    }
    return 0;
}

int64_t Matcher::by_matching() {
    const int64_t nil = 2 * terms_.omega;
    edges_.clear();
    supply_.clear();
    capacity_.clear();
    int64_t length = 0;
    for (const Place& p : places_) {
        length += int64_t{p.a} + p.b;
        if (p.b > 0) capacity_.push_back(p.b);
    }
    for (const Place& p : places_) {
        if (p.a == 0) continue;
        int32_t column = 0;
        for (const Place& q : places_) {
            if (q.b == 0) continue;
            const int64_t cost = terms_.between(p.node, q.node);
            if (cost <= terms_.eps && cost <= nil) edges_.push_back({static_cast<int32_t>(supply_.size()), column, cost});
            ++column;
        }
        supply_.push_back(p.a);
    }
    return terms_.omega * length - transport_.solve(edges_, supply_, capacity_, nil);
}

std::vector<int64_t> term_set_distances(const Rows& left, const Rows& right, std::span<const int64_t> left_rows,
                                        std::span<const int64_t> right_rows, const TermDistance& terms, Way way, int threads, Task& task) {
    const int64_t n = static_cast<int64_t>(left_rows.size());
    std::vector<int64_t> out(n);
    task.begin(n);
    parallel_blocks(n, 256, threads, task, [&](int64_t begin, int64_t end, int) {
        Matcher matcher(terms);
        for (int64_t i = begin; i < end; ++i) out[i] = matcher.distance(term_set(left, left_rows[i]), term_set(right, right_rows[i]), way);
    });
    return out;
}

std::vector<int64_t> nearest_distances(const Rows& left, const Rows& right, const TermDistance& terms, int threads, Task& task) {
    std::vector<int64_t> out(left.size(), kUnrelated), length(right.size());
    for (int64_t j = 0; j < right.size(); ++j) length[j] = right.length(j);
    task.begin(left.size());
    parallel_blocks(left.size(), 8, threads, task, [&](int64_t begin, int64_t end, int) {
        Matcher matcher(terms);
        for (int64_t i = begin; i < end; ++i) {
            const TermSet mine = term_set(left, i);
            const int64_t own = mine.length();
            // unequal lengths leave at least the difference without a partner
            for (int64_t j = 0; j < right.size() && out[i] > 0; ++j)
                if (terms.omega * std::abs(own - length[j]) < out[i]) out[i] = std::min(out[i], matcher.distance(mine, term_set(right, j)));
        }
    });
    return out;
}

std::vector<int64_t> term_distances(std::span<const int32_t> left, std::span<const int32_t> right, const TermDistance& terms) {
    std::vector<int64_t> out(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) out[i] = terms.between(left[i], right[i]);
    return out;
}

}  // namespace shoal
