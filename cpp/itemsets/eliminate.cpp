#include "itemsets/eliminate.hpp"

#include <queue>

namespace shoal {

namespace {

struct Scored {
    int64_t moles;
    int64_t loss;
    int32_t item;
};

// Whether b is to be suppressed before a. Scores are compared as exact fractions.
struct Later {
    MoleScore score;
    bool operator()(const Scored& a, const Scored& b) const {
        if (score == MoleScore::per_loss) {
            const auto x = static_cast<Wide>(a.moles) * b.loss, y = static_cast<Wide>(b.moles) * a.loss;
            if (x != y) return x < y;
        }
        if (score == MoleScore::least_loss && a.loss != b.loss) return a.loss > b.loss;
        if (a.moles != b.moles) return a.moles < b.moles;
        if (a.loss != b.loss) return a.loss > b.loss;
        return a.item > b.item;
    }
};

}  // namespace

Elimination eliminate(const Lists& moles, std::span<const int64_t> loss, MoleScore score, Task& task) {
    const auto n_items = static_cast<int64_t>(loss.size());
    const Lists holding = transpose(moles, n_items);  // the moles that hold each item
    std::vector<int64_t> live(n_items);
    std::vector<char> dead(moles.size(), 0);
    std::priority_queue<Scored, std::vector<Scored>, Later> queue(Later{score});
    for (int32_t item = 0; item < n_items; ++item)
        if ((live[item] = holding.length(item)) > 0) queue.push({live[item], loss[item], item});
    task.begin(moles.size());
    Elimination out;
    while (!queue.empty()) {
        const Scored best = queue.top();
        queue.pop();
        if (live[best.item] == 0) continue;
        if (live[best.item] != best.moles) {  // counts only fall, so an entry found out of date goes back to its true place
            queue.push({live[best.item], best.loss, best.item});
            continue;
        }
        out.items.push_back(best.item);
        out.removed.push_back(best.moles);
        for (int32_t m : holding[best.item]) {
            if (dead[m]) continue;
            dead[m] = 1;
            for (int32_t item : moles[m]) --live[item];
        }
        task.step(best.moles);
    }
    return out;
}

}  // namespace shoal
