#include "semantic/leftovers.hpp"

#include <functional>

namespace shoal {

namespace {

__extension__ using Wide = __int128;

// Is a / a_members less than, or equal and earlier than, b / b_members?
bool nearer(int64_t a, int64_t a_members, int64_t a_at, int64_t b, int64_t b_members, int64_t b_at) {
    const Wide left = static_cast<Wide>(a) * b_members, right = static_cast<Wide>(b) * a_members;
    return left < right || (left == right && a_at < b_at);
}

}  // namespace

Leftovers::Leftovers(const std::vector<Centre>& centres, const TermDistance& terms, Task& task)
    : centres_(centres),
      terms_(terms),
      deepest_(deepest_drop(terms)),
      credits_(static_cast<int64_t>(centres.size())),
      size_(centres.size()) {
    OwnedRows first;
    first.indptr.push_back(0);
    for (std::size_t c = 0; c < centres.size(); ++c) {
        changed(static_cast<int64_t>(c));
        for (const HyperTerm& bag : centres[c].bags) {
            const bool begun = static_cast<int64_t>(first.ids.size()) > first.indptr.back();
            const bool known = begun && first.ids.back() == bag.terms.front();
            if (known) {
                first.counts.back() += bag.copies;
            } else {
                first.ids.push_back(bag.terms.front());
                first.counts.push_back(bag.copies);
            }
        }
        first.indptr.push_back(static_cast<int64_t>(first.ids.size()));
    }
    index_.build(first.view(), {}, terms, deepest_, task);
}

void Leftovers::changed(int64_t centre) {
    size_[centre] = centres_[centre].size();
    most_members_ = std::max(most_members_, centres_[centre].members);
}

// Least distances per `most_members_`: a term's distance to a bag is at least that to the bag's first term.
void Leftovers::collect(const TermSet& v) {
    const int64_t price = most_members_ * terms_.omega, length = v.length();
    for (std::size_t i = 0; i < v.nodes.size(); ++i) {
        reach_of({v.nodes[i]}, terms_, deepest_, kUnrelated - 1, reach_);
        credits_.credit(index_, reach_, v.counts[i], 2 * price, 0, static_cast<int64_t>(size_.size()));
    }
    candidates_.clear();
    for (std::size_t c = 0; c < size_.size(); ++c) {
        const int64_t most = std::min(credits_.saving(c), 2 * price * std::min(size_[c], length));
        candidates_.push_back({price * (size_[c] + length) - most, static_cast<int64_t>(c)});
    }
    credits_.clear();
    std::ranges::make_heap(candidates_, std::greater<>());
}

int64_t Leftovers::nearest(const TermSet& v, Comparison& comparison) {
    collect(v);
    int64_t best = kUnrelated, members = 1, at = static_cast<int64_t>(centres_.size());
    while (!candidates_.empty()) {
        const auto [least, c] = candidates_.front();
        if (!nearer(least, most_members_, c, best, members, at)) break;
        comparison.aim(centres_[c]);
        const int64_t distance = comparison.distance(v, kUnrelated);
        ++matched_;
        if (nearer(distance, centres_[c].members, c, best, members, at)) best = distance, members = centres_[c].members, at = c;
        std::ranges::pop_heap(candidates_, std::greater<>());
        candidates_.pop_back();
    }
    comparison.aim(centres_[at]);
    return at;
}

}  // namespace shoal
