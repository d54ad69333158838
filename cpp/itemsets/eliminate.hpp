// Greedy weighted hitting set: which items to suppress so that no mole is left.
#pragma once

#include <queue>

#include "itemsets/mole_lists.hpp"

namespace shoal {

enum class MoleScore { per_loss, number, least_loss };  // MM/IL, MM and 1/IL of the paper

struct Elimination {
    std::vector<int64_t> items;    // in the order of their suppression
    std::vector<int64_t> removed;  // how many moles each of them removed
};

// An item that may be suppressed next, with the moles that it hits.
struct ScoredItem {
    int64_t moles;
    int64_t loss;
    int32_t item;
};

// Whether b is to be suppressed before a. Scores are compared as exact fractions. Ties: more moles, then less loss, then the lower number.
struct SuppressedLater {
    MoleScore score;
    bool operator()(const ScoredItem& a, const ScoredItem& b) const;
};

// Suppresses the item of the best score until every mole is hit.
template <class SomeMoles>
Elimination eliminate(const SomeMoles& moles, std::span<const int64_t> loss, MoleScore score, Task& task) {
    const auto n_items = static_cast<int32_t>(loss.size());
    std::vector<int64_t> live(n_items);
    auto dead = moles.none_dead();
    std::priority_queue<ScoredItem, std::vector<ScoredItem>, SuppressedLater> queue(SuppressedLater{score});
    for (int32_t item = 0; item < n_items; ++item)
        if ((live[item] = moles.length(item)) > 0) queue.push({live[item], loss[item], item});
    task.begin(moles.size());
    Elimination out;
    while (!queue.empty()) {
        const ScoredItem best = queue.top();
        queue.pop();
        if (live[best.item] == 0) continue;
        if (live[best.item] != best.moles) {  // counts only fall, so an entry found out of date goes back to its true place
            queue.push({live[best.item], best.loss, best.item});
            continue;
        }
        out.items.push_back(best.item);
        out.removed.push_back(best.moles);
        for (const int32_t& mole : moles.holding(best.item)) {
            if (!dead.dies(mole)) continue;
            for (int32_t item : moles.members(mole)) --live[item];
        }
        dead.suppress(best.item);
        live[best.item] = 0;
        task.step(best.moles);
    }
    return out;
}

}  // namespace shoal
