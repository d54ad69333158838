#include "cuts/minimal.hpp"

#include <numeric>

namespace shoal {

namespace {

using Sets = std::vector<std::vector<int32_t>>;

class Contained {
public:
    explicit Contained(const Sets& sets) : sets_(sets), order_(sets.size()) {
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, {}, [&](int32_t i) -> const std::vector<int32_t>& { return sets[i]; });
    }

    // Whether some other set is a part of this one.
    bool in(const std::vector<int32_t>& set) const { return any(order_, 0, set, 0); }

private:
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
    std::vector<int32_t> order_;
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
