#include "cuts/minimal.hpp"

namespace shoal {

namespace {

// Sets that may be a part of another one, in the order of their nodes. All are found: they are shorter than the longest.
class Contained {
public:
    Contained(const NodeSets& sets, std::size_t longest, const Task& task) : sets_(sets) {
        // Sorted in parts, those of each first node, so that it can be cancelled.
        std::vector<std::vector<int32_t>> of_first;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (sets[i].size() >= longest) continue;
            const auto first = static_cast<std::size_t>(sets[i].front());
            if (of_first.size() <= first) of_first.resize(first + 1);
            of_first[first].push_back(static_cast<int32_t>(i));
        }
        for (auto& part : of_first) {
            task.check();
            std::ranges::sort(part, [&](int32_t i, int32_t j) { return std::ranges::lexicographical_compare(sets[i], sets[j]); });
            begins_.push_back(order_.size());
            order_.insert(order_.end(), part.begin(), part.end());
        }
        begins_.push_back(order_.size());
    }

    // Whether some other set is a part of this one.
    bool in(std::span<const int32_t> set) const {
        for (std::size_t at = 0; at < set.size(); ++at) {
            const auto first = static_cast<std::size_t>(set[at]);
            if (first + 1 >= begins_.size()) return false;
            const auto here = std::span(order_).subspan(begins_[first], begins_[first + 1] - begins_[first]);
            if (here.empty()) continue;
            if (sets_[here.front()].size() == 1 && set.size() > 1) return true;
            if (any(here, 1, set, at + 1)) return true;
        }
        return false;
    }

private:
    // Whether one of these sets, which have their first `depth` nodes in common with `set`, has its others among those from `at` on.
    bool any(std::span<const int32_t> sets, std::size_t depth, std::span<const int32_t> set, std::size_t at) const {
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

    const NodeSets& sets_;
    std::vector<int32_t> order_;       // by their nodes
    std::vector<std::size_t> begins_;  // where the sets with each first node begin
};

std::size_t longest_of(const NodeSets& sets) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) longest = std::max(longest, sets[i].size());
    return longest;
}

}  // namespace

void keep_minimal(RareFound& found, const Task& task) {
    constexpr std::size_t short_enough = 2;
    const std::size_t longest = longest_of(found.sets);
    if (longest <= short_enough) return;
    const Contained contained(found.sets, longest, task);
    std::vector<uint8_t> minimal(found.sets.size(), 0);
    std::vector<int32_t> place(found.sets.size(), -1);
    int32_t kept = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
        task.check();
        minimal[i] = found.sets[i].size() <= short_enough || !contained.in(found.sets[i]);
        if (minimal[i]) place[i] = kept++;
    }
    found.sets.keep(minimal);
    std::erase_if(found.holdings, [&](const auto& holding) { return place[holding.set] < 0; });
    for (auto& holding : found.holdings) holding.set = place[holding.set];
}

}  // namespace shoal
