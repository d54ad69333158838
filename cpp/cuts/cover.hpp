// Which nodes a record gives up so that it holds no rare set any more.
#pragma once

#include "cuts/rare_sets.hpp"

namespace shoal {

// Calls body(record, holdings) for every record that holds a rare set, in the order of the records.
template <class Body>
void for_each_record(RareFound& found, Body&& body) {
    std::ranges::sort(found.holdings,
                      [](const auto& a, const auto& b) { return a.record != b.record ? a.record < b.record : a.set < b.set; });
    const std::span<const RareFound::Holding> all(found.holdings);
    for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
        for (end = i; end < all.size() && all[end].record == all[i].record;) ++end;
        body(all[i].record, all.subspan(i, end - i));
    }
}

class Cover {
public:
    explicit Cover(std::size_t nodes) : hits_(nodes, 0) {}

    // Candidates that hit all these sets, of which each holds one: greedily the candidate that hits most of the sets that are left, of
    // equals the one of the higher preference, then the first.
    template <class Preference>
    std::vector<int32_t> chosen(const RareFound& found, std::span<const RareFound::Holding> held, std::span<const int32_t> candidates,
                                Preference&& preference) {
        std::vector<int32_t> open, out;
        for (const auto& holding : held) {
            open.push_back(holding.set);
            for (int32_t node : found.sets[holding.set]) ++hits_[node];
        }
        while (!open.empty()) {
            const auto rank = [&](int32_t node) { return std::pair(hits_[node], preference(node)); };
            const int32_t best = *std::ranges::max_element(candidates, {}, rank);
            out.push_back(best);
            std::erase_if(open, [&](int32_t set) {
                if (std::ranges::find(found.sets[set], best) == found.sets[set].end()) return false;
                for (int32_t node : found.sets[set]) --hits_[node];
                return true;
            });
        }
        return out;
    }

private:
    std::vector<int64_t> hits_;  // sets that are left and hold a node; zero between two calls
};

}  // namespace shoal
