// The sets found so far, as a tree: a set of size j is a node at level j, below the set without its last item. Items are ranks.
#pragma once

#include <algorithm>

#include "itemsets/itemsets.hpp"

namespace shoal {

struct Level {
    std::vector<int32_t> item;   // the last item of each set
    std::vector<int32_t> bound;  // no private item is held by more records of the set's cohort
    std::vector<int64_t> first;  // where the sets that extend each begin in the next level; one entry more than sets

    int64_t size() const { return static_cast<int64_t>(item.size()); }
};

class SetTree {
public:
    SetTree() : levels_(1) {  // level 0 holds the empty set
        levels_[0].item = {-1};
        levels_[0].bound = {0};
    }
    int64_t depth() const { return static_cast<int64_t>(levels_.size()) - 1; }
    const Level& level(int64_t j) const { return levels_[j]; }
    const Level& deepest() const { return levels_.back(); }

    // Adds the next level; `children[m]` of its sets extend set m of the level above.
    void grow(Level&& next, std::span<const int64_t> children) {
        auto& first = levels_.back().first;
        first.assign(children.size() + 1, 0);
        for (std::size_t m = 0; m < children.size(); ++m) first[m + 1] = first[m] + children[m];
        levels_.push_back(std::move(next));
    }

    // The items of a set, in rank order.
    void path(int64_t level, int64_t set, std::vector<int32_t>& items) const {
        items.resize(level);
        for (int64_t j = level; j > 0; --j) {
            items[j - 1] = levels_[j].item[set];
            const auto& first = levels_[j - 1].first;
            set = std::upper_bound(first.begin(), first.end(), set) - first.begin() - 1;
        }
    }

    // Where the sets that extend a set lie in the next level.
    std::pair<int64_t, int64_t> extensions(int64_t level, int64_t set) const {
        return {levels_[level].first[set], levels_[level].first[set + 1]};
    }

    // The set of these items, all of whose subsets are known to be here.
    template <class Items>
    int64_t find(const Items& items) const {
        int64_t set = 0, level = 0;
        for (int32_t item : items) {
            const auto [begin, end] = extensions(level++, set);
            const auto& here = levels_[level].item;
            set = std::lower_bound(here.begin() + begin, here.begin() + end, item) - here.begin();
        }
        return set;
    }

private:
    std::vector<Level> levels_;
};

}  // namespace shoal
