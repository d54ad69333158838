#include "shoal/divide.hpp"

#include <limits>

#include "base/noise.hpp"

namespace shoal {

Divider::Divider(const Scored& data, std::vector<GroupState>& groups, int64_t most, const Task& task)
    : data_(data),
      groups_(groups),
      most_(static_cast<std::size_t>(most)),
      task_(task),
      map_(data, groups),
      meet_(data),
      updater_(data),
      seen_(data.nodes()) {
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g].people <= data.k) map_.close(static_cast<int64_t>(g));
}

int64_t Divider::improve(int64_t group) {
    const auto before = static_cast<int64_t>(groups_.size());
    while (divide(group)) task_.check();
    for (auto fresh = before; fresh < static_cast<int64_t>(groups_.size()); ++fresh)
        while (divide(fresh)) task_.check();
    return static_cast<int64_t>(groups_.size()) - before;
}

bool Divider::divide(int64_t group) {
    Division best;
    for (const Side& side : sides_of(groups_[group]))
        if (Division found = divided(group, side); found.gain > best.gain) best = std::move(found);
    if (best.gain <= 0) return false;
    carry_out(group, best);
    return true;
}

// Where the group may be divided: at nodes that some members touch more often than all do. Nodes that the same members touch are one.
std::vector<Divider::Side> Divider::sides_of(const GroupState& group) {
    std::vector<int32_t> touched;
    for (const auto& shared : group.meet) seen_[shared.node].least = shared.count;
    for (int64_t r : group.members)
        for (int64_t j = data_.counts.indptr[r]; j < data_.counts.indptr[r + 1]; ++j) {
            Side& side = seen_[data_.counts.ids[j]];
            if (data_.counts.counts[j] <= side.least) continue;
            if (side.members++ == 0) touched.push_back(data_.counts.ids[j]);
            side.who += noise(0, 0, static_cast<uint64_t>(r));
        }
    std::vector<Side> found;
    for (int32_t v : touched) {
        found.push_back(seen_[v]);
        found.back().node = v, found.back().weight = data_.weight[v];
        seen_[v] = {};
    }
    for (const auto& shared : group.meet) seen_[shared.node] = {};
    std::ranges::sort(found, {}, [](const Side& s) { return std::pair(s.who, s.node); });
    std::vector<Side> sides;
    for (const Side& side : found) {
        if (side.members == group.size()) continue;
        if (!sides.empty() && sides.back().who == side.who)
            sides.back().weight += side.weight;
        else
            sides.push_back(side);
    }
    std::ranges::sort(sides, {}, [](const Side& s) { return std::pair(-s.members * s.weight, s.node); });
    sides.resize(std::min(sides.size(), most_));
    return sides;
}

// The gain is zero where the division cannot be done.
Divider::Division Divider::divided(int64_t group, const Side& side) {
    Division division;
    for (int64_t r : groups_[group].members) {
        const auto ids = data_.counts.row_ids(r);
        const auto at = std::ranges::lower_bound(ids, side.node) - ids.begin();
        const bool touches = at < std::ssize(ids) && ids[at] == side.node && data_.counts.row_counts(r)[at] > side.least;
        (touches ? division.touching : division.others).members.push_back(r);
    }
    std::vector<Loan> loans;
    if (!fill_up(division.touching.members, group, loans) || !fill_up(division.others.members, group, loans)) return {};
    if (!settle(division, loans)) return {};
    division.gain -= groups_[group].kept();
    return division;
}

// Brings a part to k people.
bool Divider::fill_up(Group& part, int64_t home, std::vector<Loan>& loans) {
    int64_t missing = data_.k - data_.people(part);
    if (missing <= 0) return true;
    meet_.open(part[0]);
    for (std::size_t i = 1; i < part.size(); ++i) meet_.take(part[i]);
    std::vector<Entry> meet;
    meet_.each([&](int32_t node, int32_t count) { meet.push_back({node, count}); });
    const std::vector<int32_t> lenders = map_.nearest_open(meet, most_);
    for (; missing > 0; --missing)
        if (!borrow(part, home, lenders, loans)) return false;
    return true;
}

// The record that, all in all, costs least: what the part keeps more with it, less what its own group keeps less.
bool Divider::borrow(Group& part, int64_t home, std::span<const int32_t> lenders, std::vector<Loan>& loans) {
    const auto size = static_cast<int64_t>(part.size());
    Loan best{-1, -1};
    int64_t most = std::numeric_limits<int64_t>::min();
    for (int32_t c : lenders) {
        const GroupState& lender = groups_[c];
        if (c == home || lender.size() == 0) continue;
        for (int64_t i = 0; i < lender.size(); ++i) {
            const int64_t left = (lender.size() - 1) * lender.without[i] - lender.kept();
            if ((size + 1) * meet_.value() + left <= most) continue;
            const int64_t record = lender.members[i], gain = (size + 1) * meet_.with(record) + left;
            if (gain <= most || !may_lend(c, i, loans) || data_.holds_owner(part, record)) continue;
            most = gain, best = {c, record};
        }
    }
    if (best.group < 0) return false;
    meet_.take(best.record);
    part.push_back(best.record);
    loans.push_back(best);
    return true;
}

bool Divider::may_lend(int64_t group, int64_t place, const std::vector<Loan>& loans) const {
    const GroupState& lender = groups_[group];
    int64_t people = lender.people_without(place);
    for (const Loan& loan : loans) {
        if (loan.record == lender.members[place]) return false;
        people -= loan.group == group ? 1 : 0;
    }
    return people >= data_.k;
}

// Brings everything up to date; false where a lender is left with too few people.
bool Divider::settle(Division& division, const std::vector<Loan>& loans) {
    updater_.update(division.touching);
    updater_.update(division.others);
    division.gain = division.touching.kept() + division.others.kept();
    for (const Loan& loan : loans) {
        const auto at = std::ranges::find(division.lender, loan.group) - division.lender.begin();
        if (at == std::ssize(division.lender)) {
            division.lender.push_back(loan.group);
            division.lenders.emplace_back().members = groups_[loan.group].members;
        }
        std::erase(division.lenders[at].members, loan.record);
    }
    for (std::size_t i = 0; i < division.lender.size(); ++i) {
        updater_.update(division.lenders[i]);
        if (division.lenders[i].people < data_.k) return false;
        division.gain += division.lenders[i].kept() - groups_[division.lender[i]].kept();
    }
    return true;
}

void Divider::carry_out(int64_t group, Division& division) {
    for (std::size_t i = 0; i < division.lender.size(); ++i) {
        std::swap(groups_[division.lender[i]], division.lenders[i]);
        if (groups_[division.lender[i]].people <= data_.k) map_.close(division.lender[i]);
    }
    std::swap(groups_[group], division.others);
    groups_.push_back(std::move(division.touching));
}

}  // namespace shoal
