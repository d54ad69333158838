// Which nodes a record gives up so that it holds no rare set any more.
#pragma once

#include "cuts/rare_sets.hpp"

namespace shoal {

// Calls body(record, holdings) for every record that holds a rare set, in the order of the records; the sets of each rise.
template <class Body>
void for_each_record(const RareFound& found, const Task& task, Body&& body) {
    // Sorted by counting, because there may be tens of millions, and one long sort cannot be cancelled.
    int32_t records = 0;
    for (const auto& holding : found.holdings) records = std::max(records, holding.record + 1);
    std::vector<std::size_t> next(static_cast<std::size_t>(records) + 1, 0);
    for (const auto& holding : found.holdings) ++next[holding.record + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    task.check();
    std::vector<RareFound::Holding> sorted(found.holdings.size());
    for (const auto& holding : found.holdings) sorted[next[holding.record]++] = holding;
    for (int32_t record = 0; record < records; ++record) {
        task.check();
        const std::size_t begin = record == 0 ? 0 : next[record - 1];
        const auto held = std::span(sorted).subspan(begin, next[record] - begin);
        std::ranges::sort(held, {}, &RareFound::Holding::set);
        if (!held.empty()) body(record, std::span<const RareFound::Holding>(held));
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
                if (!contains(found.sets[set], best)) return false;
                for (int32_t node : found.sets[set]) --hits_[node];
                return true;
            });
        }
        return out;
    }

private:
    static bool contains(std::span<const int32_t> set, int32_t node) { return std::ranges::find(set, node) != set.end(); }

    std::vector<int64_t> hits_;  // sets that are left and hold a node; zero between two calls
};

}  // namespace shoal
