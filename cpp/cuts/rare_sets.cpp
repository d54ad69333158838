#include "cuts/rare_sets.hpp"

#include <algorithm>

#include "cuts/minimal.hpp"

namespace shoal {

RareSets::RareSets(const Tokens& tokens)
    : tokens_(tokens),
      problem_(tokens.problem()),
      done_(tokens.problem().tree.up.size(), 0),
      people_(done_.size(), 0),
      last_owner_(done_.size(), -1),
      slot_(done_.size(), 0),
      set_of_(done_.size(), -1) {}

RareFound RareSets::with(std::span<const int32_t> nodes, const Wanted& wanted, const Task& task) {
    wanted_ = wanted;
    found_ = {};
    held_ = 0;
    if (levels_.size() < static_cast<std::size_t>(wanted.size)) levels_.resize(static_cast<std::size_t>(wanted.size));
    for (std::size_t i = 0; i < nodes.size() && wanted.minimal && !full(); ++i) note_alone(nodes[i]);
    for (std::size_t i = 0; i < nodes.size() && !full(); ++i) {
        task.check();
        const int32_t node = nodes[i];
        if (!wanted.minimal) note_alone(node);
        if (done_[node]) continue;
        set_.assign(1, node);
        if (wanted.size > 1) extend(tokens_.holders(node), 1, task);
        done_[node] = 1;
    }
    for (int32_t node : nodes) done_[node] = 0;
    if (wanted.minimal && wanted.size > 2) keep_minimal(found_, task);
    return std::move(found_);
}

// Calls body(first, second) for each rare set of one node, or of two where `size` allows it, in the order of the nodes.
template <class Body>
void RareSets::for_each_small(std::span<const int32_t> nodes, int64_t size, const Task& task, Body&& body) {
    if (levels_.size() < 2) levels_.resize(2);
    Level& level = levels_[1];
    for (int32_t node : nodes) {
        task.check();
        const auto holders = tokens_.holders(node);
        done_[node] = 1;
        if (people(holders) < problem_.k) {
            if (!holders.empty()) body(node, no_node);
        } else if (size > 1) {
            set_.assign(1, node);
            level.present.clear();
            count(holders, level, -1, false);
            for (const Present& one : level.present) {
                if (people_[one.node] < problem_.k) body(node, one.node);
                people_[one.node] = 0;
            }
        }
    }
    for (int32_t node : nodes) done_[node] = 0;
}

// The first time through, sets are counted by the number of holders of their nodes; the second time each is put into its place.
std::vector<RareSets::OneOrTwo> RareSets::by_holders(std::span<const int32_t> nodes, int64_t size, const Task& task) {
    const auto together = [&](int32_t first, int32_t second) {
        return tokens_.holders(first).size() + (second == no_node ? 0 : tokens_.holders(second).size());
    };
    std::vector<int64_t> start(2 * static_cast<std::size_t>(problem_.rows.size()) + 2, 0);
    for_each_small(nodes, size, task, [&](int32_t first, int32_t second) { ++start[together(first, second) + 1]; });
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    held_ = 0;
    hold_more(start.back() * static_cast<int64_t>(sizeof(OneOrTwo)));
    std::vector<OneOrTwo> out(static_cast<std::size_t>(start.back()));
    for_each_small(nodes, size, task, [&](int32_t first, int32_t second) { out[start[together(first, second)]++] = {first, second}; });
    return out;
}

// A node that is rare by itself, or that nobody holds, is in no set that is looked for from here on.
void RareSets::note_alone(int32_t node) {
    const auto holders = tokens_.holders(node);
    if (people(holders) >= problem_.k) return;
    done_[node] = 1;
    if (holders.empty()) return;
    set_.assign(1, node);
    const int32_t set = note();
    if (!wanted_.holdings) return;
    hold_more(static_cast<int64_t>(holders.size() * sizeof(found_.holdings.front())));
    for (int32_t record : holders) found_.holdings.push_back({record, set});
}

// All sets that hold `set_`, which these records publish. Beside the first node the others rise. Rare sets are noted before others are
// extended, so that, where only minimal ones are wanted, what is rare beside a part of a set does not count as rare beside all of it.
void RareSets::extend(std::span<const int32_t> records, std::size_t depth, const Task& task) {
    task.check();
    Level& level = levels_[depth];
    const bool further = depth + 1 < static_cast<std::size_t>(wanted_.size);
    const int32_t behind = depth == 1 ? -1 : set_.back();
    level.present.clear();
    count(records, level, behind, further);
    bool any = false;
    for (Present& one : level.present) {
        const bool rare = people_[one.node] < problem_.k;
        people_[one.node] = 0;
        if (!rare || full()) continue;
        set_.push_back(one.node);
        one.set = note();
        set_.pop_back();
        done_[one.node] = wanted_.minimal;
        any = true;
    }
    if (any && wanted_.holdings) hold(records, level, behind);
    for (const Present& one : level.present) {
        if (further && one.set < 0 && !full()) {
            set_.push_back(one.node);
            extend(level.records[one.slot], depth + 1, task);
            set_.pop_back();
        }
        if (further) level.records[one.slot].clear();
    }
    for (const Present& one : level.present)
        if (one.set >= 0) done_[one.node] = 0;
}

void RareSets::count(std::span<const int32_t> records, Level& level, int32_t behind, bool further) {
    for (int32_t record : records) {
        const auto row = tokens_.row(record);
        const int64_t person = problem_.owner(record);
        for (auto at = std::ranges::upper_bound(row, behind); at != row.end(); ++at) {
            const int32_t node = *at;
            if (done_[node] || node == set_.front()) continue;
            if (people_[node] == 0) {
                slot_[node] = static_cast<int32_t>(level.present.size());
                level.present.push_back({node, slot_[node]});
            }
            if (people_[node] == 0 || last_owner_[node] != person) ++people_[node];
            last_owner_[node] = person;
            if (!further) continue;
            if (level.records.size() < level.present.size()) level.records.resize(level.present.size());
            level.records[slot_[node]].push_back(record);
        }
    }
    std::ranges::sort(level.present, {}, &Present::node);
}

void RareSets::hold(std::span<const int32_t> records, const Level& level, int32_t behind) {
    for (const Present& one : level.present) set_of_[one.node] = one.set;
    for (int32_t record : records) {
        const auto row = tokens_.row(record);
        for (auto at = std::ranges::upper_bound(row, behind); at != row.end(); ++at)
            if (set_of_[*at] >= 0) found_.holdings.push_back({record, set_of_[*at]});
    }
    hold_more(static_cast<int64_t>(records.size() * sizeof(found_.holdings.front())));
    for (const Present& one : level.present) set_of_[one.node] = -1;
}

int64_t RareSets::people(std::span<const int32_t> records) const {
    if (problem_.owners.empty()) return static_cast<int64_t>(records.size());
    int64_t total = 0;
    for (std::size_t i = 0; i < records.size(); ++i) total += i == 0 || problem_.owners[records[i - 1]] != problem_.owners[records[i]];
    return total;
}

// Rare sets are as many as the subsets of a record, where any number of nodes may be known: beyond a limit the search ends.
void RareSets::hold_more(int64_t bytes) {
    held_ += bytes;
    if (held_ > most_held) throw OutOfPatience("memory");
}

int32_t RareSets::note() {
    hold_more(static_cast<int64_t>(sizeof(std::size_t) + set_.size() * sizeof(int32_t)));
    rising_ = set_;
    std::ranges::sort(rising_);
    found_.sets.add(rising_);
    return static_cast<int32_t>(found_.sets.size()) - 1;
}

}  // namespace shoal
