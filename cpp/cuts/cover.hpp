// Which nodes a record gives up so that it holds no rare set any more.
#pragma once

#include <utility>

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
    explicit Cover(std::size_t nodes) : hits_(nodes, 0), slot_(nodes, 0) {}

    // Candidates that hit all these sets, of which each holds one: greedily the candidate that hits most of the sets that are left, of
    // equals the one of the higher preference, then the first.
    template <class Preference>
    std::vector<int32_t> chosen(const RareFound& found, std::span<const RareFound::Holding> held, std::span<const int32_t> candidates,
                                Preference&& preference) {
        list_sets_of_nodes(found, held);
        std::vector<int32_t> out;
        const auto rank = [&](int32_t node) { return std::pair(hits_[node], preference(node)); };
        for (std::size_t left = held.size(); left > 0;) {
            const int32_t best = *std::ranges::max_element(candidates, {}, rank);
            out.push_back(best);
            for (int64_t at = starts_[slot_[best]]; at < starts_[slot_[best] + 1]; ++at) {
                if (std::exchange(hit_[sets_[at]], 1)) continue;
                --left;
                for (int32_t node : found.sets[held[sets_[at]].set]) --hits_[node];
            }
        }
        return out;
    }

private:
    void list_sets_of_nodes(const RareFound& found, std::span<const RareFound::Holding> held) {
        nodes_.clear();
        for (const auto& holding : held)
            for (int32_t node : found.sets[holding.set])
                if (hits_[node]++ == 0) nodes_.push_back(node);
        starts_.assign(1, 0);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            slot_[nodes_[i]] = static_cast<int32_t>(i);
            starts_.push_back(starts_.back() + hits_[nodes_[i]]);
        }
        sets_.resize(static_cast<std::size_t>(starts_.back()));
        next_.assign(starts_.begin(), starts_.end() - 1);
        for (std::size_t i = 0; i < held.size(); ++i)
            for (int32_t node : found.sets[held[i].set]) sets_[next_[slot_[node]]++] = static_cast<int32_t>(i);
        hit_.assign(held.size(), 0);
    }

    std::vector<int64_t> hits_;            // sets that are left and hold a node; zero between two calls
    std::vector<int32_t> slot_, nodes_;    // nodes of the sets of one call, and the place of each among them
    std::vector<int64_t> starts_, next_;   // of each of these nodes
    std::vector<int32_t> sets_;            // that hold it
    std::vector<uint8_t> hit_;             // by set
};

}  // namespace shoal
