#include "group_search/regrow.hpp"

#include <limits>

#include "base/noise.hpp"

namespace shoal {

namespace {

// What was regrown and loses more than before by over one part in so many seldom recovers by chains.
constexpr int64_t kHopeless = 8;

}  // namespace

Try Regrower::improve(int64_t group, uint64_t shake) {
    const std::vector<int64_t> chosen = group_and_nearest(group);
    if (groups_[group].size() == 0 || chosen.size() < 2) return {};
    int64_t kept = 0, lost = 0;
    waiting_.clear();
    for (int64_t c : chosen) {
        kept += groups_[c].kept();
        for (int64_t r : groups_[c].members) {
            lost += data_.lengths[r] * data_.scale;
            waiting_.push_back(r);
        }
    }
    lost -= kept;
    if (lost == 0 || !grow_all(chosen.size(), shake)) return {lost, 0};
    if (kept - kept_by_fresh() > lost / kHopeless) return {lost, 0};
    for (GroupState& group : fresh_) updater_.update(group);
    change_places();
    const int64_t gained = kept_by_fresh() - kept;
    if (gained <= 0) return {lost, 0};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (i < fresh_.size())
            std::swap(groups_[chosen[i]], fresh_[i]);
        else
            groups_[chosen[i]] = {};
    }
    return {lost, gained};
}

std::vector<int64_t> Regrower::group_and_nearest(int64_t group) const {
    std::vector<int64_t> chosen{group};
    for (int32_t c : neighbours_[group])
        if (static_cast<int64_t>(chosen.size()) < together_ && groups_[c].size() > 0) chosen.push_back(c);
    return chosen;
}

// As many groups as before; fewer where people own so many of the records that no more groups of k can be grown. False where none can.
bool Regrower::grow_all(std::size_t groups, uint64_t shake) {
    std::ranges::sort(waiting_, {}, [&](int64_t r) { return std::pair(noise(shake, 0, static_cast<uint64_t>(r)), r); });
    fresh_.resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
        fresh_[g].members.clear();
        if (!waiting_.empty() && grow_one(fresh_[g])) continue;
        waiting_.insert(waiting_.end(), fresh_[g].members.begin(), fresh_[g].members.end());
        fresh_.resize(g);
        break;
    }
    return !fresh_.empty() && place_rest();
}

// As in a block, but everybody who waits is a candidate.
bool Regrower::grow_one(GroupState& group) {
    group.members.assign(1, waiting_.back());
    waiting_.pop_back();
    meet_.open(group.members[0]);
    at_most_.assign(waiting_.size(), meet_.value());
    for (int64_t size = 1; size < data_.k; ++size) {
        int64_t best = -1, least = std::numeric_limits<int64_t>::max();
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const int64_t length = data_.lengths[waiting_[i]] * data_.scale;
            if (length - (size + 1) * at_most_[i] >= least || data_.holds_owner(group.members, waiting_[i])) continue;
            at_most_[i] = meet_.with(waiting_[i]);
            const int64_t cost = length - (size + 1) * at_most_[i];
            if (cost < least) least = cost, best = static_cast<int64_t>(i);
        }
        if (best < 0) return false;
        meet_.take(waiting_[best]);
        group.members.push_back(waiting_[best]);
        waiting_[best] = waiting_.back(), at_most_[best] = at_most_.back();
        waiting_.pop_back(), at_most_.pop_back();
    }
    group.value = meet_.value();
    return true;
}

// Where the dissolved groups had more than k members, some are left over and join the groups that they harm least. Groups of people who own
// several records may take any number.
bool Regrower::place_rest() {
    if (waiting_.empty()) return true;
    for (GroupState& group : fresh_) updater_.update(group);
    for (int64_t r : waiting_) {
        record_.spread(data_.counts, r);
        GroupState* best = nullptr;
        int64_t most = std::numeric_limits<int64_t>::min();
        for (GroupState& group : fresh_) {
            if (!data_.owners_repeat && !data_.has_room(group.size())) continue;
            const int64_t gain = group.gain_with(shared_with(record_, group));
            if (gain > most) most = gain, best = &group;
        }
        record_.clear(data_.counts, r);
        if (best == nullptr) return false;
        best->members.push_back(r);
        updater_.update(*best);
    }
    return true;
}

void Regrower::change_places() {
    if (all_others_.size() != fresh_.size()) {
        const auto n = static_cast<int32_t>(fresh_.size());
        all_others_.assign(n, {});
        for (int32_t a = 0; a < n; ++a)
            for (int32_t b = 0; b < n; ++b)
                if (a != b) all_others_[a].push_back(b);
    }
    for (bool again = true; again && !deadline_.passed();) {
        again = false;
        for (int64_t g = 0; g < static_cast<int64_t>(fresh_.size()); ++g) again |= chains_.improve_all(g) > 0;
    }
}

int64_t Regrower::kept_by_fresh() const {
    int64_t total = 0;
    for (const GroupState& c : fresh_) total += c.kept();
    return total;
}

}  // namespace shoal
