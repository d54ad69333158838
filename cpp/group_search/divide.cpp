#include "group_search/divide.hpp"

#include <limits>

#include "base/noise.hpp"

namespace shoal {

namespace {

constexpr int64_t kAsked = 2;   // times k members of a group are asked to leave it
constexpr int64_t kLarge = 32;  // times k members; of larger groups not all are looked at

}  // namespace

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
        if (Division found = divided(group, side, best.gain); found.gain > best.gain) best = std::move(found);
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

// The gain is zero where the division cannot be done, or does not gain more than `least` even if nobody is missing.
Divider::Division Divider::divided(int64_t group, const Side& side, int64_t least) {
    Division division;
    for (int64_t r : groups_[group].members) {
        const auto ids = data_.counts.row_ids(r);
        const auto at = std::ranges::lower_bound(ids, side.node) - ids.begin();
        const bool touches = at < std::ssize(ids) && ids[at] == side.node && data_.counts.row_counts(r)[at] > side.least;
        (touches ? division.touching : division.others).members.push_back(r);
    }
    std::vector<Loan> loans;
    int64_t seems = -groups_[group].kept();
    for (const Group* part : {&division.touching.members, &division.others.members}) {
        open_meet(*part);
        seems += static_cast<int64_t>(part->size()) * meet_.value();
    }
    for (Group* part : {&division.touching.members, &division.others.members}) {
        if (seems <= least) return {};
        const auto more = fill_up(*part, group, loans);
        if (!more) return {};
        seems += *more;
    }
    if (seems <= least) return {};
    if (!settle(division, loans)) return {};
    division.gain -= groups_[group].kept();
    return division;
}

void Divider::open_meet(const Group& part) {
    meet_.open(part[0]);
    for (std::size_t i = 1; i < part.size() && meet_.value() > 0; ++i) meet_.take(part[i]);
}

// Brings a part to k people. Returns what all groups seem to keep more by it; nothing where too few can be borrowed.
std::optional<int64_t> Divider::fill_up(Group& part, int64_t home, std::vector<Loan>& loans) {
    int64_t missing = data_.k - data_.people(part), total = 0;
    if (missing <= 0) return 0;
    open_meet(part);
    find_candidates(home);
    for (; missing > 0; --missing) {
        const auto gain = borrow(part, loans);
        if (!gain) return std::nullopt;
        total += *gain;
    }
    return total;
}

// Of each group with people to spare whose meet is like the part's, the few that it loses least by.
void Divider::find_candidates(int64_t home) {
    candidates_.clear();
    std::vector<Entry> meet;
    meet_.each([&](int32_t node, int32_t count) { meet.push_back({node, count}); });
    for (int32_t c : map_.nearest_open(meet, most_)) {
        const GroupState& lender = groups_[c];
        if (c == home || lender.size() == 0) continue;
        const auto first = candidates_.size();
        const int64_t stride = 1 + lender.size() / (kLarge * data_.k);
        for (int64_t i = 0; i < lender.size(); i += stride)
            if (lender.people_without(i) >= data_.k)
                candidates_.push_back({c, i, (lender.size() - 1) * lender.without[i] - lender.kept(), meet_.value()});
        const auto asked = first + static_cast<std::size_t>(kAsked * data_.k);
        if (candidates_.size() <= asked) continue;
        const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(first);
        std::ranges::nth_element(begin, begin + kAsked * data_.k, candidates_.end(), {},
                                 [](const Candidate& a) { return std::pair(-a.left, a.place); });
        candidates_.resize(asked);
    }
}

// The record that, all in all, costs least: what the part keeps more with it, less what its own group keeps less.
std::optional<int64_t> Divider::borrow(Group& part, std::vector<Loan>& loans) {
    const auto size = static_cast<int64_t>(part.size());
    Loan best{-1, -1};
    int64_t most = std::numeric_limits<int64_t>::min();
    for (Candidate& c : candidates_) {
        if ((size + 1) * c.value + c.left <= most) continue;
        const int64_t record = groups_[c.group].members[c.place];
        c.value = meet_.with(record);
        const int64_t gain = (size + 1) * c.value + c.left;
        if (gain <= most || !may_lend(c, loans) || data_.holds_owner(part, record)) continue;
        most = gain, best = {c.group, record};
    }
    if (best.group < 0) return std::nullopt;
    const int64_t before = size * meet_.value();
    meet_.take(best.record);
    part.push_back(best.record);
    loans.push_back(best);
    return most - before;
}

bool Divider::may_lend(const Candidate& candidate, const std::vector<Loan>& loans) const {
    const GroupState& lender = groups_[candidate.group];
    int64_t people = lender.people_without(candidate.place);
    for (const Loan& loan : loans) {
        if (loan.record == lender.members[candidate.place]) return false;
        people -= loan.group == candidate.group ? 1 : 0;
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
