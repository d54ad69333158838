#include "cuts/rare_sets.hpp"

#include <algorithm>

#include "cuts/minimal.hpp"

namespace shoal {

RareSets::RareSets(const Tokens& tokens) : tokens_(tokens), problem_(tokens.problem()), done_(tokens.problem().tree.up.size(), 0) {}

RareFound RareSets::with(std::span<const int32_t> nodes, const Wanted& wanted, const Task& task) {
    wanted_ = wanted;
    found_ = {};
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
    if (wanted.minimal && wanted.size > 2) keep_minimal(found_);
    return std::move(found_);
}

// A node that is rare by itself, or that nobody holds, is in no set that is looked for from here on.
void RareSets::note_alone(int32_t node) {
    const auto holders = tokens_.holders(node);
    if (people(holders) >= problem_.k) return;
    done_[node] = 1;
    if (holders.empty()) return;
    set_.assign(1, node);
    const int32_t set = note();
    if (wanted_.holdings)
        for (int32_t record : holders) found_.holdings.push_back({record, set});
}

// All sets that hold `set_`, which these records publish. Beside the first node the others rise. Rare sets are noted before others are
// extended, so that, where only minimal ones are wanted, what is rare beside a part of a set does not count as rare beside all of it.
void RareSets::extend(std::span<const int32_t> records, std::size_t depth, const Task& task) {
    task.check();
    Level& level = levels_[depth];
    const bool further = depth + 1 < static_cast<std::size_t>(wanted_.size);
    const int32_t behind = depth == 1 ? -1 : set_.back();
    prepare(level, further);
    count(records, level, behind, further);
    bool any = false;
    for (int32_t node : level.present) {
        const bool rare = level.people[node] < problem_.k;
        level.people[node] = 0;
        if (!rare || full()) continue;
        set_.push_back(node);
        level.set_of[node] = note();
        set_.pop_back();
        done_[node] = wanted_.minimal;
        any = true;
    }
    if (any && wanted_.holdings) hold(records, level, behind);
    for (int32_t node : level.present) {
        if (further && level.set_of[node] < 0 && !full()) {
            set_.push_back(node);
            extend(level.records[node], depth + 1, task);
            set_.pop_back();
        }
        if (further) level.records[node].clear();
    }
    for (int32_t node : level.present) {
        if (level.set_of[node] >= 0) done_[node] = 0;
        level.set_of[node] = -1;
    }
}

void RareSets::prepare(Level& level, bool further) {
    if (level.people.empty()) {
        level.people.assign(done_.size(), 0);
        level.last_owner.assign(done_.size(), -1);
        level.set_of.assign(done_.size(), -1);
    }
    if (further) level.records.resize(done_.size());
    level.present.clear();
}

void RareSets::count(std::span<const int32_t> records, Level& level, int32_t behind, bool further) {
    for (int32_t record : records) {
        const auto row = tokens_.row(record);
        const int64_t person = problem_.owner(record);
        for (auto at = std::ranges::upper_bound(row, behind); at != row.end(); ++at) {
            const int32_t node = *at;
            if (done_[node] || node == set_.front()) continue;
            if (level.people[node] == 0) level.present.push_back(node);
            if (level.people[node] == 0 || level.last_owner[node] != person) ++level.people[node];
            level.last_owner[node] = person;
            if (further) level.records[node].push_back(record);
        }
    }
    std::ranges::sort(level.present);
}

void RareSets::hold(std::span<const int32_t> records, Level& level, int32_t behind) {
    for (int32_t record : records) {
        const auto row = tokens_.row(record);
        for (auto at = std::ranges::upper_bound(row, behind); at != row.end(); ++at)
            if (level.set_of[*at] >= 0) found_.holdings.push_back({record, level.set_of[*at]});
    }
}

int64_t RareSets::people(std::span<const int32_t> records) const {
    if (problem_.owners.empty()) return static_cast<int64_t>(records.size());
    int64_t total = 0;
    for (std::size_t i = 0; i < records.size(); ++i) total += i == 0 || problem_.owners[records[i - 1]] != problem_.owners[records[i]];
    return total;
}

int32_t RareSets::note() {
    found_.sets.push_back(set_);
    std::ranges::sort(found_.sets.back());
    return static_cast<int32_t>(found_.sets.size()) - 1;
}

}  // namespace shoal
