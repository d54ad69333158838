#include "group_search/disband.hpp"

#include <limits>

namespace shoal {

int64_t Disbander::improve(int64_t group) {
    if (!find_targets(group)) return 0;
    int64_t gain = -groups_[group].kept();
    for (Target& target : found_) {
        updater_.update(target.after);
        gain += target.after.kept() - groups_[target.group].kept();
    }
    if (gain <= 0) return 0;
    for (Target& target : found_) {
        std::swap(groups_[target.group], target.after);
        if (!data_.owners_repeat && !data_.has_room(groups_[target.group].size())) map_.close(target.group);
    }
    groups_[group] = {};
    map_.close(group);
    return gain;
}

int64_t Disbander::vaguest(const std::vector<GroupState>& groups) {
    const auto least = std::ranges::min_element(groups, {}, &GroupState::value);
    return least == groups.end() ? -1 : least - groups.begin();
}

// A group for each member. False where somebody finds none, or where, each member taken for itself, too much would be lost: mostly known
// as soon as the first has looked round.
bool Disbander::find_targets(int64_t group) {
    found_.clear();
    const GroupState& leaving = groups_[group];
    int64_t at_most = -leaving.kept();
    for (int64_t r : leaving.members) at_most += values_[r];
    for (int64_t r : leaving.members) {
        if (at_most <= 0) return false;
        const auto gain = join_best(r, group, values_[r] - at_most);
        if (!gain) return false;
        at_most += *gain - values_[r];
    }
    return at_most > 0;
}

// What is gained by it; at least `least`, by the look of it, or it would not be worth while.
std::optional<int64_t> Disbander::join_best(int64_t record, int64_t from, int64_t least) {
    int64_t best = -1, most = std::numeric_limits<int64_t>::min();
    record_.spread(data_.counts, record);
    for (int32_t c : map_.best_targets(record, most_targets_ + 1, least)) {
        const GroupState& there = groups_[c];
        if (c == from || there.size() == 0) continue;
        const Group& members = members_by_now(c);
        if (!data_.may_join(members, data_.people(members), record)) continue;
        const int64_t gained = there.gain_with(shared_with(record_, there));
        if (gained > most) most = gained, best = c;
    }
    if (vaguest_ >= 0 && vaguest_ != from && groups_[vaguest_].size() > 0) {
        const int64_t gained = groups_[vaguest_].gain_with(shared_with(record_, groups_[vaguest_]));
        if (gained > most) most = gained, best = vaguest_;
    }
    record_.clear(data_.counts, record);
    if (best < 0) return std::nullopt;
    join(record, best);
    return most;
}

const Group& Disbander::members_by_now(int64_t group) const {
    for (const Target& target : found_)
        if (target.group == group) return target.after.members;
    return groups_[group].members;
}

void Disbander::join(int64_t record, int64_t group) {
    for (Target& target : found_)
        if (target.group == group) return target.after.members.push_back(record);
    Target& target = found_.emplace_back();
    target.group = group;
    target.after.members = groups_[group].members;
    target.after.members.push_back(record);
}

}  // namespace shoal
