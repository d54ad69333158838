#include "cuts/minimal.hpp"

#include <numeric>

namespace shoal {

namespace {

using Sets = std::vector<std::vector<int32_t>>;

class Contained {
public:
    explicit Contained(const Sets& sets) : sets_(sets), order_(sets.size()) {
        for (const auto& set : sets) {
            if (begins_.size() < static_cast<std::size_t>(set.front()) + 2) begins_.resize(static_cast<std::size_t>(set.front()) + 2, 0);
            ++begins_[set.front() + 1];
        }
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        std::vector<int64_t> next = begins_;
        for (std::size_t i = 0; i < sets.size(); ++i) order_[next[sets[i].front()]++] = static_cast<int32_t>(i);
        for (int32_t first = 0; first + 1 < static_cast<int32_t>(begins_.size()); ++first)
            std::ranges::sort(beginning_with(first), {}, [&](int32_t i) -> const std::vector<int32_t>& { return sets[i]; });
    }

    // Whether some other set is a part of this one.
    bool in(const std::vector<int32_t>& set) const {
        for (std::size_t at = 0; at < set.size(); ++at) {
            if (set[at] + 1 >= static_cast<int32_t>(begins_.size())) return false;
            const auto here = beginning_with(set[at]);
            if (!here.empty() && sets_[here.front()].size() == 1 && set.size() > 1) return true;
            if (any(here, 1, set, at + 1)) return true;
        }
        return false;
    }

private:
    std::span<int32_t> beginning_with(int32_t node) {
        return std::span(order_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
    }
    std::span<const int32_t> beginning_with(int32_t node) const {
        return std::span(order_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
    }

    // Whether one of these sets, which have their first `depth` nodes in common with `set`, has its others among those from `at` on.
    bool any(std::span<const int32_t> sets, std::size_t depth, const std::vector<int32_t>& set, std::size_t at) const {
        for (; at < set.size(); ++at) {
            const auto here = std::ranges::equal_range(sets, set[at], {}, [&](int32_t i) { return node(i, depth); });
            if (here.empty()) continue;
            const std::size_t shortest = sets_[here.front()].size();  // it stands before those that begin with it
            if (shortest == depth + 1 && shortest < set.size()) return true;
            if (any(here, depth + 1, set, at + 1)) return true;
        }
        return false;
    }

    int32_t node(int32_t i, std::size_t depth) const { return depth < sets_[i].size() ? sets_[i][depth] : no_node; }

    const Sets& sets_;
    std::vector<int32_t> order_;   // by their nodes
    std::vector<int64_t> begins_;  // where the sets with each first node begin
};

}  // namespace

void keep_minimal(RareFound& found) {
    constexpr std::size_t short_enough = 2;
    if (std::ranges::all_of(found.sets, [](const auto& set) { return set.size() <= short_enough; })) return;
    const Contained contained(found.sets);
    std::vector<int32_t> place(found.sets.size(), -1);
    int32_t kept = 0;
    for (std::size_t i = 0; i < place.size(); ++i)
        if (found.sets[i].size() <= short_enough || !contained.in(found.sets[i])) place[i] = kept++;
    for (std::size_t i = 0; i < place.size(); ++i)
        if (place[i] >= 0 && place[i] != static_cast<int32_t>(i)) found.sets[place[i]] = std::move(found.sets[i]);
    found.sets.resize(kept);
    std::erase_if(found.holdings, [&](const auto& holding) { return place[holding.set] < 0; });
    for (auto& holding : found.holdings) holding.set = place[holding.set];
}

}  // namespace shoal
