#include "cuts/hit_sets.hpp"

#include <map>

namespace shoal {

namespace {

__extension__ typedef __int128 Wide;

struct Candidate {
    int64_t price = 0;
    std::vector<std::size_t> sets;  // that hold the node
    int64_t open = 0;               // of them, not hit yet

    // Whether it hits more sets for its price.
    bool beats(const Candidate& other) const {
        if (open == 0 || other.open == 0) return open > other.open;  // a price may be 0
        return static_cast<Wide>(open) * other.price > static_cast<Wide>(other.open) * price;
    }
};

}  // namespace

std::vector<int32_t> hit_sets(const NodeSets& sets, const Cut& cut, int64_t budget) {
    std::map<int32_t, Candidate> candidates;
    for (std::size_t i = 0; i < sets.size(); ++i)
        for (int32_t node : sets[i]) {
            Candidate& candidate = candidates[node];
            candidate.sets.push_back(i);
            ++candidate.open;
        }
    for (auto& [node, candidate] : candidates) candidate.price = cut.loss_suppressed(node) - cut.loss_published(node);
    std::vector<int32_t> chosen;
    std::vector<uint8_t> hit(sets.size(), 0);
    for (std::size_t left = sets.size(); left > 0;) {
        auto best = candidates.begin();
        for (auto at = candidates.begin(); at != candidates.end(); ++at)
            if (at->second.beats(best->second)) best = at;
        budget -= best->second.price;
        if (budget <= 0) return {};
        chosen.push_back(best->first);
        for (std::size_t i : best->second.sets) {
            if (hit[i]) continue;
            hit[i] = 1;
            --left;
            for (int32_t node : sets[i]) --candidates.at(node).open;
        }
    }
    return chosen;
}

}  // namespace shoal
